/**
 * Scans a barcode or QR code on a payment terminal. `/js/scan.mjs` exports this; `/js/scan.js` has the same as the global `RelayScan`.
 * A partner's API key can also pay: a page that others see calls a proxy of the merchant's own, which adds the key (`headers` or cookies).
 */
export interface RelayScan {
  createScanner(options: ScannerOptions): Scanner;
}

/** Throws RangeError for a `timeoutSeconds` outside 10 to 600 and a `pollMs` below 500; TypeError for a terminal id that none can have. */
export function createScanner(options: ScannerOptions): Scanner;

export interface ScannerOptions {
  /** Where `/api/v1/...` is: the relay, or a proxy that passes these four on: POST `/api/v1/{terminalId}/scan`, GET `/api/v1/commands/{uuid}`, POST `/api/v1/commands/{uuid}/cancel`, GET `/api/v1/{uuid}/uuid`. */
  baseUrl: string;
  terminalId: string;
  /** Sent as `API-Key`. */
  apiKey?: string;
  /** Asked before each request: what a proxy wants to see. */
  headers?: () => { [name: string]: string } | Promise<{ [name: string]: string }>;
  /** 10 to 600; 120 when absent. */
  timeoutSeconds?: number;
  /** Milliseconds between two looks, at least 500; 2000 when absent. */
  pollMs?: number;
  /** Aborting it cancels every scan. */
  signal?: AbortSignal;
}

export interface Scanner {
  /** One at a time. Rejects with a ScanError. */
  scan(): Promise<ScanResult>;
  /** Cancels the scan under way, if there is one: it rejects with `cancelled`, unless a value was read before. */
  cancel(): void;
  /** Returns a function that ends it. */
  on<E extends keyof ScanEvents>(event: E, handler: (detail: ScanEvents[E]) => void): () => void;
}

export interface ScanResult {
  value: string;
  /** As the terminal names it; null where it does not. */
  format: string | null;
  uuid: string;
}

export interface ScanEvents {
  /** The relay has stored the command. */
  sent: { uuid: string };
  /** After each look without a result. `queued`: the terminal has not taken the command yet. */
  waiting: { uuid: string; state: string; elapsedMs: number };
  result: ScanResult;
  error: ScanError;
}

/**
 *   timeout        the terminal had the command and nobody scanned in time; the command is cancelled
 *   cancelled      by the page, or at the terminal
 *   camera_error   the terminal could not scan
 *   offline        the terminal did not take the command in time; it has expired or is cancelled
 *   busy           too many commands wait for the terminal, or this scanner scans already
 *   unauthorized   the key or login is not right, or not for this terminal
 *   rate_limited
 *   network        the relay could not be reached, or its answer was not understood
 */
export type ScanErrorCode = "timeout" | "cancelled" | "camera_error" | "offline" | "busy" | "unauthorized" | "rate_limited" | "network";

export interface ScanError extends Error {
  name: "ScanError";
  code: ScanErrorCode;
  /** Of the command, where one was made. */
  uuid: string | null;
}

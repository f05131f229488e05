import type { ScanErrorCode, ScanEvents, Scanner, ScannerOptions, ScanResult } from "./scan.d.ts";

const TIMEOUT_SECONDS = { min: 10, max: 600, usual: 120 } as const;
const POLL_MS = { min: 500, usual: 2_000 } as const;
/** Of one request; the relay itself answers within 10 s. */
const REQUEST_TIMEOUT_MS = 12_000;
/** How long a command is sent again, under its uuid, while the relay cannot be reached. */
const SEND_FOR_MS = 15_000;
/** How long a terminal that was asked to cancel has to say how it ended. */
const CANCEL_GRACE_MS = 5_000;

const MESSAGES: Readonly<Record<ScanErrorCode, string>> = {
  timeout: "Nobody scanned in time.",
  cancelled: "The scan was cancelled.",
  camera_error: "The terminal could not scan. Check its camera.",
  offline: "The terminal is not connected. Check that it is on and online.",
  busy: "The terminal is busy. Try again in a moment.",
  unauthorized: "This key or login is not allowed to scan on this terminal.",
  rate_limited: "Too many requests. Try again in a moment.",
  network: "The relay could not be reached. Check the connection.",
};

class ScanFailure extends Error {
  override readonly name = "ScanError";
  readonly code: ScanErrorCode;
  readonly uuid: string | null;

  constructor(code: ScanErrorCode, uuid: string | null) {
    super(MESSAGES[code]);
    this.code = code;
    this.uuid = uuid;
  }
}

/** What became of one request: its status and body; null where there was no answer that can be read. */
type Answer = { status: number; body: { readonly [name: string]: unknown } } | null;
type Listeners = { [E in keyof ScanEvents]: Set<(detail: ScanEvents[E]) => void> };

export function createScanner(options: ScannerOptions): Scanner {
  const { terminalId, timeoutSeconds = TIMEOUT_SECONDS.usual, pollMs = POLL_MS.usual, signal } = options;
  if (!(timeoutSeconds >= TIMEOUT_SECONDS.min && timeoutSeconds <= TIMEOUT_SECONDS.max)) {
    throw new RangeError(`timeoutSeconds has to be from ${TIMEOUT_SECONDS.min} to ${TIMEOUT_SECONDS.max}`);
  }
  // A longer pause than the whole scan would never look.
  if (!(pollMs >= POLL_MS.min && pollMs <= timeoutSeconds * 1_000)) {
    throw new RangeError(`pollMs has to be at least ${POLL_MS.min}, and no longer than the timeout`);
  }
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(terminalId)) throw new TypeError("terminalId is not the id of a terminal");
  const request = createRequest(options);
  const listeners: Listeners = { sent: new Set(), waiting: new Set(), result: new Set(), error: new Set() };
  const tell = <E extends keyof ScanEvents>(event: E, detail: ScanEvents[E]) => {
    for (const listener of [...listeners[event]]) {
      try {
        listener(detail);
      } catch (error) {
        // The page's mistake: shown in its console, and no reason to lose the scan.
        setTimeout(() => {
          throw error;
        });
      }
    }
  };
  let current: Stop | null = null;

  /** One scan from its command to its end. Throws a ScanFailure. */
  const run = async (stop: Stop): Promise<ScanResult> => {
    const startedMs = performance.now();
    const uuid = newUuid();
    const elapsedMs = () => performance.now() - startedMs;
    /** The result, or null while there is none. */
    const look = async (): Promise<ScanResult | null> => resultIn(await request("GET", `${uuid}/uuid`), uuid);
    let state: string | null = null;
    const cancelAndLookOnce = async (code: ScanErrorCode): Promise<ScanResult> => {
      const cancelled = await request("POST", `commands/${uuid}/cancel`, {});
      const found = await look().catch((error) => {
        // That the cancel was obeyed is no news; anything else that the terminal says is.
        if (error instanceof ScanFailure && error.code === "cancelled") return null;
        throw error;
      });
      if (found !== null) return found;
      // The cancel ended a command that had never left (200), or that had expired (409): the terminal did not come for it.
      const neverLeft = state === "queued" && (cancelled?.status === 200 || cancelled?.status === 409);
      throw new ScanFailure(code === "timeout" && neverLeft ? "offline" : code, uuid);
    };

    while (!(await send(request, terminalId, uuid))) {
      if (stop.requested) return cancelAndLookOnce("cancelled");
      if (elapsedMs() > SEND_FOR_MS) return cancelAndLookOnce("network");
      await stop.pause(POLL_MS.min);
    }
    tell("sent", { uuid });

    let reached = true;
    let giveUpAtMs = timeoutSeconds * 1_000;
    let cancelAsked = false;
    for (;;) {
      if (stop.requested && !cancelAsked) {
        cancelAsked = true;
        giveUpAtMs = Math.min(giveUpAtMs, elapsedMs() + CANCEL_GRACE_MS);
        await request("POST", `commands/${uuid}/cancel`, {});
      }
      const life = await request("GET", `commands/${uuid}`);
      if (life?.status === 401 || life?.status === 403) throw new ScanFailure("unauthorized", uuid);
      state = life?.status === 200 ? textIn(objectIn(life.body["data"]), "state") : null;
      reached = state !== null;
      if (state === "done") {
        const found = await look();
        if (found !== null) return found;
      }
      if (state === "cancelled") throw new ScanFailure("cancelled", uuid);
      // It never left the relay: the terminal did not come for it while the command lived.
      if (state === "expired") throw new ScanFailure(cancelAsked ? "cancelled" : "offline", uuid);
      if (elapsedMs() >= giveUpAtMs) return cancelAndLookOnce(cancelAsked ? "cancelled" : reached ? "timeout" : "network");
      if (state !== null) tell("waiting", { uuid, state, elapsedMs: Math.round(elapsedMs()) });
      // Once a cancel is on its way nothing interrupts the pause any more.
      const pauseMs = Math.min(pollMs, Math.max(0, giveUpAtMs - elapsedMs()));
      await (cancelAsked ? new Promise((resolve) => setTimeout(resolve, Math.min(pauseMs, POLL_MS.min))) : stop.pause(pauseMs));
    }
  };

  return {
    async scan() {
      if (current !== null) throw new ScanFailure("busy", null);
      const stop = new Stop();
      current = stop;
      const aborted = () => stop.request();
      signal?.addEventListener("abort", aborted);
      try {
        if (signal?.aborted === true) throw new ScanFailure("cancelled", null);
        const result = await run(stop);
        tell("result", result);
        return result;
      } catch (error) {
        if (error instanceof ScanFailure) tell("error", error);
        throw error;
      } finally {
        signal?.removeEventListener("abort", aborted);
        current = null;
      }
    },
    cancel: () => current?.request(),
    on(event, handler) {
      listeners[event].add(handler);
      return () => void listeners[event].delete(handler);
    },
  };
}

/** The wish to end a scan, which ends its pause at once. */
class Stop {
  requested = false;
  #wake: () => void = () => {};

  request(): void {
    this.requested = true;
    this.#wake();
  }

  pause(ms: number): Promise<void> {
    if (this.requested) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

type Request = (method: "GET" | "POST", path: string, body?: object) => Promise<Answer>;

function createRequest({ baseUrl, apiKey, headers }: ScannerOptions): Request {
  const base = `${baseUrl.replace(/\/+$/, "")}/api/v1/`;
  // With a key no login of the browser's is wanted: where the key is refused, the browser would ask the user for one, and the scan would wait.
  const credentials = apiKey === undefined ? "same-origin" : "omit";
  return async (method, path, body) => {
    const sent: { [name: string]: string } = { ...(await headers?.()), ...(apiKey === undefined ? {} : { "API-Key": apiKey }) };
    if (body !== undefined) sent["Content-Type"] = "application/json";
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), REQUEST_TIMEOUT_MS);
    try {
      const init: RequestInit = { method, headers: sent, credentials, cache: "no-store", signal: limit.signal };
      const response = await fetch(base + path, body === undefined ? init : { ...init, body: JSON.stringify(body) });
      return { status: response.status, body: objectIn(await response.json()) };
    } catch {
      return null;
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Whether the relay has the command; false where nobody knows, and it is to be sent again under its uuid. Throws where it is refused. */
async function send(request: Request, terminalId: string, uuid: string): Promise<boolean> {
  const answer = await request("POST", `${terminalId}/scan`, { uuid });
  if (answer === null || answer.status >= 500) return false;
  const { status, body } = answer;
  if (status === 200) return true;
  // The answer to an earlier attempt was lost.
  if (status === 400 && (textIn(body, "error") ?? "").startsWith("Duplicate")) return true;
  if (status === 401 || status === 403) throw new ScanFailure("unauthorized", uuid);
  if (status === 429) throw new ScanFailure(body["code"] === "terminal_queue_full" ? "busy" : "rate_limited", uuid);
  throw new ScanFailure("network", uuid);
}

/** Throws where the terminal says that it has no value. */
function resultIn(answer: Answer, uuid: string): ScanResult | null {
  const data = objectIn(answer?.body["data"]);
  if (answer?.status !== 200 || data["uuid"] === undefined) return null;
  const scan = objectIn(data["scan"]);
  const value = textIn(scan, "scannedValue");
  if (scan["scanResult"] === "OK" && value !== null) return { value, format: textIn(scan, "barcodeFormat"), uuid };
  throw new ScanFailure(scan["scanResult"] === "CANCELLED" ? "cancelled" : "camera_error", uuid);
}

function objectIn(value: unknown): { readonly [name: string]: unknown } {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function textIn(object: { readonly [name: string]: unknown }, name: string): string | null {
  const value = object[name];
  return typeof value === "string" ? value : null;
}

/** `crypto.randomUUID` is missing on pages without TLS, which tills have. */
function newUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const [version = 0, variant = 0] = [bytes[6], bytes[8]];
  bytes[6] = (version & 0x0f) | 0x40;
  bytes[8] = (variant & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

import type { TerminalFamilyName } from "../../../engine/payments/tags.ts";

/** A simulated terminal; everything but `terminalId` has a default. */
export interface SimulatedTerminalOptions {
  terminalId: string;
  /** Base address of the relay; `/ws` and `/api/v1/` are found below it. */
  url?: string;
  /** The fleet's sandbox credential by default; a terminal's own login is its id. */
  username?: string;
  password?: string;
  /** `websocket`: STOMP on `/ws`. `poll`: `GET /api/v1/{terminalId}/get`. */
  link?: "websocket" | "poll";
  family?: TerminalFamilyName;
  /** Declares that it remembers uuids, and so may get an unacknowledged command again. */
  redeliver?: boolean;
  /** ACK mode of its subscription; `client-individual` where it declares `redeliver`. */
  ack?: "auto" | "client" | "client-individual";
  /** How long a command takes. */
  latencyMs?: number;
  slowMs?: number;
  /** When the result of the "late" row is posted; longer than the relay waits before it shows `unknown`. */
  lateAfterMs?: number;
  pollIntervalMs?: number;
  scanValue?: string;
  scanFormat?: string;
  scanOutcome?: "ok" | "cancelled" | "error";
  /** Sends the slip with the result of a payment; true unless it is false. */
  slips?: boolean;
  /** Keeps results that were not acknowledged, and uuids that were seen, over a restart. */
  stateFile?: string;
  /** All waits are divided by this; 1 is real time. For tests and load. */
  speed?: number;
  /** Jitter of back-offs, 0 up to 1. */
  random?: () => number;
  onEvent?: (event: TerminalEvent) => void;
}

export type Settings = Required<Omit<SimulatedTerminalOptions, "family" | "stateFile">> & {
  family: TerminalFamilyName | null;
  stateFile: string | null;
};

/** Events for the log and for tests; without card data. */
export type TerminalEvent =
  | { type: "online"; link: "websocket" | "poll" }
  | { type: "offline"; reason: string; retryMs: number }
  | { type: "received"; uuid: string; service: string; amountCents: number }
  | { type: "repeated"; uuid: string }
  | { type: "ignored"; reason: string }
  | { type: "executed"; uuid: string; outcome: string }
  | { type: "cancelled"; uuid: string }
  | { type: "posted"; uuid: string }
  | { type: "not_posted"; uuid: string; reason: string; retryMs: number }
  | { type: "refused"; uuid: string; status: number }
  | { type: "update_offered"; versionCode: number | null }
  | { type: "configured" };

export function settingsOf(options: SimulatedTerminalOptions): Settings {
  return {
    terminalId: options.terminalId,
    url: (options.url ?? "http://127.0.0.1:8080").replace(/\/+$/, ""),
    username: options.username ?? "terminal",
    password: options.password ?? "terminal",
    link: options.link ?? "websocket",
    family: options.family ?? null,
    redeliver: options.redeliver ?? false,
    ack: options.redeliver === true ? "client-individual" : (options.ack ?? "auto"),
    latencyMs: options.latencyMs ?? 1_000,
    slowMs: options.slowMs ?? 10_000,
    lateAfterMs: options.lateAfterMs ?? 310_000,
    pollIntervalMs: options.pollIntervalMs ?? 1_000,
    scanValue: options.scanValue ?? "4006381333931",
    scanFormat: options.scanFormat ?? "EAN_13",
    scanOutcome: options.scanOutcome ?? "ok",
    slips: options.slips ?? true,
    stateFile: options.stateFile ?? null,
    speed: options.speed ?? 1,
    random: options.random ?? Math.random,
    onEvent: options.onEvent ?? (() => undefined),
  };
}

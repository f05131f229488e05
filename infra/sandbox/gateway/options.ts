/** The simulated faults. All of them can be changed while the gateway is running (`PATCH /control`). */
export interface Faults {
  /**
   * `none`; `refuse`: connections are closed unanswered; `error`: 503; `hang`: no answer; `drop_answer`: the request is executed, and its
   * response is lost.
   */
  outage: "none" | "refuse" | "error" | "hang" | "drop_answer";
  /** Operations with the outage. */
  outageOf: readonly Operation[];
  /** How long each response takes. */
  latencyMs: number;
  /** How long after a payment its notification is sent. */
  notifyDelayMs: number;
  /** Of each notification: sent `once`, `twice`, or `never`. */
  notify: "once" | "twice" | "never";
  notifySignature: "right" | "wrong" | "absent";
}

export type Operation = "init" | "verify" | "capture" | "reversal" | "refund";
export const OPERATIONS: readonly Operation[] = ["init", "verify", "capture", "reversal", "refund"];

export const NO_FAULTS: Faults = {
  outage: "none",
  outageOf: OPERATIONS,
  latencyMs: 0,
  notifyDelayMs: 0,
  notify: "once",
  notifySignature: "right",
};

export interface SandboxGatewayOptions {
  /** Loopback only: cards are typed into its page, and its control endpoints are open. */
  host?: string;
  /** 0 takes a free one. */
  port?: number;
  /** Secrets by merId. */
  merchants?: { readonly [merId: string]: string };
  /** Secret of every other merId. */
  secret?: string;
  /** Keeps payments over a restart; without it they are in memory. */
  stateFile?: string;
  faults?: Partial<Faults>;
  onEvent?: (event: GatewayEvent) => void;
}

/** Events for the log and for tests; without card data. */
export type GatewayEvent =
  | { type: "listening"; url: string; pid: number }
  | { type: "answered"; operation: string; status: number; resultCode: string; txId: string }
  | { type: "charged"; id: string; answer: string }
  | { type: "ended"; paymentId: string; txId: string; resultCode: string }
  | { type: "notified"; txId: string; status: number }
  | { type: "not_notified"; txId: string; reason: string; retryMs: number | null };

/** The account of the sandbox relay's demo partner; `npm run gateway` knows it. Known to everyone, as all of the sandbox. */
export const SANDBOX_GATEWAY_ACCOUNT = {
  terminalId: "SANDBOX1",
  merchantId: "SANDBOXMER1",
  secret: "sandbox-gateway-secret-of-the-demo-partner",
};

/** The secret of a merchant that is not registered. Known to everyone, as all of the sandbox. */
export const SANDBOX_SECRET = "sandbox-gateway-secret";

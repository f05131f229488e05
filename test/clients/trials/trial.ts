/** The tables of infra/docs/clients.md, in order. */
export const TRIAL_GROUPS = ["ClickHouse", "STOMP", "HTTP", "HTTP signatures", "OpenAPI generators"] as const;
export type TrialGroup = (typeof TRIAL_GROUPS)[number];

/**
 * A client that somebody else wrote, tried against a real relay: one row of infra/docs/clients.md, which a test holds to this list. `run` does what
 * `tried` says; where the row says that something cannot be done, `run` asks for it and checks what the client is told.
 */
export interface ClientTrial {
  readonly group: TrialGroup;
  /** The client's own name, as its registry has it. */
  readonly client: string;
  readonly version: string;
  /** What was tried: plain words, one line. */
  readonly tried: string;
  /** `works`, or what its users have to know: one line. */
  readonly result: string;
  /** `npm test` runs it too: it needs nothing but this project's own packages, and takes seconds. */
  readonly quick?: true;
  /** Why it cannot be tried on this machine (a toolchain, a registry); null where it can. In CI a reason is a failure. Installs what it needs. */
  prepare(): Promise<string | null>;
  /** Rejects, with what the client said, where it is not as the row says. */
  run(): Promise<void>;
}

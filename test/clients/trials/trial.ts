/** The tables of infra/docs/clients.md, in order. */
export const TRIAL_GROUPS = ["ClickHouse", "STOMP", "HTTP", "HTTP signatures", "OpenAPI generators", "Model Context Protocol"] as const;
export type TrialGroup = (typeof TRIAL_GROUPS)[number];

/**
 * A client that somebody else wrote, tried against a real relay: one row of infra/docs/clients.md, which a test holds to this list. `run` does what
 * `tried` says; where the row says that something cannot be done, `run` asks for it and checks what the client is told. What the trials of a group share, such
 * as a relay, is started by the first that needs it: `shared` of shared.ts.
 */
export interface ClientTrial {
  readonly group: TrialGroup;
  /** The client's own name, as its registry has it. */
  readonly client: string;
  /** As it is pinned; with a `+` where the machine's own is used, which is that or newer. */
  readonly version: string;
  /** What was tried: plain words, one line. */
  readonly tried: string;
  /** `works`, or what its users have to know: one line. */
  readonly result: string;
  /** `npm test` runs it too: it needs nothing but this project's own packages, and takes seconds. */
  readonly quick?: true;
  /**
   * Installs what it needs, beside the preparation of others. Why it cannot be tried on this machine (a toolchain, a registry); null where it can. In CI a reason is
   * a failure.
   */
  prepare(): Promise<string | null>;
  /** Rejects, with what the client said, where it is not as the row says. */
  run(): Promise<void>;
}

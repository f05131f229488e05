/** How long an entry of the audit log is kept. */
export const AUDIT_LIFETIME_MS = 400 * 86_400_000;

/** Entries that are kept; beyond it the oldest go, however young they are. A thousand changes a week for two years. */
export const AUDIT_ENTRIES_MAX = 100_000;

/** One administrative change: who, when, from where, what. Never holds a secret, nor any value that was sent. */
export interface AuditEntry {
  atMs: number;
  /** `administrator`, `partner:7`: as a command's sender is named. */
  actor: string;
  /** The login's name. */
  username: string;
  ipAddress: string;
  requestId: string;
  /** `noun.verb`. */
  action: string;
  /** Id or name of what was changed. */
  subject: string;
  /** Names of the members that were sent, without their values. */
  members: readonly string[];
  outcome: AuditOutcome;
}

/** `begun` stays where the node died on the way: whether it happened is then not known. `refused` carries the reason's code. */
export type AuditOutcome = { type: "begun" } | { type: "done" } | { type: "refused"; code: string };

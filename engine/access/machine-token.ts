/**
 * What a machine token may be permitted to do. `read`: look at what administrators with the role
 * `read-only` see. `payments`: send payments, scans, prints and commands to any terminal, cancel
 * them, and make its links. `terminals`: terminals, their settings, groups, rules, logs and cash
 * registers. `apps`: versions and roll-outs of the app. `disputes`: disputes and alerts of
 * networks, with their evidence. `webhooks`: send webhooks and callbacks again, disable endpoints.
 * `operation`: drain nodes, clean up, take away what needed attention, limit the calls of
 * merchants. None administers people, secrets or factors.
 */
export const MACHINE_RIGHTS = ["read", "payments", "terminals", "apps", "disputes", "webhooks", "operation"] as const;
export type MachineRight = (typeof MACHINE_RIGHTS)[number];

/** Machine tokens of one installation. */
export const MACHINE_TOKENS_MAX = 100;

/** How long a token counts: long enough for a yearly renewal, and as a rule for a quarter. */
export const MACHINE_TOKEN_DAYS_MAX = 366;
export const MACHINE_TOKEN_DAYS_DEFAULT = 90;

/** A login of a program of the operators: its name and its token are sent as Basic. */
export interface MachineTokenRecord {
  readonly schema: 1;
  /** Unique among administrators, partners and machine tokens, regardless of case. */
  readonly name: string;
  readonly rights: readonly MachineRight[];
  /** SHA-256 (hex): the token is long and random, and shown once. */
  readonly tokenSha256: string;
  readonly expiresAtMs: number;
  readonly createdAtMs: number;
  /** The administrator who made it. */
  readonly createdBy: string;
}

import type { AdministratorRole } from "../access/administrator-role.ts";

/** One administrative change: who, when, from where, what. Never holds a secret, nor any value that was sent but a reason that was given for the log. */
export interface AuditEntry {
  atMs: number;
  /** `administrator`, `partner:7`, `merchant:SHOP-001`: as a command's sender is named. */
  actor: string;
  /** The merchant that did it, or to which it was done: it is in the log of that merchant. Absent where it concerns none. */
  merchantId?: string;
  /** The login's name; a merchant's key has its merchant's id. */
  username: string;
  /** An administrator's at that time; absent for others, and in entries of before there were roles. */
  role?: AdministratorRole;
  ipAddress: string;
  requestId: string;
  /** `noun.verb`. */
  action: string;
  /** Id or name of what was changed. */
  subject: string;
  /** Names of the members that were sent, without their values. */
  members: readonly string[];
  /** Why, in the words of whoever did it. Absent where nobody said. */
  note?: string;
  outcome: AuditOutcome;
}

/** `begun` stays where the node died on the way: whether it happened is then not known. `refused` carries the reason's code. */
export type AuditOutcome = { type: "begun" } | { type: "done" } | { type: "refused"; code: string };

/** Whether a merchant did it itself, by one of its people or with its key. */
export function isMerchantsOwn({ actor, merchantId }: AuditEntry): boolean {
  return merchantId !== undefined && actor === `merchant:${merchantId}`;
}

import type { MerchantRole } from "../access/merchant-user-grant.ts";
import type { Locale } from "./account.ts";

/** Users of one merchant, invited ones too (spec, "Limits"). */
export const USERS_MAX = 5;

export const INVITATION_LIFETIME_MS = 72 * 3_600_000;

/** An invitation is sent again no sooner than this after the last time: mail takes a moment. */
export const RESEND_AFTER_MS = 60_000;

/** INVITED: has not accepted yet. DISABLED: a member that cannot sign in here. */
export type MemberState = "INVITED" | "ACTIVE" | "DISABLED";

/** All users of a merchant: one record, so that the limit and the last owner are decided in the commit that changes them. */
export interface TeamRecord {
  schema: 1;
  merchantId: string;
  members: readonly MemberRecord[];
  updatedAtMs: number;
}

export interface MemberRecord {
  /** `usr_` and 22 characters. */
  userId: string;
  /** Lower case; unique within the team. */
  email: string;
  role: MerchantRole;
  state: MemberState;
  /** Null while invited. */
  accountId: string | null;
  locale: Locale;
  /** When the last invitation was sent. */
  invitedAtMs: number;
  /** Of the invitation that is open: SHA-256 (hex) of its token, and when it ends. */
  invitation: Invitation | null;
  joinedAtMs: number | null;
}

export interface Invitation {
  tokenSha256: string;
  expiresAtMs: number;
  /** The merchant's partner made it. Absent in others. */
  by?: "partner";
}

/** A team that nobody is in yet. */
export function newTeam(merchantId: string): TeamRecord {
  return { schema: 1, merchantId, members: [], updatedAtMs: 0 };
}

/** The member that an account is at this merchant, whatever its state. */
export function memberOf(team: TeamRecord, accountId: string): MemberRecord | null {
  return team.members.find((member) => member.accountId === accountId) ?? null;
}

/** One that is invited may never come, so it does not count. */
export function isActiveOwner({ role, state }: Pick<MemberRecord, "role" | "state">): boolean {
  return role === "OWNER" && state === "ACTIVE";
}

import type { MerchantRole } from "../access/merchant-user-grant.ts";
import type { Locale } from "./account.ts";

/** Users of one merchant, invited ones too (spec, "Limits"). */
export const USERS_MAX = 5;

export const INVITATION_LIFETIME_MS = 72 * 3_600_000;

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
  invitedAtMs: number;
  /** Of the invitation that is open: SHA-256 (hex) of its token, and when it ends. */
  invitation: { tokenSha256: string; expiresAtMs: number } | null;
  joinedAtMs: number | null;
}

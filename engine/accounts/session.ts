import type { SessionStage } from "../access/merchant-user-grant.ts";
import { maskSchemePans } from "../kernel/mask.ts";

/** A session that is not used ends after this time. */
export const SESSION_IDLE_MS = 30 * 60_000;

/** And any session this long after its sign-in. */
export const SESSION_LIFETIME_MS = 12 * 3_600_000;

/** How long a sign-in may wait for its second factor. */
export const FACTOR_STAGE_MS = 5 * 60_000;

/** How long who has no second factor yet may take to enrol one. */
export const ENROL_STAGE_MS = 30 * 60_000;

/** A token that a fresh second factor replaces stays what it was for so long: requests of the same page are on their way with it. */
export const LINGERS_MS = 10_000;

/** How long a second factor counts for what needs a fresh one. */
export const STEP_UP_MS = 10 * 60_000;

/** The time of the last use is stored only after this time, so that a page that polls does not write with every request. */
export const LAST_USED_EVERY_MS = 60_000;

/** Full sessions of one account: a person has some devices, not dozens. The oldest goes. */
export const SESSIONS_MAX = 10;

/** Sign-ins of one account that wait for their second factor; apart, so that who knows only the password cannot end the full ones. */
export const UNFINISHED_SESSIONS_MAX = 3;

/** Wrong codes, after which a sign-in has to begin again with the password. */
export const WRONG_CODES_MAX = 5;

const USER_AGENT_LENGTH_MAX = 256;

/** A sign-in with one browser, as stored: a person's of the portal, or an administrator's. The token is in the cookie only. */
export interface SessionCore {
  schema: 1;
  /** SHA-256 (hex) of the token. */
  tokenSha256: string;
  /** `ses_` and 22 characters; stays the same while the token changes. */
  sessionId: string;
  accountId: string;
  stage: SessionStage;
  createdAtMs: number;
  /** To the minute. */
  lastUsedAtMs: number;
  /** When it ends, used or not. */
  endsAtMs: number;
  /** Until when the second factor counts as fresh; 0 for never. */
  steppedUpUntilMs: number;
  /** Codes that were tried for the second factor since the last right one. */
  codesTried: number;
  /** An authenticator app that is being enrolled, sealed. */
  pendingTotp: string | null;
  ipAddress: string;
  /** As the browser says, cut. */
  userAgent: string;
}

/** A person's session of the portal. */
export interface SessionRecord extends SessionCore {
  email: string;
  /** The merchant that it is at; null before the stage `full`, and for who is a member nowhere. */
  merchantId: string | null;
}

/** When the session ends by itself, as of its last use. */
export function sessionEndMs({ stage, lastUsedAtMs, endsAtMs }: Pick<SessionCore, "stage" | "lastUsedAtMs" | "endsAtMs">): number {
  return stage === "factor" ? endsAtMs : Math.min(endsAtMs, lastUsedAtMs + SESSION_IDLE_MS);
}

/** A browser's description of itself: printable, without card numbers, and no longer than a list shows. */
export function userAgentOf(header: string): string {
  return maskSchemePans(header.replace(/[^\x20-\x7e]/g, "")).slice(0, USER_AGENT_LENGTH_MAX);
}

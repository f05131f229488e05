import type { AgentScope } from "../access/agent-grant.ts";
import type { AGENT_CALL_OUTCOMES, AGENT_LIMITS, AGENT_STATES } from "./words.ts";

/** Limits the usable credentials of a merchant in one environment. */
export const AGENT_CREDENTIALS_MAX = 20;

export const AGENT_CALLS_MAX = 20;

export type AgentCredentialState = (typeof AGENT_STATES)[number];

export type AgentLimit = (typeof AGENT_LIMITS)[number];

/** Amounts are in minor units of `currency`. */
export interface AgentLimits {
  /** ISO 4217, upper case. Links in another currency are rejected. */
  readonly currency: string;
  readonly perLinkMaxMinor: number;
  /** For one day in the installation's time zone. Unpaid links make no room on the same day. */
  readonly perDayMinor: number;
  /** For all links. Links that end unpaid make room again. */
  readonly totalMinor: number;
  /** In any 60 minutes. */
  readonly linksPerHour: number;
}

export const NO_AGENT_LIMITS: AgentLimits = { currency: "EUR", perLinkMaxMinor: 0, perDayMinor: 0, totalMinor: 0, linksPerHour: 0 };

/** `key`: the merchant's secret key. Older records do not have `keyId`. */
export type AgentCredentialCreator = { readonly type: "user"; readonly userId: string } | { readonly type: "key"; readonly keyId?: string };

/** `rotation`: the key that made it leaked and was replaced. */
export type AgentCredentialRevoker = AgentCredentialCreator | { readonly type: "rotation" };

/** The sums over the links of a credential. The commits that change the links update them. */
export interface AgentReserved {
  /** Includes links that are paid, can be paid, or were paid late. */
  readonly totalMinor: number;
  /** The latest day on which a link was made, and the sum of that day. */
  readonly day: string | null;
  readonly dayMinor: number;
  /** All links that it has made, whatever their outcome. */
  readonly links: number;
}

/**
 * It makes payment links for its merchant within its limits, and reads what its scopes permit.
 *
 * - ACTIVE: it is usable.
 * - EXHAUSTED: its links have reached `totalMinor`. It makes links again after one ends unpaid.
 * - EXPIRED: its time is over.
 * - REVOKED: by its merchant.
 */
export interface AgentCredentialRecord {
  readonly schema: 1;
  /** `ac_` and 24 letters or digits, derived from the operation that created it. */
  readonly id: string;
  readonly merchantId: string;
  readonly partnerId: number;
  readonly livemode: boolean;
  /** A label for people, not meant for personal data. */
  readonly name: string;
  /** SHA-256 (hex) of its token. The token is shown once and not stored. */
  readonly digest: string;
  /** The last characters of the token, so that its owner recognises it. */
  readonly last4: string;
  readonly scopes: readonly AgentScope[];
  readonly limits: AgentLimits;
  /** Addresses and networks (CIDR) from which it may be used; empty: any. */
  readonly ipAllow: readonly string[];
  readonly createdBy: AgentCredentialCreator;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly expiresAtMs: number;
  readonly state: AgentCredentialState;
  readonly reserved: AgentReserved;
  readonly revokedAtMs: number | null;
  readonly revokedBy: AgentCredentialRevoker | null;
  /** When the relay checks it next without a request; null if never again. */
  readonly nextAtMs: number | null;
  readonly events: number;
}

export interface AgentCall {
  readonly atMs: number;
  readonly tool: string;
  readonly outcome: AgentCallOutcome;
  /** SHA-256 (hex) of the arguments, which are not stored. */
  readonly argumentsDigest: string;
}

export type AgentCallOutcome = (typeof AGENT_CALL_OUTCOMES)[number];

/** It is written at most once a second. A crash loses what was not written. */
export interface AgentUse {
  readonly schema: 1;
  readonly lastUsedAtMs: number | null;
  /** The newest come first. */
  readonly calls: readonly AgentCall[];
  /** Orders for links that a limit rejected. */
  readonly refused: { readonly [Limit in AgentLimit]: number };
}

export const NO_AGENT_USE: AgentUse = {
  ...{ schema: 1, lastUsedAtMs: null, calls: [] },
  refused: { currency: 0, perLinkMax: 0, perDay: 0, total: 0, linksPerHour: 0 },
};

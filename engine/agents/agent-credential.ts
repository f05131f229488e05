import type { AgentScope } from "../access/agent-grant.ts";

/** Credentials of a merchant that can still be used, in one environment. */
export const AGENT_CREDENTIALS_MAX = 20;

export const AGENT_NAME_LENGTH_MAX = 64;
export const AGENT_ADDRESSES_MAX = 20;

/** How long a credential counts: what nobody renews ends. */
export const AGENT_DAYS_MAX = 90;
export const AGENT_DAYS_DEFAULT = 30;

export const AGENT_LINKS_PER_HOUR_MAX = 1_000;
export const AGENT_LINKS_PER_HOUR_DEFAULT = 20;

/** Calls that are kept to be shown. */
export const AGENT_CALLS_MAX = 20;

export const AGENT_STATES = ["ACTIVE", "EXHAUSTED", "EXPIRED", "REVOKED"] as const;
export type AgentCredentialState = (typeof AGENT_STATES)[number];

/** What an order was refused by. `currency`: it is not the credential's. */
export const AGENT_LIMITS = ["currency", "perLinkMax", "perDay", "total", "linksPerHour"] as const;
export type AgentLimit = (typeof AGENT_LIMITS)[number];

/** What the links of a credential may come to; amounts in minor units of `currency`. */
export interface AgentLimits {
  /** ISO 4217, upper case; links in another one are refused. */
  readonly currency: string;
  readonly perLinkMaxMinor: number;
  /** Of all links made on one day of the installation's time zone. What ends unpaid does not come back before the next day. */
  readonly perDayMinor: number;
  /** Of all links, for as long as the credential counts. What ends unpaid comes back. */
  readonly totalMinor: number;
  /** In any 60 minutes. */
  readonly linksPerHour: number;
}

/** Of a credential that makes no links. */
export const NO_AGENT_LIMITS: AgentLimits = { currency: "EUR", perLinkMaxMinor: 0, perDayMinor: 0, totalMinor: 0, linksPerHour: 0 };

/** Who made it. `key`: the merchant's secret key; `keyId` is absent in records from before it was kept. */
export type AgentCredentialCreator = { readonly type: "user"; readonly userId: string } | { readonly type: "key"; readonly keyId?: string };

/** `rotation`: the key that made it leaked and was replaced. */
export type AgentCredentialRevoker = AgentCredentialCreator | { readonly type: "rotation" };

/** What the links of a credential have come to, changed by the commits that change those links. */
export interface AgentReserved {
  /** Of links that are paid or can be, and of those that were paid late. */
  readonly totalMinor: number;
  /** The latest day on which one was made, and what was made on it. */
  readonly day: string | null;
  readonly dayMinor: number;
  /** Links that it has made, whatever became of them. */
  readonly links: number;
}

/**
 * A credential of an AI agent: it makes payment links in its merchant's name within its limits, and reads what its scopes say.
 *
 *   ACTIVE     it can be used
 *   EXHAUSTED  its links have come to `totalMinor`: it makes no more until one of them ends unpaid, and reads all the same
 *   EXPIRED    its time is over
 *   REVOKED    by its merchant
 */
export interface AgentCredentialRecord {
  readonly schema: 1;
  /** `ac_` and 24 letters or digits, derived from the operation that created it. */
  readonly id: string;
  readonly merchantId: string;
  readonly partnerId: number;
  readonly livemode: boolean;
  /** For people; no personal data is asked for. */
  readonly name: string;
  /** SHA-256 (hex) of its token, which is shown once and not stored. */
  readonly digest: string;
  /** By which its owner recognises it. */
  readonly last4: string;
  readonly scopes: readonly AgentScope[];
  readonly limits: AgentLimits;
  /** Addresses and networks (CIDR) from which it may be used; empty for any. */
  readonly ipAllow: readonly string[];
  readonly createdBy: AgentCredentialCreator;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly expiresAtMs: number;
  readonly state: AgentCredentialState;
  readonly reserved: AgentReserved;
  readonly revokedAtMs: number | null;
  readonly revokedBy: AgentCredentialRevoker | null;
  /** When the relay looks at it next by itself; null: not any more. */
  readonly nextAtMs: number | null;
  /** Webhook events of it so far. */
  readonly events: number;
}

/** One call of an agent, as it is shown to its merchant. */
export interface AgentCall {
  readonly atMs: number;
  /** A tool's name. */
  readonly tool: string;
  readonly outcome: AgentCallOutcome;
  /** SHA-256 (hex) of the arguments, which are not kept. */
  readonly argumentsDigest: string;
}

/** `refused`: by the agent's own scopes or limits, or because the arguments are none. `failed`: for a reason that lies with the relay. */
export const AGENT_CALL_OUTCOMES = ["done", "refused", "failed"] as const;
export type AgentCallOutcome = (typeof AGENT_CALL_OUTCOMES)[number];

/** What a credential was used for. Written at most once a second; what was not written when a node dies is lost. */
export interface AgentUse {
  readonly schema: 1;
  readonly lastUsedAtMs: number | null;
  /** The newest first. */
  readonly calls: readonly AgentCall[];
  /** Orders for links that a limit refused. */
  readonly refused: { readonly [Limit in AgentLimit]: number };
}

/** Of one that was never used. */
export const NO_AGENT_USE: AgentUse = {
  ...{ schema: 1, lastUsedAtMs: null, calls: [] },
  refused: { currency: 0, perLinkMax: 0, perDay: 0, total: 0, linksPerHour: 0 },
};

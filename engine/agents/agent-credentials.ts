import type { AgentGrant, AgentScope } from "../access/agent-grant.ts";
import type { KeyProof } from "../access/made-by-key.ts";
import type { PortalLinkOrder, PortalLinkRecord, PortalLinkState } from "../portal-links/portal-link.ts";
import type { PortalLinkOwner } from "../portal-links/portal-links.ts";
import type { RequestContext } from "../workflow/workflow.ts";
import type {
  AgentCall,
  AgentCredentialCreator,
  AgentCredentialRecord,
  AgentCredentialState,
  AgentLimit,
  AgentLimits,
  AgentUse,
} from "./agent-credential.ts";

/** A credential as it is asked for. */
export interface AgentCredentialOrder {
  readonly name: string;
  readonly scopes: readonly AgentScope[];
  readonly limits: AgentLimits;
  readonly ipAllow: readonly string[];
  readonly expiresAtMs: number;
}

/** With what it was used for. */
export interface SeenAgentCredential {
  readonly credential: AgentCredentialRecord;
  readonly use: AgentUse;
  /** Links that it made in the last 60 minutes, which count for `linksPerHour`. */
  readonly linksInHour: number;
}

export interface AgentCredentialQuery {
  readonly limit: number;
  /** The `next` of the page before. */
  readonly cursor: string | null;
  readonly state: AgentCredentialState | null;
}

export interface AgentLinkQuery {
  readonly limit: number;
  readonly cursor: string | null;
  readonly state: PortalLinkState | null;
  /** Created within; null: no bound. */
  readonly fromMs: number | null;
  readonly beforeMs: number | null;
  /** Exactly this one. */
  readonly reference: string | null;
}

/**
 * Why a token that was one opens nothing. `address`: not from where the call comes. `inactive`: its merchant is deactivated, or its partner disabled. `environment`: its merchant has been
 * moved to the other one, where nobody sees the credential to revoke it.
 */
export type AgentRefusal = "revoked" | "expired" | "address" | MerchantRefusal;
export type MerchantRefusal = "inactive" | "environment";

export type AgentLinkOutcome =
  | { readonly type: "created"; readonly link: PortalLinkRecord }
  /** The merchant's partner has no account at the card gateway. */
  | { readonly type: "no_account" }
  /** The merchant is in the other environment by now. */
  | { readonly type: "other_environment" }
  /** `limit` refused it: it has room for `roomMinor` (null where it is not about amounts), from `retryAtMs` on for more (null where only an end of other links makes room). */
  | {
      readonly type: "refused";
      readonly limit: AgentLimit;
      readonly limits: AgentLimits;
      readonly roomMinor: number | null;
      readonly retryAtMs: number | null;
    }
  /** It was revoked, or has expired, since the call was authenticated. */
  | { readonly type: "ended"; readonly state: "REVOKED" | "EXPIRED" };

/**
 * Credentials of AI agents, from any thread of any node. What is another merchant's, or of the other environment, is null as if it were not there. Every method rejects with
 * RelayError `unavailable` when the store cannot answer.
 */
export interface AgentCredentials {
  /**
   * Idempotent by the operation's id: a repetition gets the same token. `full`: AGENT_CREDENTIALS_MAX can still be used. Throws RelayError `invalid_request` naming the member
   * (name, scopes, currency, perLinkMaxMinor, perDayMinor, totalMinor, linksPerHour, ipAllow, expiresInDays),
   * and `unauthorized` where the key of the `proof` has ended meanwhile.
   */
  create(
    owner: PortalLinkOwner,
    order: AgentCredentialOrder,
    createdBy: AgentCredentialCreator,
    operation: RequestContext,
    proof?: KeyProof,
  ): Promise<{ type: "created"; credential: AgentCredentialRecord; token: string } | { type: "full" }>;
  /** Newest first. `next` null: no more. Throws RelayError `invalid_request` for a cursor that is none. */
  list(owner: PortalLinkOwner, query: AgentCredentialQuery): Promise<{ items: readonly SeenAgentCredential[]; next: string | null }>;
  show(owner: PortalLinkOwner, id: string): Promise<SeenAgentCredential | null>;
  /** Its next call is refused, on every node. One that has ended already is answered as it is. */
  revoke(owner: PortalLinkOwner, id: string, by: AgentCredentialCreator, operation: RequestContext): Promise<SeenAgentCredential | null>;
  /** All that can still be used; answers with those that it revoked. */
  revokeAll(owner: PortalLinkOwner, by: AgentCredentialCreator, operation: RequestContext): Promise<readonly AgentCredentialRecord[]>;
  /** Reads the store each time, so that a credential ends with the change that ends it, on every node. Null for no token. */
  byToken(token: string, ipAddress: string): Promise<AgentGrant | AgentRefusal | null>;
  /**
   * Makes a payment link; what it comes to is reserved in the link's own commit. Idempotent by the operation's id. Throws RelayError `invalid_request` naming the member of the order,
   * `rate_limited` beyond what its merchant may make in an hour, and `forbidden` without the scope `links:create`.
   */
  createLink(grant: AgentGrant, order: PortalLinkOrder, operation: RequestContext): Promise<AgentLinkOutcome>;
  /** Links that this credential made, newest first. */
  listLinks(grant: AgentGrant, query: AgentLinkQuery): Promise<{ items: readonly PortalLinkRecord[]; next: string | null }>;
  /** One that this credential made. */
  findLink(grant: AgentGrant, id: string): Promise<PortalLinkRecord | null>;
  /** The same as its merchant cancels it (engine/portal-links/portal-links.ts), of one that this credential made. */
  cancelLink(
    grant: AgentGrant,
    id: string,
    operation: RequestContext,
  ): Promise<{ type: "cancelled" | "not_pending"; link: PortalLinkRecord } | null>;
  /** Notes a call for its merchant to see, within a second or so. Never throws. */
  noteCall(grant: AgentGrant, call: Omit<AgentCall, "atMs">): void;
}

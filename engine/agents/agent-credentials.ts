import type { AgentGrant, AgentScope } from "../access/agent-grant.ts";
import type { KeyProof } from "../access/made-by-key.ts";
import type { MerchantParty } from "../kernel/merchant-scope.ts";
import type { PortalLinkOrder, PortalLinkRecord, PortalLinkState } from "../portal-links/portal-link.ts";
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

export interface AgentCredentialOrder {
  readonly name: string;
  readonly scopes: readonly AgentScope[];
  readonly limits: AgentLimits;
  readonly ipAllow: readonly string[];
  readonly expiresAtMs: number;
}

export interface SeenAgentCredential {
  readonly credential: AgentCredentialRecord;
  readonly use: AgentUse;
  /** Links of the last 60 minutes, which count for `linksPerHour`. */
  readonly linksInHour: number;
}

export interface AgentCredentialQuery {
  readonly limit: number;
  /** The `next` of the previous page. */
  readonly cursor: string | null;
  readonly state: AgentCredentialState | null;
}

export interface AgentLinkQuery {
  readonly limit: number;
  readonly cursor: string | null;
  readonly state: PortalLinkState | null;
  /** Bounds of the time of creation. */
  readonly fromMs: number | null;
  readonly beforeMs: number | null;
  readonly reference: string | null;
}

/**
 * `inactive`: the merchant is deactivated, or its partner disabled. `environment`: the merchant has
 * moved to the other environment, where it cannot see or revoke the credential.
 */
export type AgentRefusal = "revoked" | "expired" | "address" | MerchantRefusal;
export type MerchantRefusal = "inactive" | "environment";

export type AgentLinkOutcome =
  | { readonly type: "created"; readonly link: PortalLinkRecord }
  /** The merchant's partner has no account at the card gateway. */
  | { readonly type: "no_account" }
  /** The merchant has moved to the other environment. */
  | { readonly type: "other_environment" }
  /**
   * `roomMinor` is what `limit` still permits. `retryAtMs` is when it permits more (null if only
   * the end of other links does).
   */
  | {
      readonly type: "refused";
      readonly limit: AgentLimit;
      readonly limits: AgentLimits;
      readonly roomMinor: number | null;
      readonly retryAtMs: number | null;
    }
  /** The credential ended after the call was authenticated. */
  | { readonly type: "ended"; readonly state: "REVOKED" | "EXPIRED" };

/**
 * A credential of another merchant or environment gives null. Every method rejects with RelayError
 * `unavailable` when the store cannot answer.
 */
export interface AgentCredentials {
  /**
   * Idempotent by the operation's id: a repetition gets the same token. `full`: the merchant has
   * AGENT_CREDENTIALS_MAX usable ones. Throws RelayError `invalid_request` naming the member, and
   * `unauthorized` if the key of the `proof` has ended meanwhile.
   */
  create(
    owner: MerchantParty,
    order: AgentCredentialOrder,
    createdBy: AgentCredentialCreator,
    operation: RequestContext,
    proof?: KeyProof,
  ): Promise<{ type: "created"; credential: AgentCredentialRecord; token: string } | { type: "full" }>;
  /** The newest come first. Throws RelayError `invalid_request` for an invalid cursor. */
  list(owner: MerchantParty, query: AgentCredentialQuery): Promise<{ items: readonly SeenAgentCredential[]; next: string | null }>;
  show(owner: MerchantParty, id: string): Promise<SeenAgentCredential | null>;
  /** Every node rejects its next call. A credential that has already ended is unchanged. */
  revoke(owner: MerchantParty, id: string, by: AgentCredentialCreator, operation: RequestContext): Promise<SeenAgentCredential | null>;
  /** Revokes all usable credentials. Returns those that this call revoked. */
  revokeAll(owner: MerchantParty, by: AgentCredentialCreator, operation: RequestContext): Promise<readonly AgentCredentialRecord[]>;
  /** Reads the store each time, so that every node sees the end of a credential at once. */
  byToken(token: string, ipAddress: string): Promise<AgentGrant | AgentRefusal | null>;
  /**
   * Reserves the amount in the commit of the link. Idempotent by the operation's id. Throws
   * RelayError `invalid_request` naming the member, `rate_limited` over the merchant's limit of an
   * hour, and `forbidden` without the scope `links:create`.
   */
  createLink(grant: AgentGrant, order: PortalLinkOrder, operation: RequestContext): Promise<AgentLinkOutcome>;
  /** Lists only links that this credential made, newest first. */
  listLinks(grant: AgentGrant, query: AgentLinkQuery): Promise<{ items: readonly PortalLinkRecord[]; next: string | null }>;
  /** Finds only links that this credential made. */
  findLink(grant: AgentGrant, id: string): Promise<PortalLinkRecord | null>;
  /** Cancels only links that this credential made, like their merchant does (`PortalLinks`). */
  cancelLink(
    grant: AgentGrant,
    id: string,
    operation: RequestContext,
  ): Promise<{ type: "cancelled" | "not_pending"; link: PortalLinkRecord } | null>;
  /** Records a call. Its merchant sees it within about a second. Never throws. */
  noteCall(grant: AgentGrant, call: Omit<AgentCall, "atMs">): void;
}

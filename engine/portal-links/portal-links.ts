import type { MerchantParty } from "../kernel/merchant-scope.ts";
import type { GuardPart, RequestContext } from "../workflow/workflow.ts";
import type { PortalLinkCreator, PortalLinkOrder, PortalLinkRecord, PortalLinkState } from "./portal-link.ts";

export interface PortalLinkQuery {
  readonly limit: number;
  /** The `next` of the previous page. */
  readonly cursor: string | null;
  readonly state: PortalLinkState | null;
  /** Bounds of the time of creation. */
  readonly fromMs: number | null;
  readonly beforeMs: number | null;
  /** The exact address, in any case of letters. A keyed digest finds it. */
  readonly customerEmail: string | null;
  /** The exact id, reference, or id of an attempt. */
  readonly q: string | null;
  readonly agentId?: string | null;
  /** ISO 4217. */
  readonly currency?: string | null;
  /** By the time of creation; default: `newest`. */
  readonly order?: "newest" | "oldest";
}

export type PortalLinkMade =
  | { readonly type: "created"; readonly link: PortalLinkRecord }
  | { readonly type: "no_account" }
  | { readonly type: "other_environment" };

/**
 * A link of another merchant or environment gives null. Every method rejects with RelayError
 * `unavailable` when the store cannot answer.
 */
export interface PortalLinks {
  /**
   * Idempotent by the operation's id. Throws RelayError `invalid_request` naming the member, and
   * `rate_limited` over PORTAL_LINKS_PER_HOUR_MAX. `no_account`: the merchant's partner has no
   * account at the card gateway.
   */
  create(owner: MerchantParty, order: PortalLinkOrder, createdBy: PortalLinkCreator, operation: RequestContext): Promise<PortalLinkMade>;
  /** Counts for no limit, for links that the relay itself makes. */
  createUncounted: PortalLinks["create"];
  /**
   * Calls `beside` before each attempt to commit, unless the operation has already made its link.
   * `beside` adds entries to the commit or rejects the link.
   */
  createBeside<Refusal>(
    ...made: [
      ...Parameters<PortalLinks["create"]>,
      beside: (record: PortalLinkRecord) => Promise<GuardPart | { readonly refusal: Refusal }>,
    ]
  ): Promise<PortalLinkMade | Refusal>;
  find(owner: MerchantParty, id: string): Promise<PortalLinkRecord | null>;
  /** Throws RelayError `invalid_request` for an invalid cursor. */
  list(owner: MerchantParty, query: PortalLinkQuery): Promise<{ items: readonly PortalLinkRecord[]; next: string | null }>;
  /**
   * Asks the gateway about an open attempt, because a paid link cannot be cancelled. An open
   * attempt is still tracked. If it is paid later, the link is PAID late.
   */
  cancel(
    owner: MerchantParty,
    id: string,
    operation: RequestContext,
  ): Promise<{ type: "cancelled" | "not_pending"; link: PortalLinkRecord } | null>;
  /**
   * A null `email` means the customer of the order. `too_many`: PORTAL_LINK_MAILS_MAX. Throws
   * RelayError `rate_limited` if too many mails wait. Idempotent by the operation's id.
   */
  send(
    owner: MerchantParty,
    id: string,
    email: string | null,
    locale: "it" | "en",
    operation: RequestContext,
  ): Promise<{ type: "sent" | "not_pending" | "no_address" | "too_many"; link: PortalLinkRecord } | null>;
  /** For any caller that knows the token. Null: no link has it. */
  byToken(token: string): Promise<PortalLinkRecord | null>;
  /**
   * Returns the address of the open attempt, or begins one. Parallel calls share one attempt.
   * `closed`: the link is not payable, or its time is over. `not_yet`: the gateway has not
   * answered, or has not confirmed that nobody paid the expired attempt. `refused`: the gateway
   * rejects this payment.
   */
  pay(
    token: string,
  ): Promise<
    | { type: "payable"; link: PortalLinkRecord; url: string }
    | { type: "closed" | "not_yet" | "refused" | "too_many" | "inactive" | "no_account" | "other_environment"; link: PortalLinkRecord }
    | null
  >;
  /**
   * Asks the gateway about the open attempt when a customer returns, unless it was asked just
   * before.
   */
  verified(token: string): Promise<PortalLinkRecord | null>;
}

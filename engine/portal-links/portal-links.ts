import type { GuardPart, RequestContext } from "../workflow/workflow.ts";
import type { PortalLinkCreator, PortalLinkOrder, PortalLinkRecord, PortalLinkState } from "./portal-link.ts";

/** Whose links they are; from the session or the key, never from the request. */
export interface PortalLinkOwner {
  readonly merchantId: string;
  readonly partnerId: number;
  readonly livemode: boolean;
}

export interface PortalLinkQuery {
  readonly limit: number;
  /** The `next` of the page before. */
  readonly cursor: string | null;
  readonly state: PortalLinkState | null;
  /** Created within; null: no bound. */
  readonly fromMs: number | null;
  readonly beforeMs: number | null;
  /** Exactly this address, by a keyed digest; in any case of letters. */
  readonly customerEmail: string | null;
  /** An id, a reference (exactly), or the id of an attempt. */
  readonly q: string | null;
  /** Made by this credential of an AI agent; absent: by anybody. */
  readonly agentId?: string | null;
  /** ISO 4217; absent: of any. */
  readonly currency?: string | null;
}

export type PortalLinkMade =
  | { readonly type: "created"; readonly link: PortalLinkRecord }
  | { readonly type: "no_account" }
  | { readonly type: "other_environment" };

/**
 * The payment links of merchants, from any thread of any node. What is another merchant's, or of the other environment, is null as if it were not there. Every method rejects
 * with RelayError `unavailable` when the store cannot answer.
 */
export interface PortalLinks {
  /**
   * Idempotent by the operation's id. Throws RelayError `invalid_request` naming the member (amountMinor, currency, description, reference, customerEmail, expiresInHours), and
   * `rate_limited` beyond PORTAL_LINKS_PER_HOUR_MAX. `other_environment`: see `MerchantAccount`. `no_account`: the merchant's partner has no account at the card gateway.
   */
  create(owner: PortalLinkOwner, order: PortalLinkOrder, createdBy: PortalLinkCreator, operation: RequestContext): Promise<PortalLinkMade>;
  /** The same for what the relay itself asks customers for in the name of a merchant, such as the cycles of subscriptions: it counts for no limit. */
  createUncounted: PortalLinks["create"];
  /**
   * The same as `create`, with entries of `beside` in the link's own commit. It is asked before each attempt at that commit, and may refuse the link, which is then the answer; not where the operation has made its link
   * already.
   */
  createBeside<Refusal>(
    ...made: [
      ...Parameters<PortalLinks["create"]>,
      beside: (record: PortalLinkRecord) => Promise<GuardPart | { readonly refusal: Refusal }>,
    ]
  ): Promise<PortalLinkMade | Refusal>;
  find(owner: PortalLinkOwner, id: string): Promise<PortalLinkRecord | null>;
  /** Newest first. `next` null: no more. Throws RelayError `invalid_request` for a cursor that is none. */
  list(owner: PortalLinkOwner, query: PortalLinkQuery): Promise<{ items: readonly PortalLinkRecord[]; next: string | null }>;
  /** The gateway is asked first about an open attempt: what is paid already is not cancelled. An attempt that is open goes on being watched; paid later, the link is PAID late. */
  cancel(
    owner: PortalLinkOwner,
    id: string,
    operation: RequestContext,
  ): Promise<{ type: "cancelled" | "not_pending"; link: PortalLinkRecord } | null>;
  /**
   * Owes a mail with the link to `email`, else to the customer it was made for. `no_address`: neither is there. `too_many`: PORTAL_LINK_MAILS_MAX were sent. Throws RelayError
   * `rate_limited` where the merchant had too many mails written. Idempotent by the operation's id.
   */
  send(
    owner: PortalLinkOwner,
    id: string,
    email: string | null,
    locale: "it" | "en",
    operation: RequestContext,
  ): Promise<{ type: "sent" | "not_pending" | "no_address" | "too_many"; link: PortalLinkRecord } | null>;
  /** By its token, for whoever holds it; null for one that is none. */
  byToken(token: string): Promise<PortalLinkRecord | null>;
  /**
   * Somebody presses Pay: the open attempt's address, or that of a new one, at the gateway. However many press at once, there is one. `closed`: it cannot be paid (any more), as `link`
   * says; also while it is PENDING, where its time is over. `not_yet`: an earlier attempt has ended here, and the gateway has not said yet that nobody paid it; or the gateway has not
   * answered. `refused`: the gateway does not take this payment. `too_many`: PORTAL_LINK_ATTEMPTS_MAX. `inactive`: its merchant is deactivated.
   */
  pay(
    token: string,
  ): Promise<
    | { type: "payable"; link: PortalLinkRecord; url: string }
    | { type: "closed" | "not_yet" | "refused" | "too_many" | "inactive" | "no_account" | "other_environment"; link: PortalLinkRecord }
    | null
  >;
  /** Asks the gateway about the open attempt, unless it was asked just now; for who comes back from there. Null where there is none. */
  verified(token: string): Promise<PortalLinkRecord | null>;
}

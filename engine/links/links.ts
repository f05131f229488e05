import type { GatewayNotification } from "../gateway/card-gateway.ts";
import type { FollowUp, FollowUpRefusal, FollowUpType, LinkOrder, LinkRecord } from "./link.ts";
import type { LinkCause } from "./link-companion.ts";

/**
 * Payment links, from any thread of any node. Every method rejects with RelayError `unavailable` when the store cannot answer, and
 * with `too_busy` when too much is asked at once.
 */
export interface Links {
  /**
   * Stores the link, has the gateway create its payment and stores what came of it. Idempotent by the order's `txId`: asked again, it goes
   * on where the first attempt ended, and never creates a second payment.
   */
  create(order: LinkOrder, cause?: LinkCause | null): Promise<LinkCreated>;
  /** The same, unless a companion refuses that it comes to be: then there is no link, and the answer is null. */
  createUnlessRefused(order: LinkOrder, cause: LinkCause): Promise<LinkCreated | null>;
  /** Goes on with a link that was stored before, as `create` does when it is asked again. Null where there is none. */
  resume(txId: string, cause: LinkCause): Promise<LinkCreated | null>;
  /** Null where there is none. */
  byTxId(txId: string): Promise<LinkRecord | null>;
  /** By the gateway's names, among the links of one account. */
  byPaymentId(partnerId: number | null, paymentId: string): Promise<LinkRecord | null>;
  byTranId(partnerId: number | null, tranId: string): Promise<LinkRecord | null>;
  /**
   * Asks the gateway, unless it was asked just now; answers with the link as it stands then. `isFresh` is false where the gateway would have to be asked again,
   * because it did not answer: then the link is as it was. Null where there is none.
   */
  verify(txId: string): Promise<VerifiedLink | null>;
  /** The same also where it was asked just now. `asked` is false where the gateway did not answer. */
  verifyNow(txId: string): Promise<{ record: LinkRecord; asked: boolean } | null>;
  /** Has the gateway asked, and where it says that the link is not paid, revokes it: what is paid later is given back. Null where there is no link. */
  revoke(txId: string, cause: LinkCause): Promise<LinkRevoked | null>;
  /** Takes a notification in: stored before this resolves, verified afterwards. What is unknown or wrongly signed changes nothing. */
  notified(notification: GatewayNotification, signature: string | null): Promise<void>;
  /**
   * Executes a capture, reversal or refund once for its id; `amountMinor` null is everything that is left. Null where there is no link. Throws
   * RelayError `duplicate` for an id that was used for another payment.
   */
  followUp(request: FollowUpRequest, cause?: LinkCause | null): Promise<FollowUpOutcome | null>;
}

export interface VerifiedLink {
  readonly record: LinkRecord;
  readonly isFresh: boolean;
}

export type LinkRevoked =
  | { type: "revoked"; record: LinkRecord }
  /** Paid, failed or expired by the gateway's word: there is nothing to revoke. */
  | { type: "ended"; record: LinkRecord }
  /** A companion does not want it. */
  | { type: "refused"; record: LinkRecord }
  /** The gateway could not be asked; nothing has changed. */
  | { type: "unavailable"; record: LinkRecord };

export type LinkCreated =
  | { type: "created"; record: LinkRecord }
  | { type: "refused"; record: LinkRecord; resultCode: string; description: string }
  /** Whether the gateway has it is not known yet; the relay finds out by itself. */
  | { type: "unavailable"; record: LinkRecord };

export interface FollowUpRequest {
  txId: string;
  /** The same for every attempt at one operation. */
  operationId: string;
  type: FollowUpType;
  amountMinor: number | null;
}

export type FollowUpOutcome =
  | { type: "done"; record: LinkRecord; followUp: FollowUp }
  /** The gateway said no. */
  | { type: "refused"; record: LinkRecord; followUp: FollowUp }
  /** Not possible as the link stands, or not wanted by a companion (`under_dispute`, else `under_way`); the gateway was not asked. */
  | { type: "impossible"; record: LinkRecord; reason: FollowUpRefusal }
  /** Whether the gateway executed it is not known; the same request again finds out. */
  | { type: "unavailable"; record: LinkRecord; followUp: FollowUp };

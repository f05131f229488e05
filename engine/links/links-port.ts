import type { GatewayNotification } from "../gateway/notification-signature.ts";
import type { FollowUp, FollowUpRefusal, FollowUpType, LinkOrder, LinkRecord } from "./link.ts";

/**
 * Payment links, from any thread of any node. Every method rejects with RelayError `unavailable` when the store cannot answer, and
 * with `too_busy` when too much is asked at once.
 */
export interface Links {
  /**
   * Stores the link, has the gateway create its payment and stores what came of it. Idempotent by the order's `txId`: asked again, it goes
   * on where the first attempt ended, and never creates a second payment.
   */
  create(order: LinkOrder): Promise<LinkCreated>;
  /** Null where there is none. */
  byTxId(txId: string): Promise<LinkRecord | null>;
  /** By the gateway's names, among the links of one account. */
  byPaymentId(partnerId: number | null, paymentId: string): Promise<LinkRecord | null>;
  byTranId(partnerId: number | null, tranId: string): Promise<LinkRecord | null>;
  /** Asks the gateway, unless it was asked just now; answers with the link as it stands then. Null where there is none. */
  verify(txId: string): Promise<LinkRecord | null>;
  /** Takes a notification in: stored before this resolves, verified afterwards. What is unknown or wrongly signed changes nothing. */
  notified(notification: GatewayNotification, signature: string | null): Promise<void>;
  /**
   * Executes a capture, reversal or refund once for its id; `amountMinor` null is everything that is left. Null where there is no link. Throws
   * RelayError `duplicate` for an id that was used for another payment.
   */
  followUp(request: FollowUpRequest): Promise<FollowUpOutcome | null>;
}

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
  /** Not possible as the link stands; the gateway was not asked. */
  | { type: "impossible"; record: LinkRecord; reason: FollowUpRefusal }
  /** Whether the gateway executed it is not known; the same request again finds out. */
  | { type: "unavailable"; record: LinkRecord; followUp: FollowUp };

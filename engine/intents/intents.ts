import type { MerchantParty } from "../kernel/merchant-scope.ts";
import type { Metadata, MetadataChange } from "../kernel/metadata.ts";
import type { Page, PageQuery } from "../kernel/page.ts";
import type { FollowUpAsker } from "../links/link.ts";
import type {
  Attempt,
  CancellationReason,
  ChargeChange,
  IntentOrder,
  IntentRecord,
  IntentRefund,
  OrderChange,
  RefundReason,
} from "./intent.ts";

/** The request for a change. */
export interface Operation {
  /** Every repetition of a request has the same id, so its effect happens only once. */
  readonly id: string;
  readonly requestId: string;
  readonly idempotencyKey: string | null;
  /** The actor, unless it is a program with the merchant's key. */
  readonly by?: FollowUpAsker;
}

export interface ChargeOf {
  readonly intent: IntentRecord;
  readonly attempt: Attempt;
  /**
   * Whether its payment is under dispute. Absent if it was not checked, because an attempt that has
   * just ended cannot be disputed.
   */
  readonly isDisputed?: boolean;
}

/**
 * Returns true if the payment of an attempt is under dispute and must not be refunded. Rejects with
 * RelayError `unavailable`.
 */
export type IsUnderDispute = (payment: { readonly merchantId: string; readonly uuid: string }) => Promise<boolean>;

export interface RefundOf extends ChargeOf {
  readonly refund: IntentRefund;
}

/**
 * `unexpected`: not possible in the status of the record. `unsettled`: the result depends on an
 * unknown outcome, so the caller should retry (409).
 */
type Refused = { type: "unexpected"; intent: IntentRecord } | { type: "unsettled"; intent: IntentRecord };
/** The change would exceed METADATA_KEYS_MAX. Nothing was done. */
type TooManyKeys = { type: "too_many_keys"; intent: IntentRecord };
/** The outcome at the gateway is unknown. A repetition of the request returns it (503). */
type NotConfirmed = { type: "unavailable"; intent: IntentRecord };

export type ConfirmOutcome =
  | { type: "confirmed"; intent: IntentRecord }
  /** The gateway refused to start the payment (402). The last attempt has the reason. */
  | { type: "declined"; intent: IntentRecord }
  /** Neither the request nor the intent has a return address. */
  | { type: "no_return_url"; intent: IntentRecord }
  /** The merchant's partner has no gateway account, or none for this environment. */
  | { type: "no_account" | "other_environment"; intent: IntentRecord }
  | Refused
  | NotConfirmed;

export type CancelOutcome =
  | { type: "canceled"; intent: IntentRecord }
  /** The gateway refused the reversal with this description. */
  | { type: "refused"; intent: IntentRecord; description: string }
  /** A payment under dispute is not refunded. */
  | { type: "under_dispute"; intent: IntentRecord }
  | Refused
  | NotConfirmed;

export type CaptureOutcome =
  | { type: "captured"; intent: IntentRecord }
  | { type: "already_captured"; intent: IntentRecord }
  | { type: "too_much"; intent: IntentRecord }
  | { type: "refused"; intent: IntentRecord; description: string }
  | TooManyKeys
  | Refused
  | NotConfirmed;

export type RefundOutcome =
  /**
   * Executed, or pending if the gateway has not responded. The follow-up with its id shows which.
   */
  | ({ type: "refunded" } & RefundOf)
  | { type: "already_refunded"; intent: IntentRecord }
  /** Only the whole payment can be refunded. */
  | { type: "partial"; intent: IntentRecord }
  | { type: "too_much"; intent: IntentRecord }
  | { type: "not_paid"; intent: IntentRecord }
  | { type: "refused"; intent: IntentRecord; description: string }
  /** A payment under dispute is not refunded. */
  | { type: "under_dispute"; intent: IntentRecord }
  | { type: "unsettled"; intent: IntentRecord };

export type UpdateOutcome = { type: "updated"; intent: IntentRecord } | { type: "unexpected"; intent: IntentRecord } | TooManyKeys;

export type UpdateChargeOutcome = ({ type: "updated" } & ChargeOf) | TooManyKeys;

export type UpdateRefundOutcome = ({ type: "updated" } & RefundOf) | TooManyKeys;

/**
 * Payment intents, usable from any thread of any node. A method returns null if the owner has no
 * such object. Every method rejects with RelayError `unavailable` if the store cannot respond, and
 * with `too_busy` under too many concurrent requests.
 */
export interface Intents {
  /** Idempotent by the id of the operation, from which the id of the intent is derived. */
  create(owner: MerchantParty, order: IntentOrder, operation: Operation): Promise<IntentRecord>;
  find(owner: MerchantParty, id: string): Promise<IntentRecord | null>;
  /** Returns true if payments of the owner's environment may start (see `MerchantAccount`). */
  mayBegin(owner: MerchantParty): Promise<boolean>;
  /** Returns true if it was paid on the gateway account for TEST. */
  isKeptForTest(intent: IntentRecord): Promise<boolean>;
  /**
   * Finds the intent of any merchant by the token of the buyer's pages. Compares in constant time.
   */
  byToken(token: string): Promise<IntentRecord | null>;
  charge(owner: MerchantParty, chargeId: string): Promise<ChargeOf | null>;
  refundOf(owner: MerchantParty, refundId: string): Promise<RefundOf | null>;
  /** Returns null if the cursor names no intent. */
  list(owner: MerchantParty, query: PageQuery): Promise<Page<IntentRecord> | null>;
  /** Lists charges (ended attempts), of one intent if it is given. */
  listCharges(owner: MerchantParty, query: PageQuery & { intentId: string | null }): Promise<Page<ChargeOf> | null>;
  listRefunds(
    owner: MerchantParty,
    query: PageQuery & { intentId: string | null; chargeId: string | null },
  ): Promise<Page<RefundOf> | null>;
  /**
   * Absent members keep their values. Amount, currency and capture method can change only while no
   * attempt is open or paid.
   */
  update(owner: MerchantParty, id: string, change: OrderChange, operation: Operation): Promise<UpdateOutcome | null>;
  /**
   * Starts an attempt, or returns the open one. Two attempts are never payable at once. `change` is
   * applied in the same commit, as in `update`.
   */
  confirm(owner: MerchantParty, id: string, change: Omit<OrderChange, "metadata">, operation: Operation): Promise<ConfirmOutcome | null>;
  cancel(owner: MerchantParty, id: string, reason: CancellationReason | null, operation: Operation): Promise<CancelOutcome | null>;
  /**
   * `amountMinor` null captures the whole amount. Only one capture is possible, and it releases the
   * rest. `metadata` of the intent changes in the commit that starts the capture.
   */
  capture(
    owner: MerchantParty,
    id: string,
    amountMinor: number | null,
    operation: Operation,
    metadata?: MetadataChange,
  ): Promise<CaptureOutcome | null>;
  refund(
    owner: MerchantParty,
    of: { intentId: string } | { chargeId: string },
    request: { amountMinor: number | null; reason: RefundReason | null; metadata: Metadata },
    operation: Operation,
  ): Promise<RefundOutcome | null>;
  /** Changes the charge's own data. No event reports it. */
  updateCharge(owner: MerchantParty, chargeId: string, change: ChargeChange, operation: Operation): Promise<UpdateChargeOutcome | null>;
  updateRefund(owner: MerchantParty, refundId: string, metadata: MetadataChange, operation: Operation): Promise<UpdateRefundOutcome | null>;
  /**
   * Asks the gateway about an open attempt, unless it was asked recently. Returns the intent
   * afterwards.
   */
  verify(intent: IntentRecord): Promise<IntentRecord>;
}

/** The objects in events about an intent, in the format of the API that created it. Pure. */
export interface IntentObjects {
  intent(record: IntentRecord): object;
  charge(charge: ChargeOf): object;
  refund(refund: RefundOf): object;
}

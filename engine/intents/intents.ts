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

/** The request that asks for a change. */
export interface Operation {
  /** The same for every repetition of one request: what was done under it is not done again. */
  readonly id: string;
  readonly requestId: string;
  readonly idempotencyKey: string | null;
  /** Who asks, where it is not a program with the merchant's key. */
  readonly by?: FollowUpAsker;
}

export interface ChargeOf {
  readonly intent: IntentRecord;
  readonly attempt: Attempt;
  /** Whether its payment is under dispute. Absent where nobody has asked, since an attempt that has just ended cannot be. */
  readonly isDisputed?: boolean;
}

/** Whether the payment of an attempt is under dispute, so that it is not given back. Rejects with RelayError `unavailable`. */
export type IsUnderDispute = (payment: { readonly merchantId: string; readonly uuid: string }) => Promise<boolean>;

export interface RefundOf extends ChargeOf {
  readonly refund: IntentRefund;
}

/** `unexpected`: not possible in the status that the record has. `unsettled`: what is not known yet decides, so ask again (409). */
type Refused = { type: "unexpected"; intent: IntentRecord } | { type: "unsettled"; intent: IntentRecord };
/** With this change there would be more than METADATA_KEYS_MAX; nothing was done. */
type TooManyKeys = { type: "too_many_keys"; intent: IntentRecord };
/** Whether the gateway did it is not known; the same request again finds out (503). */
type NotConfirmed = { type: "unavailable"; intent: IntentRecord };

export type ConfirmOutcome =
  | { type: "confirmed"; intent: IntentRecord }
  /** The gateway refused to begin the payment (402); the last attempt says why. */
  | { type: "declined"; intent: IntentRecord }
  /** Neither the request nor the intent has a return address. */
  | { type: "no_return_url"; intent: IntentRecord }
  /** The merchant's partner has no account at the gateway (any more), or keeps none for this environment. */
  | { type: "no_account" | "other_environment"; intent: IntentRecord }
  | Refused
  | NotConfirmed;

export type CancelOutcome =
  | { type: "canceled"; intent: IntentRecord }
  /** The gateway refused the reversal, in its own words. */
  | { type: "refused"; intent: IntentRecord; description: string }
  /** Nothing of it is given back. */
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
  /** Done, or pending where the gateway's answer is missing (the follow-up of its id says which). */
  | ({ type: "refunded" } & RefundOf)
  | { type: "already_refunded"; intent: IntentRecord }
  /** Only the whole can be refunded. */
  | { type: "partial"; intent: IntentRecord }
  | { type: "too_much"; intent: IntentRecord }
  | { type: "not_paid"; intent: IntentRecord }
  | { type: "refused"; intent: IntentRecord; description: string }
  /** Nothing of it is given back. */
  | { type: "under_dispute"; intent: IntentRecord }
  | { type: "unsettled"; intent: IntentRecord };

export type UpdateOutcome = { type: "updated"; intent: IntentRecord } | { type: "unexpected"; intent: IntentRecord } | TooManyKeys;

export type UpdateChargeOutcome = ({ type: "updated" } & ChargeOf) | TooManyKeys;

export type UpdateRefundOutcome = ({ type: "updated" } & RefundOf) | TooManyKeys;

/**
 * Payment intents, from any thread of any node. Null is the answer for what the owner does not have. Every method rejects with RelayError `unavailable`
 * when the store cannot answer, and with `too_busy` when too much is asked at once.
 */
export interface Intents {
  /** Idempotent by the operation's id, from which the intent's is derived. */
  create(owner: MerchantParty, order: IntentOrder, operation: Operation): Promise<IntentRecord>;
  find(owner: MerchantParty, id: string): Promise<IntentRecord | null>;
  /** Whether payments of its environment may be begun: see `MerchantAccount`. */
  mayBegin(owner: MerchantParty): Promise<boolean>;
  /** Whether it was paid on the account that is kept for TEST. */
  isKeptForTest(intent: IntentRecord): Promise<boolean>;
  /** By the token of the buyer's pages, whosever it is; compared in constant time. */
  byToken(token: string): Promise<IntentRecord | null>;
  charge(owner: MerchantParty, chargeId: string): Promise<ChargeOf | null>;
  refundOf(owner: MerchantParty, refundId: string): Promise<RefundOf | null>;
  /** Null where the cursor is none of them. */
  list(owner: MerchantParty, query: PageQuery): Promise<Page<IntentRecord> | null>;
  /** Charges (ended attempts), of one intent where it is given. */
  listCharges(owner: MerchantParty, query: PageQuery & { intentId: string | null }): Promise<Page<ChargeOf> | null>;
  listRefunds(
    owner: MerchantParty,
    query: PageQuery & { intentId: string | null; chargeId: string | null },
  ): Promise<Page<RefundOf> | null>;
  /** Absent members stay. Amount, currency and capture method only while no attempt is open or paid. */
  update(owner: MerchantParty, id: string, change: OrderChange, operation: Operation): Promise<UpdateOutcome | null>;
  /** Begins an attempt, or answers with the one that is open; `change` as in `update`, in the same commit. Never two payable attempts. */
  confirm(owner: MerchantParty, id: string, change: Omit<OrderChange, "metadata">, operation: Operation): Promise<ConfirmOutcome | null>;
  cancel(owner: MerchantParty, id: string, reason: CancellationReason | null, operation: Operation): Promise<CancelOutcome | null>;
  /** `amountMinor` null: the whole; once, the rest is released. `metadata` of the intent is changed by the commit that begins it. */
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
  /** What it says of its own from then on; nobody is told of it. */
  updateCharge(owner: MerchantParty, chargeId: string, change: ChargeChange, operation: Operation): Promise<UpdateChargeOutcome | null>;
  updateRefund(owner: MerchantParty, refundId: string, metadata: MetadataChange, operation: Operation): Promise<UpdateRefundOutcome | null>;
  /** Has the gateway asked about an attempt that is open, unless it was asked just now; answers with the intent as it stands then. */
  verify(intent: IntentRecord): Promise<IntentRecord>;
}

/** What events hold of an intent: its objects in the form of the API that made it. Pure. */
export interface IntentObjects {
  intent(record: IntentRecord): object;
  charge(charge: ChargeOf): object;
  refund(refund: RefundOf): object;
}

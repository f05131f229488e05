import type { Metadata, MetadataChange } from "../kernel/metadata.ts";
import type { FollowUpType } from "../links/link.ts";

export type CaptureMethod = "automatic" | "automatic_async" | "manual";
export type CancellationReason = "duplicate" | "fraudulent" | "requested_by_customer" | "abandoned";
export type RefundReason = "duplicate" | "fraudulent" | "requested_by_customer";

/** What is to be paid and how; an update replaces members of it. */
export interface IntentOrder {
  readonly amountMinor: number;
  /** ISO 4217, upper case. */
  readonly currency: string;
  readonly captureMethod: CaptureMethod;
  readonly confirmationMethod: "automatic" | "manual";
  readonly description: string | null;
  readonly metadata: Metadata;
  /** Personal data: never logged. */
  readonly receiptEmail: string | null;
  readonly returnUrl: string | null;
  /** Stored and echoed only; personal data. */
  readonly shipping: object | null;
  readonly customer: string | null;
  readonly statementDescriptor: string | null;
  readonly statementDescriptorSuffix: string | null;
  readonly paymentMethodTypes: readonly string[];
  /** Whether the merchant left the choice of methods to the relay; null where it did not say. */
  readonly automaticPaymentMethods: boolean | null;
}

/** What a request changes of an order: absent members stay, others are replaced as a whole, and metadata key by key. */
export interface OrderChange extends Partial<Omit<IntentOrder, "metadata">> {
  readonly metadata?: MetadataChange;
}

/** What a merchant may change of a charge. */
export interface ChargeChange {
  readonly description?: string | null;
  readonly metadata?: MetadataChange;
}

/**
 * A payment that a merchant wants, over all attempts at it (infra/docs/compat.md). Each attempt is a link; what the links' own records say of
 * them is mirrored here by the commits that change them, so that this record alone tells the status (`statusOf`), which is never stored.
 */
export interface IntentRecord {
  readonly schema: 1;
  /** `pi_` and 24 small letters or digits, derived from the operation that created it. */
  readonly id: string;
  readonly merchantId: string;
  readonly partnerId: number;
  readonly livemode: boolean;
  /** `<id>_secret_<24 or more>`: lets a page see and confirm this one intent. Never logged. */
  readonly clientSecret: string;
  /** Names it in the addresses of the buyer's pages. Begins with the id's 24 characters, so that it is found without an index. */
  readonly token: string;
  readonly order: IntentOrder;
  readonly createdAtMs: number;
  /** In order; the number of one is its place, from 1. All but the last one have ended. */
  readonly attempts: readonly Attempt[];
  /** What the merchant asked for, and since when it is canceled; `canceledAtMs` null while the gateway's answer to the reversal is missing. */
  readonly cancellation: {
    readonly reason: CancellationReason | null;
    readonly requestedAtMs: number;
    readonly canceledAtMs: number | null;
    /** The operation that asked for it: the same one again is answered as the first time. */
    readonly operationId?: string;
  } | null;
  readonly refunds: readonly IntentRefund[];
  /** Events of it so far. */
  readonly events: number;
}

/**
 *   opening      stored, but the gateway has not answered its init: nobody has its address yet
 *   open         at the gateway, payable at `url`
 *   unreachable  its time is over and the gateway cannot be asked whether it was paid
 *   paid, failed
 *   revoked      canceled here; the gateway would still take the money, which is then reversed
 */
export type AttemptState = "opening" | "open" | "unreachable" | "paid" | "failed" | "revoked";

/** One link of an intent, as far as the intent needs it. */
export interface Attempt {
  /** `<intent id>.<number>`, the link's id. */
  readonly txId: string;
  /** `ch_` and 24 letters or digits: its charge, once it has ended. */
  readonly chargeId: string;
  readonly state: AttemptState;
  readonly amountMinor: number;
  readonly currency: string;
  readonly capture: "now" | "later";
  readonly createdAtMs: number;
  /** The gateway's page. */
  readonly url: string | null;
  readonly expiresAtMs: number;
  /** When it ended first: one that failed may be paid later. */
  readonly endedAtMs: number | null;
  /** The gateway's word on its end: of a paid one too. */
  readonly resultCode: string | null;
  readonly resultDescription: string | null;
  /** Failed by the gateway's own word, or known not to be there: only then may another one be begun. */
  readonly settled: boolean;
  readonly paid: PaidAttempt | null;
  readonly followUps: readonly AttemptFollowUp[];
  /** Paid although the intent was canceled, or paid already: the relay reverses it by itself. */
  readonly unwanted: boolean;
  /** What its charge says instead of the intent, since the merchant has changed it. */
  readonly ofCharge?: Pick<IntentOrder, "description" | "metadata">;
}

export interface PaidAttempt {
  readonly atMs: number;
  /** What was paid, by the gateway's word. */
  readonly amountMinor: number;
  readonly currency: string;
  readonly authCode: string | null;
  readonly cardBrand: string | null;
  /** The last four digits of the card, where the gateway says them. */
  readonly cardLast4: string | null;
}

/** A capture, reversal or refund, as the link has it. */
export interface AttemptFollowUp {
  /** Of a refund: its id, `re_...`. */
  readonly id: string;
  readonly type: FollowUpType;
  readonly amountMinor: number;
  readonly state: "requested" | "done" | "refused";
  readonly requestedAtMs: number;
  readonly finishedAtMs: number | null;
  /** The gateway's words. */
  readonly description: string | null;
}

/** What a merchant keeps with a refund; what became of it is in the attempt's follow-up of the same id. */
export interface IntentRefund {
  /** `re_` and 24 letters or digits, derived from the operation. */
  readonly id: string;
  readonly chargeId: string;
  readonly reason: RefundReason | null;
  readonly metadata: Metadata;
  readonly createdAtMs: number;
  /** Whether somebody was told of it: one that was refused before is no refund. */
  readonly told: boolean;
}

export type IntentStatus = "requires_payment_method" | "requires_action" | "processing" | "requires_capture" | "succeeded" | "canceled";

/** Attempts of one intent; one more confirm is refused. */
export const INTENT_ATTEMPTS_MAX = 64;

/** The attempt whose money counts: the first that was paid and is wanted. Null where there is none. */
export function paidAttempt({ attempts }: Pick<IntentRecord, "attempts">): Attempt | null {
  return attempts.find(({ state, unwanted }) => state === "paid" && !unwanted) ?? null;
}

/** What of a paid attempt was captured, in minor units of what was paid: all of it where it was taken at once. */
export function capturedMinor({ capture, paid, followUps }: Attempt): number {
  if (paid === null) return 0;
  if (capture === "now") return paid.amountMinor;
  return followUps.find(({ type, state }) => type === "capture" && state === "done")?.amountMinor ?? 0;
}

/** Whether all of it was given back before it was captured, or reversed afterwards. */
export function isReversed({ followUps }: Attempt): boolean {
  return followUps.some(({ type, state }) => type === "reversal" && state === "done");
}

/** The status, from what is known of the attempts and of the cancellation. */
export function statusOf(record: Pick<IntentRecord, "attempts" | "cancellation">): IntentStatus {
  if (record.cancellation !== null && record.cancellation.canceledAtMs !== null) return "canceled";
  const paid = paidAttempt(record);
  if (paid !== null) {
    if (paid.capture === "now" || capturedMinor(paid) > 0) return "succeeded";
    return isReversed(paid) ? "canceled" : "requires_capture";
  }
  switch (record.attempts.at(-1)?.state) {
    case "open":
      return "requires_action";
    case "opening":
    case "unreachable":
      return "processing";
    default:
      return "requires_payment_method";
  }
}

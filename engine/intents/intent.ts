import type { Metadata, MetadataChange } from "../kernel/metadata.ts";
import type { FollowUpType } from "../links/link.ts";

export type CaptureMethod = "automatic" | "automatic_async" | "manual";
export type CancellationReason = "duplicate" | "fraudulent" | "requested_by_customer" | "abandoned";
export type RefundReason = "duplicate" | "fraudulent" | "requested_by_customer";

/** The amount to pay and the conditions. An update replaces single members. */
export interface IntentOrder {
  readonly amountMinor: number;
  /** ISO 4217 in upper case. */
  readonly currency: string;
  readonly captureMethod: CaptureMethod;
  readonly confirmationMethod: "automatic" | "manual";
  readonly description: string | null;
  readonly metadata: Metadata;
  /** Personal data, never logged. */
  readonly receiptEmail: string | null;
  readonly returnUrl: string | null;
  /** Stored and returned unchanged. It is personal data. */
  readonly shipping: object | null;
  readonly customer: string | null;
  readonly statementDescriptor: string | null;
  readonly statementDescriptorSuffix: string | null;
  readonly paymentMethodTypes: readonly string[];
  /** Whether the merchant left the choice of methods to the relay; null if it was not specified. */
  readonly automaticPaymentMethods: boolean | null;
}

/**
 * The changes of an order. Absent members keep their values. Metadata changes key by key; any other
 * member is replaced as a whole.
 */
export interface OrderChange extends Partial<Omit<IntentOrder, "metadata">> {
  readonly metadata?: MetadataChange;
}

/** The members of a charge that a merchant may change. */
export interface ChargeChange {
  readonly description?: string | null;
  readonly metadata?: MetadataChange;
}

/**
 * A payment that a merchant requests, with all its attempts (infra/docs/compat.md). Each attempt is
 * a link. The commits that change a link also mirror it here, so this record alone determines the
 * status (`statusOf`), which is never stored.
 */
export interface IntentRecord {
  readonly schema: 1;
  /** `pi_` and 24 lower-case letters or digits, derived from the operation that created it. */
  readonly id: string;
  readonly merchantId: string;
  readonly partnerId: number;
  readonly livemode: boolean;
  /** `<id>_secret_<24 or more>`. It lets a page read and confirm this intent only. Never logged. */
  readonly clientSecret: string;
  /**
   * Identifies the intent in the addresses of buyers' pages. It starts with the 24 characters of
   * the id, so it is found without an index.
   */
  readonly token: string;
  readonly order: IntentOrder;
  readonly createdAtMs: number;
  /** In order; the number of an attempt is its position, from 1. All but the last have ended. */
  readonly attempts: readonly Attempt[];
  /**
   * The merchant's request to cancel. `canceledAtMs` is null until the gateway confirms the
   * reversal.
   */
  readonly cancellation: {
    readonly reason: CancellationReason | null;
    readonly requestedAtMs: number;
    readonly canceledAtMs: number | null;
    /** The operation that requested it. A repetition gets the same response. */
    readonly operationId?: string;
  } | null;
  readonly refunds: readonly IntentRefund[];
  /** The number of its events so far. */
  readonly events: number;
}

/**
 * - `opening`: stored, but the gateway has not answered its init. Nobody has its address yet.
 * - `open`: known at the gateway and payable at `url`.
 * - `unreachable`: expired, and the gateway cannot be asked whether it was paid.
 * - `paid`, `failed`: ended.
 * - `revoked`: canceled here. The gateway would still accept the payment, which is then reversed.
 */
export type AttemptState = "opening" | "open" | "unreachable" | "paid" | "failed" | "revoked";

/** The part of an attempt's link that the intent needs. */
export interface Attempt {
  /** `<intent id>.<number>`, the id of the link. */
  readonly txId: string;
  /** `ch_` and 24 letters or digits. The charge exists once the attempt has ended. */
  readonly chargeId: string;
  readonly state: AttemptState;
  readonly amountMinor: number;
  readonly currency: string;
  readonly capture: "now" | "later";
  readonly createdAtMs: number;
  /** The address of the gateway's page. */
  readonly url: string | null;
  readonly expiresAtMs: number;
  /** The time at which it first ended. A failed attempt may be paid later. */
  readonly endedAtMs: number | null;
  /** The gateway's result code, also of a paid attempt. */
  readonly resultCode: string | null;
  readonly resultDescription: string | null;
  /**
   * The gateway has confirmed the failure or does not know the payment. Only then may another
   * attempt start.
   */
  readonly settled: boolean;
  readonly paid: PaidAttempt | null;
  readonly followUps: readonly AttemptFollowUp[];
  /** Paid although the intent was canceled or already paid. The relay reverses it automatically. */
  readonly unwanted: boolean;
  /**
   * The charge's own data after the merchant has changed it. Before that, the data of the intent
   * applies.
   */
  readonly ofCharge?: Pick<IntentOrder, "description" | "metadata">;
}

export interface PaidAttempt {
  readonly atMs: number;
  /** The paid amount that the gateway reports. */
  readonly amountMinor: number;
  readonly currency: string;
  readonly authCode: string | null;
  readonly cardBrand: string | null;
  /** The last four digits of the card, if the gateway reports them. */
  readonly cardLast4: string | null;
}

/** A capture, reversal or refund of the link. */
export interface AttemptFollowUp {
  /** For a refund, its id `re_...`. */
  readonly id: string;
  readonly type: FollowUpType;
  readonly amountMinor: number;
  readonly state: "requested" | "done" | "refused";
  readonly requestedAtMs: number;
  readonly finishedAtMs: number | null;
  /** The gateway's description. */
  readonly description: string | null;
}

/**
 * The merchant's data of a refund. The follow-up with the same id in the attempt has its outcome.
 */
export interface IntentRefund {
  /** `re_` and 24 letters or digits, derived from the operation. */
  readonly id: string;
  readonly chargeId: string;
  readonly reason: RefundReason | null;
  readonly metadata: Metadata;
  readonly createdAtMs: number;
  /** Whether it was reported to a caller. A refund that was refused before that does not count. */
  readonly told: boolean;
}

export type IntentStatus = "requires_payment_method" | "requires_action" | "processing" | "requires_capture" | "succeeded" | "canceled";

/** Limits the attempts of one intent. Another confirm is rejected. */
export const INTENT_ATTEMPTS_MAX = 64;

/** Returns the attempt whose money counts: the first one that is paid and wanted, or null. */
export function paidAttempt({ attempts }: Pick<IntentRecord, "attempts">): Attempt | null {
  return attempts.find(({ state, unwanted }) => state === "paid" && !unwanted) ?? null;
}

/**
 * Returns the captured part of a paid attempt in minor units of its currency. It is the whole
 * amount if the gateway captured it immediately.
 */
export function capturedMinor({ capture, paid, followUps }: Attempt): number {
  if (paid === null) return 0;
  if (capture === "now") return paid.amountMinor;
  return followUps.find(({ type, state }) => type === "capture" && state === "done")?.amountMinor ?? 0;
}

/** Returns true if the attempt was reversed, before or after a capture. */
export function isReversed({ followUps }: Attempt): boolean {
  return followUps.some(({ type, state }) => type === "reversal" && state === "done");
}

/** Derives the status from the attempts and the cancellation. */
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

import type { CommitPart } from "../kernel/commit-part.ts";
import { maskSchemePans } from "../kernel/mask.ts";
import type { Digest } from "../kernel/prefixed-id.ts";
import { type PortalEventType, portalEvent } from "../webhooks/portal-events.ts";
import type { WebhookEvent } from "../webhooks/webhook-event.ts";
import { amountDiffers, amountOf, type FollowUp, isFinal, type LinkRecord } from "./link.ts";
import type { LinkCompanion } from "./link-companion.ts";
import type { LinkChange } from "./link-store.ts";

/** Whose a payment is, as far as its events say it. */
export interface PaymentMerchant {
  readonly partnerId: number;
  readonly livemode: boolean;
}

export interface PaymentEventsOptions {
  /** Null where there is no such merchant. */
  merchantOf(merchantId: string): Promise<PaymentMerchant | null>;
  /** `eventOperations` of engine/webhooks: a link's commit writes them. */
  eventOperations(events: readonly WebhookEvent[]): CommitPart["operations"];
  digest: Digest;
}

/** Each fact about a payment has its own place, so that its event is the same one however often, and in whatever order, it is found out. */
const SEQUENCES = { "payment.failed": 1, "payment.succeeded": 2, "payment.refunded": 3 } as const satisfies {
  readonly [type in PortalEventType]?: number;
};
type PaymentNews = keyof typeof SEQUENCES;

/**
 * Tells merchants of their payments by link, whoever asked for them: `payment.failed`, `payment.succeeded` (also late, after it had been told as failed) and
 * `payment.refunded`, stored in the commit that makes them true. Payments at terminals are never told.
 */
export function createPaymentEvents({ merchantOf, eventOperations, digest }: PaymentEventsOptions): LinkCompanion {
  return async (change) => {
    const news = newsOf(change);
    const { order } = change.record;
    const merchant = news.length === 0 || order.shop === undefined ? null : await merchantOf(order.shop);
    if (order.shop === undefined || merchant === null) return { checks: [], operations: [] };
    const told = { ...merchant, merchantId: order.shop, objectId: order.txId, atMs: change.atMs, requestId: null };
    const events = news.map((type) =>
      portalEvent({ ...told, type, sequence: SEQUENCES[type], object: paymentObject(change.record, type) }, digest),
    );
    return { checks: [], operations: eventOperations(events) };
  };
}

/** A link that the gateway never had was no payment: it is not among the transactions either. */
function newsOf({ record, before }: LinkChange): readonly PaymentNews[] {
  if (!isFinal(record.state) || record.paymentId === null || record.outcome === null) return [];
  const succeeded = record.state === "success" && before?.state !== "success";
  const failed = record.state !== "success" && (before === null || !isFinal(before.state));
  const refunded = givenBackBy(record) !== null && (before === null || givenBackBy(before) === null);
  return [
    ...(failed ? (["payment.failed"] as const) : []),
    ...(succeeded ? (["payment.succeeded"] as const) : []),
    ...(refunded ? (["payment.refunded"] as const) : []),
  ];
}

/** The refund or reversal after which nothing of the payment is left; null while something is. */
function givenBackBy(link: LinkRecord): FollowUp | null {
  if (link.state !== "success") return null;
  const done = link.followUps.filter(({ state }) => state === "done");
  // A refund is always of all that was captured.
  const refund = done.find(({ type }) => type === "refund");
  if (refund !== undefined) return refund;
  const reversals = done.filter(({ type }) => type === "reversal");
  const reversedMinor = reversals.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
  return reversedMinor >= amountOf(link).amountMinor ? (reversals.at(-1) ?? null) : null;
}

/** The payment as it was then. Names nobody: neither the customer nor what the customer was shown. */
function paymentObject(link: LinkRecord, type: PaymentNews): object {
  const { order, outcome, late } = link;
  const { amountMinor, currency } = amountOf(link);
  const payment = outcome?.payment ?? null;
  const refund = givenBackBy(link);
  return {
    object: "payment",
    uuid: order.txId,
    status: statusOf(link, type),
    method: "PAYBYLINK",
    ...{ amountMinor, currency, amountDiffers: amountDiffers({ order, outcome }), late },
    captured: isCaptured(link),
    terminalId: order.terminalId,
    reference: order.merchantReference === null ? null : maskSchemePans(order.merchantReference),
    card: payment === null ? null : { brand: payment.cardBrand, last4: /\d{4}$/.exec(payment.maskedPan ?? "")?.[0] ?? null },
    authCode: payment?.authCode ?? null,
    resultCode: outcome?.resultCode ?? null,
    message: outcome?.description ?? null,
    createdAt: iso(order.createdAtMs),
    endedAt: outcome === null ? null : iso(outcome.atMs),
    refund:
      refund === null ? null : { type: refund.type, amountMinor: refund.amountMinor, at: iso(refund.finishedAtMs ?? refund.requestedAtMs) },
  };
}

function statusOf({ state, revoked }: LinkRecord, type: PaymentNews): string {
  if (type === "payment.refunded") return "REFUNDED";
  if (state === "success") return "SUCCEEDED";
  if (revoked === true) return "CANCELLED";
  return state === "expired" ? "EXPIRED" : "FAILED";
}

function isCaptured({ state, order, followUps }: LinkRecord): boolean {
  if (state !== "success") return false;
  return order.capture === "now" || followUps.some((entry) => entry.type === "capture" && entry.state === "done");
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

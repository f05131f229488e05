import { changedMetadata, hasTooManyKeys } from "../kernel/metadata.ts";
import type { ChargeNews, IntentEvent, Of, RefundNews } from "./events.ts";
import {
  type Attempt,
  type AttemptFollowUp,
  INTENT_ATTEMPTS_MAX,
  type IntentOrder,
  type IntentRecord,
  type IntentRefund,
  isReversed,
  type OrderChange,
  paidAttempt,
  statusOf,
} from "./intent.ts";

/** Returns true if a buyer may be paying it or may be sent to pay it. */
export function isOpen({ state }: Attempt): boolean {
  return state === "opening" || state === "open" || state === "unreachable";
}

/** Returns true if the gateway has confirmed the end: it took nothing, or an unwanted payment. */
export function isOver({ state, settled, unwanted }: Attempt): boolean {
  return state === "paid" ? unwanted : state === "failed" && settled;
}

/** Returns true if an update changes the payment conditions. */
export function changesMoney({ order }: IntentRecord, change: OrderChange): boolean {
  return MONEY.some((member) => change[member] !== undefined && change[member] !== order[member]);
}

const MONEY = ["amountMinor", "currency", "captureMethod"] as const;

/** Returns the order with the changed members. Undefined members keep their values. */
export function changedOrder(order: IntentOrder, { metadata, ...change }: OrderChange): IntentOrder {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  return { ...order, ...Object.fromEntries(given), metadata: changedMetadata(order.metadata, metadata) };
}

export function captureOf({ captureMethod }: IntentOrder): "now" | "later" {
  return captureMethod === "manual" ? "later" : "now";
}

/**
 * Two attempts must never be payable at once. Another one starts only after the gateway has
 * confirmed the end of the previous one.
 */
export function mayBegin(record: IntentRecord, { attempt, change }: Of<"attempt.begun">): boolean {
  const { attempts, cancellation } = record;
  const last = attempts.at(-1);
  if (cancellation !== null || paidAttempt(record) !== null || attempts.length >= INTENT_ATTEMPTS_MAX) return false;
  if (last !== undefined && !isOver(last)) return false;
  return isAsOrdered(attempt, changedOrder(record.order, change)) && attempt.txId === `${record.id}.${attempts.length + 1}`;
}

/** Returns true if the attempt matches the current order, which may have changed since. */
function isAsOrdered({ amountMinor, currency, capture }: Attempt, order: IntentOrder): boolean {
  return amountMinor === order.amountMinor && currency === order.currency && capture === captureOf(order);
}

export function begun(record: IntentRecord, { attempt, change }: Of<"attempt.begun">): Partial<IntentRecord> {
  return { order: changedOrder(record.order, change), attempts: [...record.attempts, attempt] };
}

/** Returns the record with the new mirror of an attempt's link. */
export function afterAttempt(record: IntentRecord, event: IntentEvent): IntentRecord {
  if (event.type !== "attempt.changed") return record;
  const before = attemptBefore(record, event);
  if (before === undefined) return record;
  const unwanted = before.unwanted || becomesUnwanted(record, before, event.attempt);
  const attempt = { ...event.attempt, unwanted, ...(before.ofCharge === undefined ? {} : { ofCharge: before.ofCharge }) };
  const attempts = record.attempts.map((other) => (other === before ? attempt : other));
  const refunds = refundsAfter(record, event, attempt);
  const order = { ...record.order, metadata: changedMetadata(record.order.metadata, event.metadata) };
  return { ...record, order, attempts, refunds, cancellation: cancellationAfter(record, event, attempt) };
}

function attemptBefore({ attempts }: IntentRecord, { attempt: { txId } }: Of<"attempt.changed">): Attempt | undefined {
  return attempts.find((attempt) => attempt.txId === txId);
}

/**
 * Only the first payment counts. The relay refunds any other payment, a payment after a
 * cancellation, and a payment of an order that has changed since. The last case occurs if an
 * attempt expired here while its buyer was still at the gateway: the amount of the old order must
 * not pay the new one.
 */
function becomesUnwanted(record: IntentRecord, before: Attempt, after: Attempt): boolean {
  if (after.state !== "paid" || before.state === "paid") return false;
  return before.state === "revoked" || record.cancellation !== null || paidAttempt(record) !== null || !isAsOrdered(after, record.order);
}

function refundsAfter({ refunds }: IntentRecord, event: Of<"attempt.changed">, attempt: Attempt): readonly IntentRefund[] {
  const { refund } = event;
  const isNew = refund !== null && !refunds.some(({ id }) => id === refund.id) && attempt.followUps.some(({ id }) => id === refund.id);
  const all = isNew ? [...refunds, refund] : refunds;
  // An executed refund is reported, whichever caller learned the outcome.
  return all.map((entry) => (followUpOf(attempt, entry.id)?.state === "done" && !entry.told ? { ...entry, told: true } : entry));
}

function followUpOf({ followUps }: Attempt, id: string): AttemptFollowUp | undefined {
  return followUps.find((followUp) => followUp.id === id);
}

function cancellationAfter(
  { cancellation }: IntentRecord,
  { atMs, cancellation: asked }: Of<"attempt.changed">,
  attempt: Attempt,
): IntentRecord["cancellation"] {
  const noted = cancellation ?? (asked === null ? null : { ...asked, requestedAtMs: atMs, canceledAtMs: null });
  if (noted !== null && noted.canceledAtMs !== null) return noted;
  if (attempt.state === "revoked" && noted !== null) return { ...noted, canceledAtMs: atMs };
  if (attempt.state !== "paid" || attempt.capture === "now" || attempt.unwanted) return noted;
  // A reversal by any caller leaves nothing to capture.
  if (isReversed(attempt) && !isCaptured(attempt)) {
    return { ...(noted ?? { reason: null, requestedAtMs: atMs }), canceledAtMs: atMs };
  }
  const isUnderWay = attempt.followUps.some(({ type, state }) => type === "reversal" && state === "requested");
  return isUnderWay ? noted : null;
}

function isCaptured({ followUps }: Attempt): boolean {
  return followUps.some(({ type, state }) => type === "capture" && state === "done");
}

/**
 * Returns true if a caller's change of an attempt is possible. A link is revoked only for a cancel,
 * and never if another attempt was paid. A cancel reverses the payment that counts, unless a
 * capture may have been executed. A change that the gateway reports is always possible.
 */
export function isPossible(record: IntentRecord, event: Of<"attempt.changed">): boolean {
  const { attempt, cancellation } = event;
  const before = attemptBefore(record, event);
  if (before === undefined) return false;
  if (event.metadata !== undefined && hasTooManyKeys(changedMetadata(record.order.metadata, event.metadata))) return false;
  const paid = paidAttempt(record);
  if (attempt.state === "revoked" && before.state !== "revoked") return cancellation !== null && paid === null;
  if (cancellation === null) return true;
  return paid === before && !attempt.followUps.some(({ type, state }) => type === "capture" && state !== "refused");
}

/** Returns true if the charge exists and has room for the change. */
export function takesChange(record: IntentRecord, event: Of<"charge.changed">): boolean {
  const attempt = chargedAttempt(record, event.chargeId);
  return attempt !== undefined && !hasTooManyKeys(ofChargeAfter(record, attempt, event).metadata);
}

function chargedAttempt({ attempts }: IntentRecord, chargeId: string): Attempt | undefined {
  return attempts.find((attempt) => attempt.chargeId === chargeId && attempt.endedAtMs !== null);
}

/** Returns the charge's own data, or the intent's data if it has none. */
export function wordsOfCharge({ order }: IntentRecord, { ofCharge }: Attempt): Pick<IntentOrder, "description" | "metadata"> {
  return ofCharge ?? { description: order.description, metadata: order.metadata };
}

function ofChargeAfter(record: IntentRecord, attempt: Attempt, { change }: Of<"charge.changed">) {
  const { description, metadata } = wordsOfCharge(record, attempt);
  return {
    description: change.description === undefined ? description : change.description,
    metadata: changedMetadata(metadata, change.metadata),
  };
}

export function withCharge(record: IntentRecord, event: Of<"charge.changed">): Partial<IntentRecord> {
  const charged = chargedAttempt(record, event.chargeId);
  const attempts = record.attempts.map((attempt) =>
    attempt === charged ? { ...attempt, ofCharge: ofChargeAfter(record, attempt, event) } : attempt,
  );
  return { attempts };
}

/** Returns true if the refund was reported and has room for the metadata. */
export function takesMetadata({ refunds }: IntentRecord, { refundId, metadata }: Of<"refund.changed">): boolean {
  const refund = refunds.find(({ id, told }) => id === refundId && told);
  return refund !== undefined && !hasTooManyKeys(changedMetadata(refund.metadata, metadata));
}

export function withRefund({ refunds }: IntentRecord, { refundId, metadata }: Of<"refund.changed">): Partial<IntentRecord> {
  return {
    refunds: refunds.map((refund) =>
      refund.id === refundId ? { ...refund, metadata: changedMetadata(refund.metadata, metadata) } : refund,
    ),
  };
}

/**
 * Returns the events about the charge and its refunds. An unwanted payment is reported as failed,
 * and its reversal is not reported.
 */
export function newsOfAttempt(record: IntentRecord, event: IntentEvent): readonly (ChargeNews | RefundNews)[] {
  if (event.type === "refund.told") return isUntold(record, event) ? [{ type: "refund.created", refundId: event.refundId }] : [];
  if (event.type === "refund.changed") return [{ type: "refund.updated", refundId: event.refundId }];
  if (event.type !== "attempt.changed") return [];
  const before = attemptBefore(record, event);
  const after = afterAttempt(record, event);
  const attempt = after.attempts.find(({ txId }) => txId === event.attempt.txId);
  if (before === undefined || attempt === undefined) return [];
  const charge = chargeNews(before, attempt).map((type) => ({ type, chargeId: attempt.chargeId }));
  return [
    ...charge.filter(({ type }) => type !== "charge.refunded"),
    ...refundNews(record, after, before, attempt),
    ...charge.filter(({ type }) => type === "charge.refunded"),
  ];
}

/** Excludes a refund that was refused in the meantime, because it does not count. */
export function isUntold({ refunds, attempts }: IntentRecord, { refundId }: Of<"refund.told">): boolean {
  const isRefused = attempts.some((attempt) => followUpOf(attempt, refundId)?.state === "refused");
  return !isRefused && refunds.some(({ id, told }) => id === refundId && !told);
}

function chargeNews(before: Attempt, after: Attempt): ChargeNews["type"][] {
  const isPaid = after.state === "paid" && !after.unwanted;
  const news: ChargeNews["type"][] = [];
  if (isPaid && before.state !== "paid") news.push("charge.succeeded");
  else if (isOpen(before) && !isOpen(after)) news.push("charge.failed");
  if (!isPaid) return news;
  const becameDone = (wanted: AttemptFollowUp["type"]) =>
    after.followUps.some(({ id, type, state }) => type === wanted && state === "done" && followUpOf(before, id)?.state !== "done");
  if (becameDone("capture")) news.push("charge.captured");
  if (becameDone("reversal") || becameDone("refund")) news.push("charge.refunded");
  return news;
}

function refundNews(record: IntentRecord, after: IntentRecord, before: Attempt, attempt: Attempt): RefundNews[] {
  return after.refunds.flatMap((refund): RefundNews[] => {
    const now = followUpOf(attempt, refund.id)?.state;
    const was = followUpOf(before, refund.id)?.state;
    if (now === undefined || now === was || !refund.told) return [];
    const wasTold = record.refunds.some(({ id, told }) => id === refund.id && told);
    if (!wasTold) return [{ type: "refund.created", refundId: refund.id }];
    if (now === "requested") return [];
    return [{ type: now === "done" ? "refund.updated" : "refund.failed", refundId: refund.id }];
  });
}

/** Returns the status after the event. */
export function statusAfter(record: IntentRecord, event: IntentEvent): ReturnType<typeof statusOf> {
  return statusOf(afterAttempt(record, event));
}

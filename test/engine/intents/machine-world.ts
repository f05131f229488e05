import type { IntentEvent } from "../../../engine/intents/events.ts";
import type { Attempt, AttemptFollowUp, IntentOrder, IntentRecord, IntentRefund } from "../../../engine/intents/intent.ts";
import { intentOrder } from "./world.ts";

export const CREATED_MS = 1_700_000_000_000;
export const NOW_MS = CREATED_MS + 60_000;

export function attempt(n: number, state: Attempt["state"], changes: Partial<Attempt> = {}): Attempt {
  const hasEnded = state === "paid" || state === "failed" || state === "revoked";
  return {
    txId: `pi_1.${n}`,
    chargeId: `ch_${n}`,
    state,
    amountMinor: 1_234,
    currency: "EUR",
    capture: "now",
    createdAtMs: CREATED_MS,
    url: state === "opening" ? null : `https://pay.example/${n}`,
    expiresAtMs: CREATED_MS + 3_600_000,
    endedAtMs: hasEnded ? NOW_MS - 1 : null,
    resultCode: hasEnded ? "GW" : null,
    resultDescription: hasEnded ? "said" : null,
    settled: state === "failed",
    paid:
      state === "paid" ? { atMs: NOW_MS - 1, amountMinor: 1_234, currency: "EUR", authCode: null, cardBrand: null, cardLast4: null } : null,
    followUps: [],
    unwanted: false,
    ...changes,
  };
}

export function entry(
  type: AttemptFollowUp["type"],
  state: AttemptFollowUp["state"],
  changes: Partial<AttemptFollowUp> = {},
): AttemptFollowUp {
  return {
    id: type === "refund" ? "re_1" : `${type}_1`,
    type,
    amountMinor: 1_234,
    state,
    requestedAtMs: NOW_MS,
    finishedAtMs: state === "requested" ? null : NOW_MS,
    description: null,
    ...changes,
  };
}

export function refundEntry(changes: Partial<IntentRefund> = {}): IntentRefund {
  return { id: "re_1", chargeId: "ch_1", reason: null, metadata: {}, createdAtMs: NOW_MS, told: false, ...changes };
}

export function intent(
  attempts: readonly Attempt[] = [],
  changes: Partial<Omit<IntentRecord, "order">> & { order?: Partial<IntentOrder> } = {},
): IntentRecord {
  const { order, ...rest } = changes;
  return {
    schema: 1,
    id: "pi_1",
    merchantId: "M1",
    partnerId: 1,
    livemode: false,
    clientSecret: "pi_1_secret_1",
    token: "1",
    order: intentOrder(order),
    createdAtMs: CREATED_MS,
    attempts,
    cancellation: null,
    refunds: [],
    events: 1,
    ...rest,
  };
}

export const asked = { reason: "abandoned", operationId: "o1" } as const;
export const changed = (now: Attempt, also: Partial<Extract<IntentEvent, { type: "attempt.changed" }>> = {}): IntentEvent => ({
  type: "attempt.changed",
  atMs: NOW_MS,
  attempt: now,
  cancellation: null,
  refund: null,
  ...also,
});
export const begun = (n: number, changes: Partial<Attempt> = {}, change = {}): IntentEvent => ({
  type: "attempt.begun",
  atMs: NOW_MS,
  attempt: attempt(n, "opening", changes),
  change,
});
export const cancel: IntentEvent = { type: "cancel.requested", atMs: NOW_MS, cancellation: asked };
export const update = (change: Extract<IntentEvent, { type: "intent.updated" }>["change"]): IntentEvent => ({
  type: "intent.updated",
  atMs: NOW_MS,
  change,
});

export const OPEN = intent([attempt(1, "open")]);
export const OPENING = intent([attempt(1, "opening")]);
export const PAID = intent([attempt(1, "paid")]);
export const AUTHORIZED = intent([attempt(1, "paid", { capture: "later" })], { order: { captureMethod: "manual" } });
export const CANCELED = intent([attempt(1, "revoked")], { cancellation: { ...asked, requestedAtMs: NOW_MS, canceledAtMs: NOW_MS } });
export const FAILED = intent([attempt(1, "failed")]);
export const ALL = {
  requires_payment_method: FAILED,
  requires_action: OPEN,
  processing: OPENING,
  succeeded: PAID,
  requires_capture: AUTHORIZED,
  canceled: CANCELED,
};

export const PENDING = intent([attempt(1, "paid", { followUps: [entry("refund", "requested")] })], { refunds: [refundEntry()] });
export const TOLD = { ...PENDING, refunds: [refundEntry({ told: true })] };

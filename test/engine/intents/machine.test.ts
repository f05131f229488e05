import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { IntentEffect, IntentEvent } from "../../../engine/intents/events.ts";
import { INTENT_ATTEMPTS_MAX, type IntentRecord, type IntentStatus, statusOf } from "../../../engine/intents/intent.ts";
import { stepIntent } from "../../../engine/intents/workflow.ts";
import {
  ALL,
  AUTHORIZED,
  asked,
  attempt,
  begun,
  CANCELED,
  cancel,
  changed,
  entry,
  FAILED,
  intent,
  NOW_MS,
  OPEN,
  OPENING,
  PAID,
  PENDING,
  refundEntry,
  TOLD,
  update,
} from "./machine-world.ts";

interface Row {
  title: string;
  from: IntentRecord;
  event: IntentEvent;
  /** Null if the event is rejected and changes nothing. */
  to: IntentStatus | null;
  told?: string[];
  /** The members of the record that change. */
  record?: (before: IntentRecord) => Partial<IntentRecord>;
}

function newsOf(effects: readonly IntentEffect[]): string[] {
  return effects.flatMap((effect) => (effect.type === "tell" ? [effect.params.news] : effect.params.news.map(({ type }) => type)));
}

function table(title: string, rows: readonly Row[]): void {
  describe(title, () => {
    for (const { title, from, event, to, told = [], record } of rows) {
      it(title, () => {
        const step = stepIntent(from, event);
        assert.equal(step.accepted, to !== null);
        assert.deepEqual(newsOf(step.effects), told);
        if (to === null) assert.equal(step.record, from);
        else assert.equal(statusOf(step.record), to);
        if (record !== undefined) assert.deepEqual(step.record, { ...from, ...record(from) });
      });
    }
  });
}

table("a new intent", [
  {
    title: "is told of once",
    from: intent([], { events: 0 }),
    event: { type: "intent.created", atMs: NOW_MS },
    to: "requires_payment_method",
    told: ["payment_intent.created"],
  },
  { title: "is not told of again", from: intent(), event: { type: "intent.created", atMs: NOW_MS }, to: null },
]);

table("an attempt begins", [
  { title: "as the first one", from: intent(), event: begun(1), to: "processing" },
  {
    title: "with a changed order, in the same step",
    from: intent(),
    event: begun(1, { amountMinor: 500 }, { amountMinor: 500, returnUrl: "https://shop.example/b" }),
    to: "processing",
    record: ({ order }) => ({
      order: { ...order, amountMinor: 500, returnUrl: "https://shop.example/b" },
      attempts: [attempt(1, "opening", { amountMinor: 500 })],
    }),
  },
  { title: "after one that failed by the gateway's word", from: FAILED, event: begun(2), to: "processing" },
  {
    title: "not before the gateway has confirmed the end of the previous one",
    from: intent([attempt(1, "failed", { settled: false })]),
    event: begun(2),
    to: null,
  },
  { title: "not with another amount than is ordered", from: intent(), event: begun(1, { amountMinor: 1 }), to: null },
  { title: "not with another currency", from: intent(), event: begun(1, { currency: "USD" }), to: null },
  { title: "not with another capture", from: intent(), event: begun(1, { capture: "later" }), to: null },
  { title: "not out of turn", from: FAILED, event: begun(1), to: null },
  {
    title: "not when there were as many as may be",
    from: intent(Array.from({ length: INTENT_ATTEMPTS_MAX }, (_, index) => attempt(index + 1, "failed"))),
    event: begun(INTENT_ATTEMPTS_MAX + 1),
    to: null,
  },
  ...(["requires_action", "processing", "succeeded", "requires_capture", "canceled"] as const).map((status) => ({
    title: `not where it is ${status}`,
    from: ALL[status],
    event: begun(2),
    to: null,
  })),
]);

table("an attempt becomes", [
  { title: "payable", from: OPENING, event: changed(attempt(1, "open")), to: "requires_action", told: ["payment_intent.requires_action"] },
  ...[OPENING, OPEN].map((from) => ({
    title: `paid, where it was ${statusOf(from)}`,
    from,
    event: changed(attempt(1, "paid")),
    to: "succeeded" as const,
    told: ["charge.succeeded", "payment_intent.succeeded"],
  })),
  {
    title: "authorized",
    from: intent([attempt(1, "open", { capture: "later" })], { order: { captureMethod: "manual" } }),
    event: changed(attempt(1, "paid", { capture: "later" })),
    to: "requires_capture",
    told: ["charge.succeeded", "payment_intent.amount_capturable_updated"],
  },
  {
    title: "failed",
    from: OPEN,
    event: changed(attempt(1, "failed")),
    to: "requires_payment_method",
    told: ["charge.failed", "payment_intent.payment_failed"],
  },
  {
    title: "unclear: its time is over, and the gateway cannot be asked",
    from: OPEN,
    event: changed(attempt(1, "unreachable")),
    to: "processing",
    told: ["payment_intent.processing"],
  },
  {
    title: "unclear without ever having been payable: nothing new",
    from: OPENING,
    event: changed(attempt(1, "unreachable")),
    to: "processing",
  },
  {
    title: "settled after it failed: nothing to tell",
    from: intent([attempt(1, "failed", { settled: false })]),
    event: changed(attempt(1, "failed")),
    to: "requires_payment_method",
  },
  {
    title: "paid after it had failed: that counts",
    from: FAILED,
    event: changed(attempt(1, "paid")),
    to: "succeeded",
    told: ["charge.succeeded", "payment_intent.succeeded"],
  },
  {
    title: "paid after it had failed, while the next one is open: that counts",
    from: intent([attempt(1, "failed"), attempt(2, "open")]),
    event: changed(attempt(1, "paid")),
    to: "succeeded",
    told: ["charge.succeeded", "payment_intent.succeeded"],
  },
  {
    title: "paid as the second one: nobody wants it, and it is told as failed",
    from: intent([attempt(1, "paid"), attempt(2, "open")]),
    event: changed(attempt(2, "paid")),
    to: "succeeded",
    told: ["charge.failed"],
    record: () => ({ attempts: [attempt(1, "paid"), attempt(2, "paid", { unwanted: true })] }),
  },
  {
    title: "paid a second time while the first is authorized: nobody wants it",
    from: intent([attempt(1, "failed"), attempt(2, "paid", { capture: "later" })]),
    event: changed(attempt(1, "paid", { capture: "later" })),
    to: "requires_capture",
    record: () => ({
      attempts: [attempt(1, "paid", { capture: "later", unwanted: true }), attempt(2, "paid", { capture: "later" })],
    }),
  },
  ...[{ amountMinor: 5_000 }, { currency: "USD" }, { captureMethod: "manual" as const }].map((order) => ({
    title: `paid late for what is not ordered any more (${Object.keys(order)}): nobody wants it, and nothing is told`,
    from: intent([attempt(1, "failed")], { order }),
    event: changed(attempt(1, "paid")),
    to: "requires_payment_method" as const,
    record: () => ({ attempts: [attempt(1, "paid", { unwanted: true })] }),
  })),
  {
    title: "paid after the cancellation: nobody wants it, and nothing is told",
    from: CANCELED,
    event: changed(attempt(1, "paid")),
    to: "canceled",
    record: () => ({ attempts: [attempt(1, "paid", { unwanted: true })] }),
  },
  {
    title: "reversed when nobody wanted it: nothing is told",
    from: { ...CANCELED, attempts: [attempt(1, "paid", { unwanted: true })] },
    event: changed(attempt(1, "paid", { followUps: [entry("reversal", "done")] })),
    to: "canceled",
  },
  { title: "another's: refused", from: OPEN, event: changed(attempt(2, "paid")), to: null },
]);

table("a cancel", [
  { title: "without an attempt", from: intent(), event: cancel, to: "canceled", told: ["payment_intent.canceled"] },
  { title: "after a failed one", from: FAILED, event: cancel, to: "canceled", told: ["payment_intent.canceled"] },
  ...(["requires_action", "processing", "succeeded", "requires_capture", "canceled"] as const).map((status) => ({
    title: `alone does nothing where it is ${status}`,
    from: ALL[status],
    event: cancel,
    to: null,
  })),
  ...[OPEN, OPENING].map((from) => ({
    title: `that revokes the attempt, where it is ${statusOf(from)}`,
    from,
    event: changed(attempt(1, "revoked"), { cancellation: asked }),
    to: "canceled" as const,
    told: ["charge.failed", "payment_intent.canceled"],
    record: () => ({
      attempts: [attempt(1, "revoked")],
      cancellation: { ...asked, requestedAtMs: NOW_MS, canceledAtMs: NOW_MS },
    }),
  })),
  { title: "is what revokes: nobody else does", from: OPEN, event: changed(attempt(1, "revoked")), to: null },
  {
    title: "of an open attempt is refused once another one was paid",
    from: intent([attempt(1, "paid"), attempt(2, "open")]),
    event: changed(attempt(2, "revoked"), { cancellation: asked }),
    to: null,
  },
  {
    title: "of an authorized payment is noted while it is reversed",
    from: AUTHORIZED,
    event: changed(attempt(1, "paid", { capture: "later", followUps: [entry("reversal", "requested")] }), { cancellation: asked }),
    to: "requires_capture",
    record: () => ({
      attempts: [attempt(1, "paid", { capture: "later", followUps: [entry("reversal", "requested")] })],
      cancellation: { ...asked, requestedAtMs: NOW_MS, canceledAtMs: null },
    }),
  },
  {
    title: "of an authorized payment is done once it is reversed",
    from: {
      ...AUTHORIZED,
      attempts: [attempt(1, "paid", { capture: "later", followUps: [entry("reversal", "requested")] })],
      cancellation: { ...asked, requestedAtMs: NOW_MS, canceledAtMs: null },
    },
    event: changed(attempt(1, "paid", { capture: "later", followUps: [entry("reversal", "done")] })),
    to: "canceled",
    told: ["charge.refunded", "payment_intent.canceled"],
  },
  {
    title: "of an authorized payment is forgotten where the gateway refuses the reversal",
    from: {
      ...AUTHORIZED,
      attempts: [attempt(1, "paid", { capture: "later", followUps: [entry("reversal", "requested")] })],
      cancellation: { ...asked, requestedAtMs: NOW_MS, canceledAtMs: null },
    },
    event: changed(attempt(1, "paid", { capture: "later", followUps: [entry("reversal", "refused")] })),
    to: "requires_capture",
    record: () => ({
      attempts: [attempt(1, "paid", { capture: "later", followUps: [entry("reversal", "refused")] })],
      cancellation: null,
    }),
  },
  {
    title: "of a payment whose capture may have been executed is refused",
    from: { ...AUTHORIZED, attempts: [attempt(1, "paid", { capture: "later", followUps: [entry("capture", "requested")] })] },
    event: changed(attempt(1, "paid", { capture: "later", followUps: [entry("capture", "requested"), entry("reversal", "requested")] }), {
      cancellation: asked,
    }),
    to: null,
  },
]);

table("captures and refunds", [
  {
    title: "a capture that is done is told, and the intent has succeeded",
    from: AUTHORIZED,
    event: changed(attempt(1, "paid", { capture: "later", followUps: [entry("capture", "done", { amountMinor: 1_000 })] })),
    to: "succeeded",
    told: ["charge.captured", "payment_intent.succeeded"],
  },
  {
    title: "a capture that is asked for changes nothing yet",
    from: AUTHORIZED,
    event: changed(attempt(1, "paid", { capture: "later", followUps: [entry("capture", "requested")] })),
    to: "requires_capture",
  },
  {
    title: "a refund that is asked for is kept, and nobody is told yet",
    from: PAID,
    event: changed(attempt(1, "paid", { followUps: [entry("refund", "requested")] }), { refund: refundEntry() }),
    to: "succeeded",
    record: () => ({ attempts: PENDING.attempts, refunds: [refundEntry()] }),
  },
  {
    title: "a refund that is done at once is told as made, with its charge",
    from: PENDING,
    event: changed(attempt(1, "paid", { followUps: [entry("refund", "done")] })),
    to: "succeeded",
    told: ["refund.created", "charge.refunded"],
    record: () => ({
      attempts: [attempt(1, "paid", { followUps: [entry("refund", "done")] })],
      refunds: [refundEntry({ told: true })],
    }),
  },
  {
    title: "a refund whose answer is missing is told as made",
    from: PENDING,
    event: { type: "refund.told", atMs: NOW_MS, refundId: "re_1" },
    to: "succeeded",
    told: ["refund.created"],
    record: () => ({ refunds: [refundEntry({ told: true })] }),
  },
  { title: "and that once", from: TOLD, event: { type: "refund.told", atMs: NOW_MS, refundId: "re_1" }, to: null },
  {
    title: "a pending refund that is done is told as changed",
    from: TOLD,
    event: changed(attempt(1, "paid", { followUps: [entry("refund", "done")] })),
    to: "succeeded",
    told: ["refund.updated", "charge.refunded"],
  },
  {
    title: "a pending refund that is refused is told as failed",
    from: TOLD,
    event: changed(attempt(1, "paid", { followUps: [entry("refund", "refused")] })),
    to: "succeeded",
    told: ["refund.failed"],
  },
  {
    title: "a refund that is refused at once is not told",
    from: PENDING,
    event: changed(attempt(1, "paid", { followUps: [entry("refund", "refused")] })),
    to: "succeeded",
  },
  {
    title: "one that was refused meanwhile is not told as made",
    from: { ...PENDING, attempts: [attempt(1, "paid", { followUps: [entry("refund", "refused")] })] },
    event: { type: "refund.told", atMs: NOW_MS, refundId: "re_1" },
    to: null,
  },
]);

table("an update", [
  ...(["requires_payment_method", "requires_action", "processing", "requires_capture", "succeeded"] as const).map((status) => ({
    title: `of the description is taken where it is ${status}`,
    from: ALL[status],
    event: update({ description: "Order 9" }),
    to: status,
    record: ({ order }: IntentRecord) => ({ order: { ...order, description: "Order 9" } }),
  })),
  { title: "of the amount is taken while nothing is open", from: FAILED, event: update({ amountMinor: 1 }), to: "requires_payment_method" },
  ...(["requires_action", "processing", "requires_capture", "succeeded"] as const).map((status) => ({
    title: `of the amount is refused where it is ${status}`,
    from: ALL[status],
    event: update({ amountMinor: 1 }),
    to: null,
  })),
  { title: "is refused when it is canceled", from: CANCELED, event: update({ description: "Order 9" }), to: null },
]);

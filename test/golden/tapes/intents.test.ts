import assert from "node:assert/strict";
import { chargeIdOf, linkOrderOf } from "../../../engine/intents/attempt.ts";
import type { IntentEvent } from "../../../engine/intents/events.ts";
import { type Attempt, type IntentRecord, statusOf } from "../../../engine/intents/intent.ts";
import { IntentCause } from "../../../engine/intents/intent-cause.ts";
import type { Operation } from "../../../engine/intents/intents.ts";
import { intentMachine } from "../../../engine/intents/machine.ts";
import { refundIdOf } from "../../../engine/intents/operation-ids.ts";
import { stepIntent } from "../../../engine/intents/workflow.ts";
import { NO_ACTIVITY, type WorkflowEntry } from "../../../engine/kernel/activity-log.ts";
import { fromMinorUnits } from "../../../engine/kernel/money.ts";
import { prefixedId } from "../../../engine/kernel/prefixed-id.ts";
import { recordText } from "../../../engine/kernel/schemas.ts";
import type { LinkRecord } from "../../../engine/links/link.ts";
import {
  ALL,
  AUTHORIZED,
  asked,
  attempt,
  begun,
  cancel,
  changed,
  entry,
  intent,
  NOW_MS,
  PENDING,
  refundEntry,
  TOLD,
  update,
} from "../../engine/intents/machine-world.ts";
import { digest, IntentWorld, OWNER, openShard, operation } from "../../engine/intents/world.ts";
import { FakeGateway } from "../../engine/links/world.ts";
import { ManualClock } from "../../engine/world.ts";
import { ACCOUNT, commitBeside, linkOf, outcomeOf } from "./linked.ts";
import { type Heard, holdToTape, type TapeKv } from "./tape.ts";

/** A request with this operation id creates the intent of all records, and refunds it. */
const OPERATION_ID = "o1";
const ID = prefixedId("pi_", digest(`intent ${OPERATION_ID}`));

/** Returns the value with ids in the product's form, because lookups accept no others. */
function identified<T>(value: T): T {
  const text = JSON.stringify(value)
    .replaceAll("pi_1", ID)
    .replaceAll('"re_1"', JSON.stringify(refundIdOf({ id: OPERATION_ID }, digest)));
  return JSON.parse(text.replaceAll(/"ch_(\d)"/g, (_, n: string) => JSON.stringify(chargeIdOf(`${ID}.${n}`, digest))));
}

const later = (...followUps: Attempt["followUps"]) => attempt(1, "paid", { capture: "later", followUps });
const RELEASING = {
  ...AUTHORIZED,
  attempts: [later(entry("reversal", "requested"))],
  cancellation: { ...asked, requestedAtMs: NOW_MS, canceledAtMs: null },
};

const records = identified({
  "requires_payment_method, without an attempt": intent(),
  ...ALL,
  new: intent([], { events: 0 }),
  "processing, unreachable": intent([attempt(1, "unreachable")]),
  "requires_action, for a later capture": intent([attempt(1, "open", { capture: "later" })], { order: { captureMethod: "manual" } }),
  "processing, for a later capture": intent([attempt(1, "opening", { capture: "later" })], { order: { captureMethod: "manual" } }),
  "failed, for a later capture": intent([attempt(1, "failed", { capture: "later" })], { order: { captureMethod: "manual" } }),
  "requires_capture, being released": RELEASING,
  "requires_capture, being captured": { ...AUTHORIZED, attempts: [later(entry("capture", "requested"))] },
  "paid, another attempt open": intent([attempt(1, "paid"), attempt(2, "open")]),
  "failed, another attempt open": intent([attempt(1, "failed"), attempt(2, "open")]),
  "failed, another attempt opening": intent([attempt(1, "failed"), attempt(2, "opening")]),
  "ordered anew after a failure": intent([attempt(1, "failed")], { order: { amountMinor: 5_000 } }),
  "canceled without an attempt": intent([], { cancellation: ALL.canceled.cancellation }),
  "with a refund that nobody was told of": PENDING,
  "with a refund": TOLD,
});

const events = identified({
  "intent.updated": update({ description: "Order 9" }),
  "intent.updated, its amount": update({ amountMinor: 1 }),
  "cancel.requested": cancel,
  "intent.created": { type: "intent.created", atMs: NOW_MS },
  "attempt.begun": begun(1),
  "attempt.begun, with a change": begun(1, { amountMinor: 500 }, { amountMinor: 500 }),
  "attempt.begun again": begun(2),
  "attempt.changed to open": changed(attempt(1, "open")),
  "attempt.changed to paid": changed(attempt(1, "paid")),
  "attempt.changed to authorized": changed(later()),
  "attempt.changed to failed": changed(attempt(1, "failed")),
  "attempt.changed to unreachable": changed(attempt(1, "unreachable")),
  "attempt.changed to revoked": changed(attempt(1, "revoked"), { cancellation: asked }),
  "a reversal is asked for": changed(later(entry("reversal", "requested")), { cancellation: asked }),
  "a reversal is done": changed(later(entry("reversal", "done"))),
  "a reversal is refused": changed(later(entry("reversal", "refused"))),
  "a capture is asked for": changed(later(entry("capture", "requested")), { metadata: { a: "1" } }),
  "a capture is done": changed(later(entry("capture", "done", { amountMinor: 1_000 }))),
  "a refund is asked for": changed(attempt(1, "paid", { followUps: [entry("refund", "requested")] }), { refund: refundEntry() }),
  "a refund is done": changed(attempt(1, "paid", { followUps: [entry("refund", "done")] })),
  "a refund is refused": changed(attempt(1, "paid", { followUps: [entry("refund", "refused")] })),
  "the second attempt is paid": changed(attempt(2, "paid")),
  "charge.changed": { type: "charge.changed", atMs: NOW_MS, chargeId: "ch_1", change: { description: "Charge 9" } },
  "refund.changed": { type: "refund.changed", atMs: NOW_MS, refundId: "re_1", metadata: { a: "1" } },
  "refund.told": { type: "refund.told", atMs: NOW_MS, refundId: "re_1" },
} satisfies Record<string, IntentEvent>);

const keyOf = ({ id }: IntentRecord) => `intent/${id}`;

/** Returns the link at the gateway that an attempt mirrors. */
function linkOfAttempt(record: IntentRecord, now: Attempt): LinkRecord {
  const n = Number(now.txId.split(".").at(-1));
  const { amountMinor, currency, capture } = now;
  const ordered = linkOrderOf({ ...record, attempts: record.attempts.slice(0, n - 1) }, record.order, ACCOUNT, "back", now.createdAtMs);
  const order = { ...ordered, amountMinor, currency, capture, amount: fromMinorUnits(amountMinor, currency) };
  return linkOf(order, {
    state: (
      { opening: "created", open: "waiting", unreachable: "watching", paid: "success", failed: "failed", revoked: "failed" } as const
    )[now.state],
    paymentUrl: now.url,
    paymentId: `g-${now.txId}`,
    outcome: outcomeOf(now),
    overdue: now.state === "unreachable",
    ...(now.state === "revoked" ? { revoked: true } : {}),
    ...(now.settled ? { settled: true } : {}),
    followUps: now.followUps.map((followUp) => ({ ...followUp, whole: true, tranId: null, resultCode: null })),
  });
}

function parts() {
  const heard = { workflow: [] as WorkflowEntry[], became: [] };
  let uuids = 0;
  const uuid = () => {
    uuids += 1;
    return `00000000-0000-4000-8000-${String(uuids).padStart(12, "0")}`;
  };
  return { heard, uuid, activity: { ...NO_ACTIVITY, workflow: (entry: WorkflowEntry) => void heard.workflow.push(entry) } };
}

function open(kv: TapeKv, record: IntentRecord) {
  const { heard, ...others } = parts();
  const clock = new ManualClock();
  const gateway = new FakeGateway(clock.nowMs);
  const { intents, companion } = openShard({ kv, clock, gateway, ...others, failed: (_, error) => assert.fail(String(error)) });
  const { id, attempts } = record;
  const [first] = attempts;

  function commitLink(event: LinkEvent, request: Operation): Promise<{ type: string }> | null {
    const before = attempts.find(({ txId }) => txId === event.attempt.txId);
    const link = linkOfAttempt(record, event.attempt);
    if ((before === undefined) !== (event.type === "attempt.begun") || link.order.txId !== event.attempt.txId) return null;
    const cause = causeOf(event, request);
    // Reports of the gateway are always accepted.
    if (cause === null && !stepIntent(record, event).accepted) return null;
    const linkBefore = before === undefined ? null : linkOfAttempt(record, before);
    return commitBeside(kv, companion, { record: link, before: linkBefore, atMs: event.atMs }, cause);
  }

  return {
    heard,
    apply: async (event: IntentEvent, requestId: string | null): Promise<{ type: string } | null> => {
      clock.wallMs = event.atMs;
      if (requestId === null && event.type !== "attempt.changed") return null;
      const request = { id: OPERATION_ID, requestId: requestId ?? "", idempotencyKey: "key-1" };
      switch (event.type) {
        case "intent.created":
          return record.events > 0 ? null : { type: statusOf(await intents.create(OWNER, record.order, request)) };
        case "intent.updated":
          return intents.update(OWNER, id, event.change, request);
        case "cancel.requested":
          return statusOf(record) === "requires_payment_method" ? intents.cancel(OWNER, id, event.cancellation.reason, request) : null;
        case "attempt.begun":
        case "attempt.changed":
          return commitLink(event, request);
        case "charge.changed":
          if (first?.endedAtMs !== null) await kv.seed(`intent-charge/${event.chargeId}`, id);
          return intents.updateCharge(OWNER, event.chargeId, event.change, request);
        case "refund.changed":
          await kv.seed(`intent-refund/${event.refundId}`, id);
          return intents.updateRefund(OWNER, event.refundId, event.metadata, request);
        case "refund.told":
          if (record.refunds.length === 0 || first === undefined) return null;
          await kv.seed(`link/${first.txId}`, recordText("link", linkOfAttempt(record, first)));
          gateway.mode = "away";
          return intents.refund(OWNER, { intentId: id }, { amountMinor: null, reason: null, metadata: {} }, request);
      }
    },
  };
}

type LinkEvent = Extract<IntentEvent, { type: "attempt.begun" | "attempt.changed" }>;

/** Returns the request behind a change of a link, or null if the gateway reported it. */
function causeOf(event: LinkEvent, request: Operation): IntentCause | null {
  if (event.type === "attempt.begun") return new IntentCause(request, { change: event.change });
  const { cancellation, refund, metadata } = event;
  if (cancellation !== null) return new IntentCause(request, { cancellation });
  if (refund !== null) return new IntentCause(request, { refund });
  return metadata === undefined ? null : new IntentCause(request, { change: { metadata } });
}

/** Walks through intents with their links at the gateway. */
async function walked(kv: TapeKv, walk: (world: IntentWorld) => Promise<unknown>): Promise<Heard> {
  const { heard, ...others } = parts();
  await walk(new IntentWorld(1, { kv, ...others }));
  return heard;
}

const refund = (world: IntentWorld, intentId: string) =>
  world.intents.refund(OWNER, { intentId }, { amountMinor: null, reason: null, metadata: {} }, world.next());

holdToTape<IntentRecord, IntentEvent>({
  subject: "intents",
  machine: intentMachine,
  records,
  // A new intent is not stored yet.
  stored: (record) => ({ key: record.events === 0 ? "unused/key" : keyOf(record), value: recordText("intent", record) }),
  stateOf: statusOf,
  events,
  guarded: false,
  open,
  walks: {
    "created, and once more by the same operation": (kv) =>
      walked(kv, async (world) => {
        for (let times = 0; times < 2; times += 1) await world.intents.create(OWNER, records.new.order, operation(OPERATION_ID));
      }),
    "created while the same operation creates it": (kv) =>
      walked(kv, async (world) => {
        kv.seedBeforeCommit(keyOf(records.new), recordText("intent", records.new));
        await world.intents.create(OWNER, records.new.order, operation(OPERATION_ID));
      }),
    "paid and refunded": (kv) =>
      walked(kv, async (world) => {
        const { id } = await world.paid();
        await refund(world, id);
      }),
    "authorized, disputed and captured": (kv) =>
      walked(kv, async (world) => {
        const { id, txId } = await world.paid({ captureMethod: "manual" });
        world.disputed.add(txId);
        await world.intents.capture(OWNER, id, 1_000, world.next(), { a: "1" });
      }),
    "authorized and canceled": (kv) =>
      walked(kv, async (world) => {
        const { id } = await world.paid({ captureMethod: "manual" });
        await world.intents.cancel(OWNER, id, "duplicate", world.next());
      }),
    "canceled while open, and paid all the same": (kv) =>
      walked(kv, async (world) => {
        const { id, txId } = await world.open();
        await world.intents.cancel(OWNER, id, null, world.next());
        world.gateway.pay(txId);
        await world.verified(txId);
      }),
  },
});

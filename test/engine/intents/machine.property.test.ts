import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { IntentEvent } from "../../../engine/intents/events.ts";
import { type Attempt, type IntentRecord, statusOf } from "../../../engine/intents/intent.ts";
import { intentMachine } from "../../../engine/intents/machine.ts";
import { INTENT_EFFECTS } from "../../../engine/intents/workflow.ts";
import { compile, readChart } from "../../../engine/kernel/statechart.ts";
import { xstateStep } from "../../support/xstate-step.ts";
import { attempt, entry, intent, NOW_MS, refundEntry } from "./machine-world.ts";

const step = compile(intentMachine, INTENT_EFFECTS);
const asked = { reason: null, operationId: "o1" };

type Happening =
  | { does: "create" | "update" | "cancel" | "tell" | "describe" | "annotate" }
  | { does: "begin" }
  | { does: "becomes"; last: boolean; state: Attempt["state"]; settled: boolean; canceled: boolean }
  | { does: "asks"; type: "capture" | "reversal" | "refund"; canceled: boolean }
  | { does: "answers"; state: "done" | "refused" };

const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<Happening>({ does: "create" }, { does: "update" }, { does: "cancel" }, { does: "tell" }) },
  { weight: 2, arbitrary: fc.constantFrom<Happening>({ does: "describe" }, { does: "annotate" }) },
  { weight: 3, arbitrary: fc.constant<Happening>({ does: "begin" }) },
  {
    weight: 8,
    arbitrary: fc.record({
      does: fc.constant("becomes" as const),
      last: fc.boolean(),
      state: fc.constantFrom<Attempt["state"]>("open", "open", "paid", "paid", "failed", "failed", "revoked", "unreachable"),
      settled: fc.boolean(),
      canceled: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant("asks" as const),
      type: fc.constantFrom("capture" as const, "reversal" as const, "refund" as const),
      canceled: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ does: fc.constant("answers" as const), state: fc.constantFrom("done" as const, "refused" as const) }),
  },
);

function changed(attemptNow: Attempt, canceled: boolean, refund = false): IntentEvent {
  return {
    type: "attempt.changed",
    atMs: NOW_MS,
    attempt: attemptNow,
    cancellation: canceled ? asked : null,
    refund: refund ? refundEntry({ chargeId: attemptNow.chargeId }) : null,
  };
}

/** Returns null if it cannot happen to a link. */
function eventOf(record: IntentRecord, what: Happening): IntentEvent | null {
  const capture = record.order.captureMethod === "manual" ? "later" : "now";
  const paid = record.attempts.find(({ state, unwanted }) => state === "paid" && !unwanted);
  switch (what.does) {
    case "create":
      return { type: "intent.created", atMs: NOW_MS };
    case "update":
      return { type: "intent.updated", atMs: NOW_MS, change: { description: "other" } };
    case "cancel":
      return { type: "cancel.requested", atMs: NOW_MS, cancellation: asked };
    case "tell":
      return { type: "refund.told", atMs: NOW_MS, refundId: "re_1" };
    case "describe":
      return { type: "charge.changed", atMs: NOW_MS, chargeId: "ch_1", change: { description: "other", metadata: { a: "1" } } };
    case "annotate":
      return { type: "refund.changed", atMs: NOW_MS, refundId: "re_1", metadata: { a: "1" } };
    case "begin":
      return { type: "attempt.begun", atMs: NOW_MS, attempt: attempt(record.attempts.length + 1, "opening", { capture }), change: {} };
    case "becomes": {
      const which = what.last ? record.attempts.at(-1) : record.attempts[0];
      if (which === undefined || which.state === "paid") return null;
      // An ended attempt may only be paid late.
      if ((which.state === "failed" || which.state === "revoked") && what.state !== "paid" && what.state !== which.state) return null;
      const n = record.attempts.indexOf(which) + 1;
      const settled = what.state === "failed" && (what.settled || which.settled);
      return changed(attempt(n, what.state, { capture, settled }), what.canceled);
    }
    case "asks": {
      if (paid === undefined || paid.followUps.some(({ type, state }) => type === what.type && state !== "refused")) return null;
      if (what.type === "capture" && paid.followUps.some(({ type, state }) => type === "reversal" && state !== "refused")) return null;
      const isNew = !paid.followUps.some(({ type }) => type === what.type);
      if (!isNew) return null;
      return changed(
        { ...paid, followUps: [...paid.followUps, entry(what.type, "requested")] },
        what.canceled && what.type === "reversal",
        what.type === "refund",
      );
    }
    case "answers": {
      const open = paid?.followUps.find(({ state }) => state === "requested");
      if (paid === undefined || open === undefined) return null;
      return changed({ ...paid, followUps: paid.followUps.map((one) => (one === open ? { ...one, state: what.state } : one)) }, false);
    }
  }
}

describe("the payment intent under any sequence of events", () => {
  const first = fc.constantFrom(intent([], { events: 0 }), intent([], { events: 0, order: { captureMethod: "manual" } }));
  const histories = fc.array(happening, { minLength: 1, maxLength: 60, size: "max" });

  it("matches XState's steps with its compiled machine, derives its state from the record, counts one payment, and reaches every transition", () => {
    const reached = new Set<string>();
    fc.assert(
      fc.property(first, histories, (begins, happenings) => {
        let record = begins;
        let hasSucceeded = false;
        for (const what of happenings) {
          const event = eventOf(record, what);
          if (event === null) continue;
          const before = statusOf(record);
          const { state, context, effects } = step(before, record, event);
          assert.deepEqual({ state, context, effects }, xstateStep(intentMachine, before, record, event));
          assert.equal(statusOf(context), state);
          reached.add(`${before} on ${event.type} to ${state}`);
          const told = effects.flatMap((effect) => (effect.type === "tell" ? [effect.params.news] : []));
          assert.ok(told.length <= 1, "of the intent one thing is told at once");
          assert.ok(!(hasSucceeded && told.includes("payment_intent.succeeded")), "it succeeds once");
          hasSucceeded ||= state === "succeeded";
          if (hasSucceeded) assert.equal(state, "succeeded", "what has succeeded stays so");
          if (before === "canceled") assert.equal(state, "canceled", "what is canceled stays so");
          const wanted = context.attempts.filter((one) => one.state === "paid" && !one.unwanted);
          assert.ok(wanted.length <= 1, "one payment counts");
          const open = context.attempts.filter((one) => one.state === "opening" || one.state === "open" || one.state === "unreachable");
          assert.ok(open.length <= 1, "one attempt is open");
          record = { ...context, events: context.events + 1 };
        }
      }),
      { numRuns: 3_000, includeErrorInReport: true },
    );
    for (const { name, transitions } of readChart(intentMachine).states)
      for (const { event, target } of transitions) {
        const change = `${name} on ${event} to ${target ?? name}`;
        assert.ok(reached.has(change), `no history has ${change}`);
      }
  });
});

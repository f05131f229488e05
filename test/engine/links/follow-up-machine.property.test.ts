import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { compile, readChart } from "../../../engine/kernel/statechart.ts";
import { type FollowUpEvent, followUpMachine, stateOfFollowUp } from "../../../engine/links/follow-up-machine.ts";
import type { FollowUp } from "../../../engine/links/link.ts";
import { xstateStep } from "../../support/xstate-step.ts";
import { followUp, NOW_MS, unanswered } from "./machine-world.ts";

const step = compile(followUpMachine, ["verify", "executeFollowUp", "repeatFollowUp"]);

/** One thing that happens. */
interface Happening {
  does: FollowUpEvent["type"];
  waitMs: number;
  resultCode: string;
  executed: boolean | null;
}

const happening: fc.Arbitrary<Happening> = fc.record({
  does: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom("followUp.requested", "followUp.refused", "totals.read", "verify.failed" as const) },
    { weight: 1, arbitrary: fc.constant("followUp.answered" as const) },
  ),
  waitMs: fc.constantFrom(0, 0, 1, 30_000, 1_800_000, -5),
  resultCode: fc.constantFrom("GW_30004", "GW_30401"),
  executed: fc.constantFrom(false, false, null, true),
});

function eventOf({ does, resultCode, executed }: Happening, { id, type, refusal }: FollowUp, atMs: number): FollowUpEvent {
  switch (does) {
    case "followUp.requested":
      return { type: does, atMs, id, followUp: type, amountMinor: null };
    case "followUp.answered":
      return { type: does, atMs, id, tranId: "m2", resultCode: "GW_000", description: "ok" };
    case "followUp.refused":
      return { type: does, atMs, id, resultCode, description: "no" };
    case "totals.read":
      // Also one that was asked before the refusal.
      return { type: does, atMs, askedAtMs: resultCode === "GW_30401" ? (refusal?.atMs ?? atMs) - 1 : atMs, executed };
    case "verify.failed":
      return { type: does, atMs };
  }
}

describe("whatever happens to a capture, reversal or refund", () => {
  const first = fc.constantFrom<FollowUp>(
    unanswered({ requestedAtMs: NOW_MS }),
    unanswered({ requestedAtMs: NOW_MS, repeated: true, flagged: true }),
    unanswered({ requestedAtMs: NOW_MS, repeated: true, refusal: { atMs: NOW_MS - 1, resultCode: "GW_30004", description: "no" } }),
    followUp({ tranId: null }),
    followUp(),
    followUp({ state: "refused", tranId: null }),
  );
  const histories = fc.array(happening, { minLength: 1, maxLength: 30, size: "max" });

  it("its compiled machine steps as XState's own transition does, its record alone tells its state, and every arrow of the chart is reached", () => {
    const reached = new Set<string>();
    fc.assert(
      fc.property(first, histories, (begins, happenings) => {
        let entry = begins;
        let nowMs = NOW_MS;
        for (const what of happenings) {
          nowMs += what.waitMs;
          const event = eventOf(what, entry, nowMs);
          const before = stateOfFollowUp(entry);
          const { state, context, effects } = step(before, { entry }, event);
          assert.deepEqual({ state, context, effects }, xstateStep(followUpMachine, before, { entry }, event));
          assert.equal(stateOfFollowUp(context.entry), state);
          reached.add(`${before} to ${state}`);
          entry = context.entry;
        }
      }),
      { numRuns: 3_000 },
    );
    for (const { name, transitions } of readChart(followUpMachine).states)
      for (const { target } of transitions) {
        const change = `${name} to ${target ?? name}`;
        assert.ok(reached.has(change), `no history comes from ${change}`);
      }
  });
});

describe("by its machine a capture, reversal or refund", () => {
  const transitions = readChart(followUpMachine).states.flatMap(({ name, transitions: own }) => own.map((one) => ({ from: name, ...one })));
  const leadingTo = (state: string) => transitions.filter(({ target }) => target === state).map(({ from, event }) => `${from}, ${event}`);

  it("is refused by the first answer, and after a repetition only once a verify says that nothing was executed", () => {
    assert.deepEqual(leadingTo("refused"), ["requested, followUp.refused", "doubted, totals.read"]);
  });

  it("is executed only by the gateway's word, and stays so", () => {
    for (const from of leadingTo("done")) assert.match(from, /followUp\.answered$/);
    for (const from of leadingTo("found")) assert.match(from, /totals\.read$/);
    assert.deepEqual(
      transitions.filter(({ from, target }) => (from === "done" || from === "found") && target !== null).map(({ target }) => target),
      ["done"],
    );
  });

  it("is executed again only while it is not known to be refused", () => {
    const executing = transitions.filter(({ actions }) => actions.some(({ name }) => name === "executeFollowUp"));
    assert.deepEqual(
      executing.map(({ from, event }) => `${from}, ${event}`),
      ["requested, followUp.requested", "repeated, followUp.requested", "doubted, followUp.requested", "found, followUp.requested"],
    );
  });
});

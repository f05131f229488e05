import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { GatewayPaymentState } from "../../../engine/gateway/gateway.ts";
import { compile, readChart } from "../../../engine/kernel/statechart.ts";
import type { LinkRecord } from "../../../engine/links/link.ts";
import { type LinkMachineEvent, linkMachine, stateOfLink } from "../../../engine/links/machine.ts";
import { newLink } from "../../../engine/links/rules.ts";
import { LINK_EFFECTS } from "../../../engine/links/step-link.ts";
import { xstateStep } from "../../support/xstate-step.ts";
import { CREATED_MS, EXPIRES_MS, link, order, PAYMENT } from "./machine-world.ts";

const step = compile(linkMachine, LINK_EFFECTS);

const DAY_MS = 86_400_000;

/** One thing that happens. `at`: so long after the one before, or at the deadline or the end of the link. */
interface Happening {
  does: LinkMachineEvent["type"];
  at: number | "deadline" | "end";
  askedBeforeMs: number;
  payment: GatewayPaymentState;
  flag: boolean;
}

const paid: GatewayPaymentState = { type: "paid", paymentId: "g1", payment: PAYMENT };
const happening: fc.Arbitrary<Happening> = fc.record({
  does: fc.oneof(
    {
      weight: 4,
      arbitrary: fc.constantFrom("init.begun", "init.answered", "init.refused", "verify.requested", "deadline.passed" as const),
    },
    // Often enough that each of its arrows is reached in every run.
    { weight: 4, arbitrary: fc.constant("revoke.requested" as const) },
    { weight: 2, arbitrary: fc.constant("notification.received" as const) },
    { weight: 6, arbitrary: fc.constantFrom("verify.answered", "verify.failed" as const) },
  ),
  at: fc.constantFrom<Happening["at"]>(
    "deadline",
    "deadline",
    "deadline",
    "end",
    0,
    0,
    1,
    2_999,
    30_000,
    300_000,
    3_600_000,
    8 * DAY_MS,
    -40_000,
  ),
  askedBeforeMs: fc.constantFrom(0, 0, 10, 50_000),
  payment: fc.oneof(
    {
      weight: 4,
      arbitrary: fc.constantFrom<GatewayPaymentState>(
        { type: "absent" },
        { type: "pending", paymentId: "g1", redirectUrl: "https://pay.example/g1" },
        { type: "pending", paymentId: "g1", redirectUrl: null },
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom<GatewayPaymentState>(
        paid,
        { ...paid, payment: { ...PAYMENT, amount: { amountMinor: 1_000, currency: "EUR" } } },
        { type: "failed", paymentId: "g1", resultCode: "GW_10001", description: "no" },
        { type: "failed", paymentId: "g1", resultCode: "GW_20002", description: "too late" },
      ),
    },
  ),
  flag: fc.boolean(),
});

function eventOf({ does, askedBeforeMs, payment, flag }: Happening, atMs: number): LinkMachineEvent {
  switch (does) {
    case "init.answered":
      return { type: does, atMs, paymentId: "g1", redirectUrl: "https://pay.example/g1" };
    case "init.refused":
      return { type: does, atMs, resultCode: "GW_30001", description: "no", absent: flag };
    case "verify.answered":
      return { type: does, atMs, askedAtMs: atMs - askedBeforeMs, payment };
    case "revoke.requested":
      return { type: does, atMs, sinceMs: atMs - askedBeforeMs };
    default:
      return { type: does, atMs };
  }
}

function timeOf({ at }: Happening, { nextAtMs }: LinkRecord, nowMs: number): number {
  if (at === "end") return Math.max(nowMs, EXPIRES_MS);
  return at === "deadline" ? Math.max(nowMs, nextAtMs ?? nowMs) : nowMs + at;
}

describe("whatever happens to a payment link", () => {
  const first = fc.constantFrom<LinkRecord>(
    newLink(order()),
    newLink(order({ expiresAtMs: CREATED_MS + 60_000 })),
    link("created", { inits: 2 }),
    link("created", { verifiedAtMs: CREATED_MS }),
    link("waiting"),
    link("waiting"),
    link("watching", { notifications: 49 }),
    link("created", { overdue: true, nextAtMs: EXPIRES_MS }),
    link("watching", { overdue: true, nextAtMs: EXPIRES_MS }),
    link("expired", { overdue: true }),
    link("failed"),
    link("failed", { revoked: true, nextAtMs: CREATED_MS + 30_000 }),
    link("success", { reversalOwed: { sinceMs: CREATED_MS, state: "owed", attempts: 0, nextAtMs: CREATED_MS }, nextAtMs: CREATED_MS }),
  );
  const histories = fc.array(happening, { minLength: 1, maxLength: 40, size: "max" });

  it("its compiled machine steps as XState's own transition does, its record alone tells its state, and every arrow of the chart is reached", () => {
    const reached = new Set<string>();
    fc.assert(
      fc.property(first, histories, (begins, happenings) => {
        let record = begins;
        let nowMs = begins.order.createdAtMs;
        for (const what of happenings) {
          nowMs = timeOf(what, record, nowMs);
          const event = eventOf(what, nowMs);
          const before = stateOfLink(record);
          const { state, context, effects } = step(before, record, event);
          assert.deepEqual({ state, context, effects }, xstateStep(linkMachine, before, record, event));
          assert.equal(stateOfLink(context), state);
          const isVerify = event.type === "verify.answered" || event.type === "verify.failed";
          if (isVerify && state !== "success") {
            assert.ok((context.nextAtMs ?? Infinity) > nowMs, "its deadline would pass again and again");
          }
          reached.add(`${before} to ${state}`);
          record = context;
        }
      }),
      { numRuns: 3_000 },
    );
    for (const { name, transitions } of readChart(linkMachine).states)
      for (const { target } of transitions) {
        const change = `${name} to ${target ?? name}`;
        assert.ok(reached.has(change), `no history comes from ${change}`);
      }
  });
});

describe("by its machine a payment link", () => {
  const { states } = readChart(linkMachine);
  const leadingTo = (state: string) =>
    new Set(states.flatMap(({ transitions }) => transitions.filter(({ target }) => target === state).map(({ event }) => event)));
  const doing = (action: string) =>
    new Set(
      states.flatMap(({ transitions }) =>
        transitions.filter(({ actions }) => actions.some(({ name }) => name === action)).map(({ event }) => event),
      ),
    );

  it("is paid only by the gateway's answer to a verify, and stays so", () => {
    assert.deepEqual([...leadingTo("success")], ["verify.answered"]);
    assert.deepEqual([...leadingTo("revoked")], ["revoke.requested"]);
    const success = states.find(({ name }) => name === "success");
    assert.ok(success?.transitions.every(({ target }) => target === null));
  });

  it("is overdue only where a verify did not tell, and nothing but a verify or a refused init ends it", () => {
    assert.deepEqual([...leadingTo("overdue")], ["verify.failed", "verify.answered"]);
    assert.deepEqual([...leadingTo("failed")], ["init.refused", "verify.answered"]);
    assert.deepEqual([...leadingTo("expired")], ["verify.failed", "verify.answered"]);
  });

  it("is told of to operators only after a verify", () => {
    for (const action of ["flagLate", "flagAmount"]) assert.deepEqual([...doing(action)], ["verify.answered"]);
    // A link is revoked only after a verify has said that it is not paid.
    assert.deepEqual([...doing("settleOverdue")], ["revoke.requested", "verify.answered"]);
    assert.deepEqual([...doing("flagReversal")], ["deadline.passed", "verify.answered"]);
    assert.deepEqual([...doing("flagOverdue")], ["verify.failed", "verify.answered"]);
  });
});

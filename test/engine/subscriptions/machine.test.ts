import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { SubscriptionEvent } from "../../../engine/subscriptions/events.ts";
import { unknownLongOf } from "../../../engine/subscriptions/rules.ts";
import { ATTEMPTS_MAX, type SubscriptionRecord, type SubscriptionState } from "../../../engine/subscriptions/subscription.ts";
import { stepSubscription } from "../../../engine/subscriptions/workflow.ts";
import {
  attempt,
  attemptId,
  CREATED_MS,
  charge,
  DAY_MS,
  dunning,
  eventOf,
  failed,
  idOf,
  link,
  NOW_MS,
  ROWS,
  subscription,
  TERMS,
  TYPES,
} from "./machine-world.ts";

const HOUR_MS = 3_600_000;
/** Returns the effects in short form. */
function stepped(record: SubscriptionRecord, event: SubscriptionEvent): string {
  const { record: after, effects, accepted } = stepSubscription(record, event);
  if (!accepted) return "refused";
  const told = effects.flatMap((effect) => {
    switch (effect.type) {
      case "tell":
        return [effect.params.news.replace("subscription.", "")];
      case "mail":
        return [`mail ${effect.params.kind}`];
      default:
        return [effect.type];
    }
  });
  return [after.state, ...told].join(", ");
}

for (const [what, record, expected] of ROWS) {
  describe(`the subscription that is ${what}`, () => {
    for (const type of TYPES) {
      test(`${type}: ${expected[type] ?? "refused"}`, () => {
        assert.equal(stepped(record, eventOf(type, NOW_MS)), expected[type] ?? "refused");
      });
    }
    test("ignores events about another attempt", () => {
      for (const type of TYPES) if (type.startsWith("charge.")) assert.equal(stepped(record, eventOf(type, NOW_MS, 77)), "refused");
    });
  });
}

describe("the effects of time", () => {
  const due = CREATED_MS + 30 * DAY_MS + HOUR_MS;
  const paid = charge([attempt(1, "done")]);
  const at = (record: SubscriptionRecord, atMs: number, changes: { isInactive?: boolean } = {}) =>
    stepped(record, { ...eventOf("deadline.passed", atMs), ...changes });

  test("limits a first payment to 72 hours, unless its outcome is unknown", () => {
    const overMs = CREATED_MS + 72 * HOUR_MS;
    const open = subscription("INCOMPLETE", { charge: charge([link(1)]) });
    assert.equal(at(open, overMs - 1), "refused");
    assert.equal(at(open, overMs), "CANCELLED, cancelled, mail cancelled");
    assert.equal(at(subscription("INCOMPLETE", { charge: charge([attempt(1, "unknown")]) }), overMs + DAY_MS), "refused");
  });

  for (const state of ["TRIALING", "ACTIVE"] as const) {
    test(`requests a due cycle once, and only if the previous one is paid: ${state}`, () => {
      const record = subscription(state, { charge: state === "ACTIVE" ? paid : null });
      assert.equal(at(record, CREATED_MS + 30 * DAY_MS - 1), "refused");
      assert.equal(at(record, due), `${state}, ask`);
      const asked = stepSubscription(record, eventOf("deadline.passed", due)).record;
      assert.deepEqual(
        asked.charge?.attempts.map(({ id }) => id),
        [`sub-${idOf(1)}-2-1`],
      );
      assert.equal(at(asked, due + 60 * DAY_MS), "refused");
      assert.equal(at(subscription(state, { charge: charge([attempt(1, "unknown")]) }), due), "refused");
    });

    test(`treats a link as failed if it is unpaid for three days: ${state}`, () => {
      const record = subscription(state, { collection: "LINK", charge: charge([link(1)]) });
      assert.equal(at(record, CREATED_MS + 3 * DAY_MS - 1), "refused");
      assert.equal(at(record, CREATED_MS + 3 * DAY_MS), "PAST_DUE, payment_failed, past_due, mail failed");
    });
  }

  test("cancels at the period's end if requested, in any state", () => {
    for (const state of ["TRIALING", "ACTIVE", "PAST_DUE", "PAUSED"] as const) {
      const record = subscription(state, { charge: paid, cancelsAtPeriodEnd: true, cancelledBy: "customer" });
      assert.equal(at(record, due), "CANCELLED, cancelled, mail cancelled");
      assert.equal(stepSubscription(record, eventOf("deadline.passed", due)).record.cancelledBy, "customer");
    }
  });

  test("requests nothing for a deactivated merchant", () => {
    for (const state of ["TRIALING", "ACTIVE", "PAST_DUE"] as const) {
      assert.equal(
        at(subscription(state, { charge: state === "PAST_DUE" ? failed(attempt(1, "failed")) : paid, dunning }), due, { isInactive: true }),
        "PAUSED",
      );
    }
  });

  test("completes steps at their times, whether anything can be requested or not", () => {
    const retry = subscription("PAST_DUE", { charge: failed(attempt(1, "failed")), dunning });
    assert.equal(at(retry, CREATED_MS + DAY_MS - 1), "refused");
    assert.equal(at(retry, CREATED_MS + DAY_MS), "PAST_DUE, ask");
    assert.equal(stepSubscription(retry, eventOf("deadline.passed", CREATED_MS + 4 * DAY_MS)).record.dunning?.step, 2);
    const hard = subscription("PAST_DUE", { charge: failed(attempt(1, "failed", { hard: true })), dunning });
    assert.equal(at(hard, CREATED_MS + DAY_MS), "PAST_DUE, ask, mail step");
    assert.equal(stepSubscription(hard, eventOf("deadline.passed", CREATED_MS + DAY_MS)).record.charge?.attempts.at(-1)?.means, "LINK");
    assert.equal(
      at(subscription("PAST_DUE", { collection: "LINK", charge: failed(link(1)), dunning }), CREATED_MS + DAY_MS),
      "PAST_DUE, mail step",
    );
    const many = Array.from({ length: ATTEMPTS_MAX }, (_, index) => attempt(index + 1, "failed"));
    const full = subscription("PAST_DUE", { charge: failed(...many), dunning });
    assert.equal(at(full, CREATED_MS + DAY_MS), "PAST_DUE, mail step");
    assert.equal(stepped(full, eventOf("retry.requested", NOW_MS)), "refused");
    assert.equal(at(subscription("PAST_DUE", { charge: failed(attempt(1, "unknown")), dunning }), CREATED_MS + 40 * DAY_MS), "refused");
  });

  for (const [finalAction, expected] of [
    ["CANCEL", "CANCELLED, cancelled, mail cancelled"],
    ["PAUSE", "PAUSED"],
    ["STAY", "PAST_DUE"],
  ] as const) {
    test(`takes the final action after the last step: ${finalAction}`, () => {
      const last = { ...dunning, step: 2, terms: { ...TERMS, finalAction } };
      const record = subscription("PAST_DUE", { charge: failed(attempt(1, "failed")), dunning: last });
      assert.equal(at(record, CREATED_MS + 4 * DAY_MS - 1), "refused");
      assert.equal(at(record, CREATED_MS + 4 * DAY_MS), expected);
      const after = stepSubscription(record, eventOf("deadline.passed", CREATED_MS + 4 * DAY_MS)).record;
      assert.equal(after.nextAtMs, null);
      assert.equal(at(after, CREATED_MS + 400 * DAY_MS), "refused");
    });
  }
});

describe("the reports about a payment", () => {
  test("requests another payment immediately after a hard decline", () => {
    const hard = { ...eventOf("charge.failed", NOW_MS), hard: true };
    const active = subscription("ACTIVE", { charge: charge([attempt(1, "asked")]) });
    assert.equal(stepped(active, hard), "PAST_DUE, payment_failed, past_due, ask, mail failed");
    const past = subscription("PAST_DUE", { charge: failed(attempt(1, "asked")), dunning });
    assert.equal(stepped(past, hard), "PAST_DUE, payment_failed, ask, mail step");
    for (const record of [active, past]) {
      assert.equal(stepSubscription(record, hard).record.charge?.attempts.at(-1)?.means, "LINK");
    }
  });

  test("notifies operators of an outcome that is unknown for a day, until it is known", () => {
    for (const state of [
      "INCOMPLETE",
      "TRIALING",
      "ACTIVE",
      "PAST_DUE",
      "PAUSED",
      "CANCELLED",
    ] as const satisfies readonly SubscriptionState[]) {
      const record = subscription(state, { charge: charge([attempt(1, "unknown")]) });
      const after = (record: SubscriptionRecord, event: SubscriptionEvent) => stepSubscription(record, event).record;
      assert.equal(unknownLongOf(after(record, eventOf("charge.unknown", CREATED_MS + DAY_MS - 1))), null, state);
      const unknown = after(record, eventOf("charge.unknown", CREATED_MS + DAY_MS));
      assert.equal(unknownLongOf(unknown), attemptId(1), state);
      assert.equal(unknownLongOf(after(unknown, eventOf("charge.unknown", CREATED_MS + 2 * DAY_MS))), attemptId(1), state);
      for (const type of ["charge.opened", "charge.done", "charge.failed", "charge.lost"] as const)
        assert.equal(unknownLongOf(after(unknown, eventOf(type, CREATED_MS + 3 * DAY_MS))), null, `${state}, ${type}`);
    }
  });

  test("reports a second payment of a cycle to operators, and closes an open link after a payment", () => {
    const paid = charge([attempt(1, "done"), attempt(2, "failed")]);
    for (const state of ["ACTIVE", "PAUSED", "CANCELLED"] as const) {
      assert.equal(stepped(subscription(state, { charge: paid }), eventOf("charge.done", NOW_MS, 2)), `${state}, flagTwice`);
      assert.equal(stepped(subscription(state, { charge: paid }), eventOf("charge.done", NOW_MS, 1)), "refused");
    }
    const open = subscription("PAST_DUE", { charge: failed(attempt(1, "failed"), link(2)), dunning });
    const after = stepSubscription(open, eventOf("charge.done", NOW_MS)).record;
    assert.deepEqual([after.state, after.nextAtMs], ["ACTIVE", NOW_MS]);
    const due = after.period.untilMs + DAY_MS;
    assert.equal(stepped(after, eventOf("deadline.passed", due)), "refused", "no cycle begins before its end is known");
  });

  test("treats a payment of a cycle that a pause gave up as late", () => {
    const record = subscription("ACTIVE", { charge: charge([attempt(1, "failed")], { state: "VOID" }) });
    assert.equal(stepped(record, eventOf("charge.done", NOW_MS)), "ACTIVE, flagLate, paid_late");
  });

  test("treats a request that is lost too often as a failure", () => {
    const many = Array.from({ length: ATTEMPTS_MAX }, (_, index) => attempt(index + 1, "failed", { code: null }));
    const record = subscription("ACTIVE", { charge: charge([...many.slice(0, -1), attempt(ATTEMPTS_MAX, "unknown")]) });
    assert.equal(stepped(record, eventOf("charge.lost", NOW_MS, ATTEMPTS_MAX)), "PAST_DUE, payment_failed, past_due, mail failed");
  });

  test("tries a queued mail at its time", () => {
    for (const state of ["INCOMPLETE", "TRIALING", "ACTIVE", "PAST_DUE"] as const) {
      const record = subscription(state, { mailOwed: { kind: "payment", atMs: NOW_MS } });
      assert.equal(stepped(record, eventOf("mail.due", NOW_MS - 1)), "refused");
      assert.equal(stepped(record, eventOf("mail.due", NOW_MS)), `${state}, mail payment`);
    }
  });

  test("stores a cancellation at the period's end once, and rejects a retry within an hour", () => {
    for (const state of ["TRIALING", "ACTIVE", "PAST_DUE", "PAUSED"] as const) {
      const later = { ...eventOf("cancel.requested", NOW_MS), atPeriodEnd: true };
      const record = subscription(state, { charge: failed(attempt(1, "failed")), dunning });
      assert.equal(stepped(record, later), `${state}, mail cancelled`);
      assert.equal(stepped(stepSubscription(record, later).record, later), "refused");
    }
    for (const pending of [attempt(1, "failed"), link(1)]) {
      const record = subscription("PAST_DUE", { charge: failed(pending), dunning, retriedAtMs: NOW_MS - HOUR_MS + 1 });
      assert.equal(stepped(record, eventOf("retry.requested", NOW_MS)), "refused");
      assert.notEqual(stepped(record, eventOf("retry.requested", NOW_MS + 1)), "refused");
    }
  });
});

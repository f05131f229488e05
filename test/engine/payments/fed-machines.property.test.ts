import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { AlertRecord } from "../../../engine/alerts/alert.ts";
import type { AlertEvent } from "../../../engine/alerts/events.ts";
import type { DisputeRecord } from "../../../engine/disputes/dispute.ts";
import type { DisputeEvent } from "../../../engine/disputes/events.ts";
import { NO_PART } from "../../../engine/kernel/commit-part.ts";
import type { CommitResult } from "../../../engine/kernel/kv.ts";
import type { Stored } from "../../../engine/kernel/stored.ts";
import type { PortalLinkEvent } from "../../../engine/portal-links/events.ts";
import type { PortalLinkRecord } from "../../../engine/portal-links/portal-link.ts";
import type { SubscriptionEvent } from "../../../engine/subscriptions/events.ts";
import { pendingOf } from "../../../engine/subscriptions/rules.ts";
import type { SubscriptionRecord } from "../../../engine/subscriptions/subscription.ts";
import { alert, refund } from "../alerts/machine-world.ts";
import { alertWorkflowOn } from "../alerts/world.ts";
import { dispute, submission } from "../disputes/machine-world.ts";
import { disputeWorkflowOn } from "../disputes/world.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { attempt, portalLink } from "../portal-links/machine-world.ts";
import { portalLinkWorkflowOn } from "../portal-links/world.ts";
import { DAY_MS, eventOf, subscription, TERMS } from "../subscriptions/machine-world.ts";
import { subscriptionWorkflowOn } from "../subscriptions/world.ts";
import { ManualClock } from "../world.ts";
import { fedFaults } from "./fed-objects.ts";

const RUNS = 60;
const START_MS = 1_700_000_000_000;

/** What happens, and when: so long after the beginning, by whichever clock. What came later may say an earlier time. */
interface Happening {
  does: number;
  atMs: number;
}

const happenings = fc.array(
  fc.record({
    does: fc.nat(),
    atMs: fc.oneof(
      fc.constantFrom(0, 0, 1, 60_000, 3_600_000),
      fc.integer({ min: 0, max: 60 * DAY_MS }),
      fc.constantFrom(DAY_MS, 7 * DAY_MS + 1, 11 * DAY_MS, 40 * DAY_MS),
    ),
  }),
  { minLength: 1, maxLength: 25 },
);

interface Played<Record> {
  kv: MemoryKv;
  fresh: Record;
  /** The version of the new record. */
  create(): Promise<unknown>;
  /** What the record becomes, stored; null where it does not take that. */
  take(stored: Stored<Record>, happening: Happening): Promise<Stored<Record> | null>;
}

/** At every moment what was fed is what the record says. */
async function plays<Record>(all: readonly Happening[], { kv, fresh, create, take }: Played<Record>): Promise<void> {
  const version = await create();
  assert.ok(typeof version === "number");
  let stored: Stored<Record> = { record: fresh, version };
  assert.deepEqual(await fedFaults(kv), []);
  for (const happening of all) {
    stored = (await take(stored, happening)) ?? stored;
    assert.deepEqual(await fedFaults(kv), []);
  }
}

function versionOf(result: CommitResult): number {
  assert.ok(result.type === "committed");
  return result.version;
}

function pick<Item>(items: readonly Item[], n: number): Item {
  const item = items[n % items.length];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
}

function disputeEvents({ submissions }: DisputeRecord, atMs: number): DisputeEvent[] {
  const submissionId = submissions.at(-1)?.id ?? "dps_1";
  return [
    { type: "evidence.requested", atMs, respondByMs: atMs + 5 * DAY_MS, stage: "PRE_ARBITRATION" },
    { type: "draft.saved", atMs, draft: { statement: "It was delivered", fields: {} } },
    { type: "response.submitted", atMs, submission: submission(submissions.length + 1, "owed") },
    { type: "sending.begun", atMs, submissionId },
    { type: "network.accepted", atMs, submissionId },
    { type: "network.refused", atMs, submissionId, delivered: true },
    { type: "network.refused", atMs, submissionId, delivered: false },
    { type: "liability.accepted", atMs, by: { type: "key" } },
    { type: "verdict.received", atMs, result: "WON" },
    { type: "verdict.received", atMs, result: "LOST" },
    { type: "deadline.passed", atMs },
  ];
}

function alertEvents({ refund: before }: AlertRecord, atMs: number): AlertEvent[] {
  const attempt = (before?.attempt ?? 0) + 1;
  return [
    { type: "rule.matched", atMs, refund: refund({ by: { type: "rule", ruleId: "small" }, attempt, requestedAtMs: atMs }) },
    { type: "refund.requested", atMs, refund: refund({ attempt, requestedAtMs: atMs }) },
    { type: "refund.checked", atMs },
    { type: "refund.done", atMs, moved: true },
    { type: "refund.failed", atMs, detail: "gateway" },
    { type: "declined", atMs, reason: null, by: { type: "key" } },
    { type: "deadline.passed", atMs },
    { type: "network.resolved", atMs },
    { type: "network.invalid", atMs },
  ];
}

function linkEvents({ attempts }: PortalLinkRecord, atMs: number): PortalLinkEvent[] {
  const n = Math.max(1, attempts.length);
  const changed = (state: "open" | "paid" | "failed"): PortalLinkEvent => ({ type: "attempt.changed", atMs, attempt: attempt(n, state) });
  return [
    { type: "attempt.begun", atMs, attempt: attempt(attempts.length + 1, "opening") },
    ...[changed("open"), changed("paid"), changed("failed")],
    { type: "attempt.changed", atMs, attempt: attempt(n, "paid", { refund: "done" }) },
    { type: "cancel.requested", atMs, operationId: "o" },
    { type: "mail.owed", atMs, mailId: `m${atMs}` },
    { type: "deadline.passed", atMs },
  ];
}

const SUBSCRIPTION_EVENTS = [
  ...["deadline.passed", "charge.opened", "charge.open", "charge.unknown", "charge.done", "charge.failed", "charge.lost"],
  ...["cancel.requested", "pause.requested", "resume.requested", "retry.requested", "payment.requested", "mail.due"],
] as const satisfies readonly SubscriptionEvent["type"][];

/** Time passes more often than anything else, so that there are several cycles. */
function subscriptionEvents(record: SubscriptionRecord, atMs: number): SubscriptionEvent[] {
  const { period, cycle } = record;
  const next = { cycle: cycle + 1, dueAtMs: period.untilMs, untilMs: period.untilMs + 30 * DAY_MS };
  const due = { type: "deadline.passed", atMs: Math.max(atMs, period.untilMs + DAY_MS), isInactive: false, next, terms: TERMS } as const;
  const attemptId = pendingOf(record)?.id ?? record.charge?.attempts.at(-1)?.id ?? "none";
  const events = SUBSCRIPTION_EVENTS.map((type): SubscriptionEvent => {
    const event = eventOf(type, atMs);
    const own = "attemptId" in event ? { ...event, attemptId } : event;
    return "next" in own ? { ...own, next } : own;
  });
  const done = { type: "charge.done", atMs, attemptId, paidAtMs: atMs, uuid: "pl_1.1" } as const;
  return [...events, due, due, done, done];
}

describe("whatever happens when, by whichever clock, what was fed is what the record says", () => {
  it("of a dispute", async () => {
    const played = async (all: readonly Happening[]) => {
      const kv = new MemoryKv();
      const workflow = disputeWorkflowOn(kv, new ManualClock(), { received: async () => [], reminder: async () => [] });
      const fresh = dispute("OPEN");
      await plays<DisputeRecord>(all, {
        ...{ kv, fresh },
        create: () => workflow.store.commit({ record: fresh, before: null, version: 0, part: NO_PART, atMs: START_MS }).then(versionOf),
        take: async (stored, { does, atMs }) => {
          await workflow.step(stored, pick(disputeEvents(stored.record, START_MS + atMs), does), null);
          return workflow.store.load(fresh.id);
        },
      });
    };
    await fc.assert(fc.asyncProperty(happenings, played), { numRuns: RUNS });
  });

  it("of an alert", async () => {
    const played = async (all: readonly Happening[]) => {
      const kv = new MemoryKv();
      const workflow = alertWorkflowOn(kv, new ManualClock());
      const fresh = alert("PENDING");
      await plays<AlertRecord>(all, {
        ...{ kv, fresh },
        create: () => workflow.store.commit({ record: fresh, before: null, version: 0, part: NO_PART, atMs: START_MS }).then(versionOf),
        take: async (stored, { does, atMs }) => {
          await workflow.step(stored, pick(alertEvents(stored.record, START_MS + atMs), does), null);
          return workflow.store.load(fresh.id);
        },
      });
    };
    await fc.assert(fc.asyncProperty(happenings, played), { numRuns: RUNS });
  });

  it("of a link", async () => {
    const played = async (all: readonly Happening[]) => {
      const kv = new MemoryKv();
      const workflow = portalLinkWorkflowOn(kv, new ManualClock());
      const fresh = portalLink();
      await plays<PortalLinkRecord>(all, {
        ...{ kv, fresh },
        create: () => workflow.store.commit({ record: fresh, before: null, version: 0, part: NO_PART, atMs: START_MS }).then(versionOf),
        take: async (stored, { does, atMs }) => {
          await workflow.step(stored, pick(linkEvents(stored.record, START_MS + atMs), does), null);
          return workflow.store.load(fresh.id);
        },
      });
    };
    await fc.assert(fc.asyncProperty(happenings, played), { numRuns: RUNS });
  });

  it("of a subscription and its charges", async () => {
    const played = async (collection: "CARD" | "LINK", all: readonly Happening[]) => {
      const kv = new MemoryKv();
      const workflow = subscriptionWorkflowOn(kv, new ManualClock(), { owed: async () => [] });
      const fresh = subscription("TRIALING", { cycle: 0, collection, methodId: null, activeAtMs: START_MS });
      await plays<SubscriptionRecord>(all, {
        ...{ kv, fresh },
        create: () => workflow.store.commit({ record: fresh, before: null, version: 0, part: NO_PART, atMs: START_MS }).then(versionOf),
        take: async (stored, { does, atMs }) => {
          await workflow.step(stored, pick(subscriptionEvents(stored.record, START_MS + atMs), does), null);
          return workflow.store.load(fresh.id);
        },
      });
    };
    await fc.assert(fc.asyncProperty(fc.constantFrom("CARD", "LINK"), happenings, played), { numRuns: 2 * RUNS });
  });
});

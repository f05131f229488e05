import assert from "node:assert/strict";
import type { WorkflowEntry } from "../../../engine/kernel/activity-log.ts";
import { retryOnConflict } from "../../../engine/kernel/retry-on-conflict.ts";
import { recordText } from "../../../engine/kernel/schemas.ts";
import type { SubscriptionEvent } from "../../../engine/subscriptions/events.ts";
import { subscriptionMachine } from "../../../engine/subscriptions/machine.ts";
import { ATTEMPTS_MAX, type SubscriptionRecord, type SubscriptionState } from "../../../engine/subscriptions/subscription.ts";
import { SUBSCRIPTION_STATES } from "../../../engine/subscriptions/words.ts";
import { takeStep } from "../../../engine/subscriptions/take-step.ts";
import {
  attempt,
  CREATED_MS,
  charge,
  DAY_MS,
  dunning,
  eventOf,
  failed,
  link,
  NOW_MS,
  ROWS,
  subscription,
  TERMS,
  TYPES,
  tokenOf,
} from "../../engine/subscriptions/machine-world.ts";
import { FakeCharges, FakeLinks, HOUR_MS, OWNER, openShard, operation, SubscriptionWorld } from "../../engine/subscriptions/world.ts";
import { ManualClock } from "../../engine/world.ts";
import { type Heard, holdToTape, TapeKv } from "./tape.ts";

const inEach = (what: string, recordOf: (state: SubscriptionState) => SubscriptionRecord) =>
  Object.fromEntries(SUBSCRIPTION_STATES.map((state) => [`${state}, ${what}`, recordOf(state)]));

const PAID = charge([attempt(1, "done")]);
const OFTEN = Array.from({ length: ATTEMPTS_MAX - 1 }, (_, n) => attempt(n + 1, "failed", { code: null }));
const lastStep = (finalAction: "CANCEL" | "PAUSE" | "STAY") =>
  subscription("PAST_DUE", { charge: failed(attempt(1, "failed")), dunning: { ...dunning, step: 2, terms: { ...TERMS, finalAction } } });

const records = {
  ...Object.fromEntries(ROWS.map(([what, record]) => [what, record])),
  ...inEach("paid", (state) => subscription(state, { charge: PAID })),
  ...inEach("its payment given up", (state) => subscription(state, { charge: charge([attempt(1, "failed")], { state: "VOID" }) })),
  ...inEach("paid after a failure", (state) => subscription(state, { charge: charge([attempt(1, "failed"), attempt(2, "done")]) })),
  ...inEach("unknown for long", (state) => subscription(state, { charge: charge([attempt(1, "unknown", { flagged: true })]) })),
  ...inEach("failed and asked for again", (state) => subscription(state, { charge: failed(attempt(1, "asked")) })),
  ...inEach("its link open", (state) => subscription(state, { collection: "LINK", charge: charge([link(1)]) })),
  ...inEach("its card of no use", (state) =>
    subscription(state, { charge: failed(attempt(1, "failed", { hard: true })), ...(state === "PAST_DUE" ? { dunning } : {}) }),
  ),
  ...inEach("with a mail owed", (state) => subscription(state, { charge: PAID, mailOwed: { kind: "payment", atMs: NOW_MS } })),
  ...inEach("to be cancelled", (state) => subscription(state, { charge: PAID, cancelsAtPeriodEnd: true })),
  ...Object.fromEntries(
    (["INCOMPLETE", "TRIALING", "ACTIVE", "PAST_DUE"] as const).map((state) => [
      `${state}, unknown for the last time`,
      subscription(state, { charge: charge([...OFTEN, attempt(ATTEMPTS_MAX, "unknown")]) }),
    ]),
  ),
  ...Object.fromEntries((["CANCEL", "PAUSE", "STAY"] as const).map((action) => [`PAST_DUE, at last ${action}`, lastStep(action)])),
};

const events = {
  ...Object.fromEntries(TYPES.map((type) => [type, eventOf(type, NOW_MS)])),
  "cancel.requested at the period's end": { ...eventOf("cancel.requested", NOW_MS), atPeriodEnd: true },
  "charge.failed for good": { ...eventOf("charge.failed", NOW_MS), hard: true },
  "charge.unknown for a day": eventOf("charge.unknown", CREATED_MS + DAY_MS),
  "charge.done by the second attempt": eventOf("charge.done", NOW_MS, 2),
  "charge.lost by the last attempt": eventOf("charge.lost", NOW_MS, ATTEMPTS_MAX),
  "deadline.passed after a day": eventOf("deadline.passed", CREATED_MS + DAY_MS),
  "deadline.passed after three days": eventOf("deadline.passed", CREATED_MS + 3 * DAY_MS),
  "deadline.passed after the period": eventOf("deadline.passed", CREATED_MS + 30 * DAY_MS + HOUR_MS),
  "deadline.passed, the merchant inactive": {
    ...eventOf("deadline.passed", CREATED_MS + 30 * DAY_MS + HOUR_MS),
    isInactive: true,
  },
};

const stored = (record: SubscriptionRecord) => ({ key: `subscription/${record.id}`, value: recordText("subscription", record) });

function open(kv: TapeKv, { id }: SubscriptionRecord, hasRoom = true) {
  const heard = { workflow: [] as WorkflowEntry[], became: [] as string[], postponed: 0 };
  const clock = new ManualClock();
  const { parts } = openShard({
    ...{ kv, clock, heard, charges: new FakeCharges(clock.nowMs), links: new FakeLinks() },
    ...{ circumstances: { isInactive: false, hasRoom }, failed: () => undefined },
  });
  return {
    heard,
    apply: (event: SubscriptionEvent, requestId: string | null) => {
      clock.wallMs = event.atMs;
      return retryOnConflict(8, async () => {
        const found = await parts.workflow.store.load(id);
        if (found === null) return null;
        const taken = await takeStep(found, event, requestId === null ? null : { id: "o1", requestId }, parts);
        if (typeof taken === "symbol") return taken;
        return { type: taken === "refused" ? taken : `taken${taken.asks ? ", asks" : ""}` };
      });
    },
  };
}

/** Applies one transition to a record while the mail queue is full. */
async function steppedWithoutRoom(kv: TapeKv, record: SubscriptionRecord, event: SubscriptionEvent): Promise<Heard> {
  const { key, value } = stored(record);
  await kv.seed(key, value);
  const { heard, apply } = open(kv, record, false);
  await apply(event, null);
  return heard;
}

async function walked(kv: TapeKv, walk: (world: SubscriptionWorld) => Promise<unknown>): Promise<Heard> {
  let tokens = 0;
  const world = new SubscriptionWorld(1, {
    kv,
    newToken: () => {
      tokens += 1;
      return tokenOf(tokens);
    },
  });
  await walk(world);
  return world.heard;
}

const unwanted = { ...eventOf("charge.failed", NOW_MS), terms: { ...TERMS, mails: false } };
const ASKED = subscription("ACTIVE", { charge: charge([attempt(1, "asked")]) });

holdToTape<SubscriptionRecord, SubscriptionEvent>({
  subject: "subscriptions",
  machine: subscriptionMachine,
  records,
  stored,
  stateOf: ({ state }) => state,
  events,
  guarded: false,
  open,
  walks: {
    "a mail without room": (kv) => steppedWithoutRoom(kv, ASKED, eventOf("charge.failed", NOW_MS)),
    "a mail that is due and finds no room again": (kv) =>
      steppedWithoutRoom(kv, subscription("ACTIVE", { mailOwed: { kind: "failed", atMs: NOW_MS } }), eventOf("mail.due", NOW_MS)),
    "a mail that the policy does not want": (kv) => steppedWithoutRoom(kv, ASKED, unwanted),
    "created and paid by card, and once more by the same operation": (kv) =>
      walked(kv, async (world) => {
        const { id } = await world.plan();
        for (let times = 0; times < 2; times += 1) {
          await world.subscriptions.create(OWNER, world.order(id), { type: "key" }, operation("o9"));
        }
      }),
    "created while its plan is changed": (kv) =>
      walked(kv, async (world) => {
        const plan = await world.plan();
        kv.seedBeforeCommit(`plan/${plan.id}`, recordText("plan", plan));
        await world.subscriptions.create(OWNER, world.order(plan.id), { type: "key" }, operation("o9"));
      }),
    "cancelled while somebody else changes it at each attempt": async () => {
      const kv = new TapeKv();
      return walked(kv, async ({ subscriptions, heard }) => {
        const { key, value } = stored(ASKED);
        await kv.seed(key, value);
        kv.seedBeforeCommit(key, value, Number.POSITIVE_INFINITY);
        await assert.rejects(subscriptions.cancel(OWNER, ASKED.id, { atPeriodEnd: false }, operation("o9")));
        heard.became.push(`${kv.commitsTaped.length} attempts`);
      });
    },
    "created by link, and paid": (kv) =>
      walked(kv, async (world) => {
        const { charge: asked } = await world.create({}, { collection: "LINK" });
        const id = asked?.attempts[0]?.id ?? "";
        world.links.pay(id, world.clock.nowMs());
        await world.subscriptions.told(id);
      }),
    "a trial that ends, a declined card, and a retry that recovers": (kv) =>
      walked(kv, async (world) => {
        const { id, period } = await world.create({ trialDays: 7 });
        world.charges.card = "soft";
        await world.until(period.untilMs);
        world.charges.card = "good";
        const { key, value } = stored(await world.of(id));
        kv.seedBeforeCommit(key, value);
        await world.subscriptions.retry(OWNER, id, world.next());
      }),
    "paused, resumed, and cancelled at the end of its period": (kv) =>
      walked(kv, async (world) => {
        const { id, token } = await world.create();
        await world.subscriptions.pause(OWNER, id, world.next());
        await world.subscriptions.resume(OWNER, id, world.next());
        await world.subscriptions.cancelByToken(token, { atPeriodEnd: true }, world.next());
        await world.until((await world.of(id)).period.untilMs);
      }),
  },
});

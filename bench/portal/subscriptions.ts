import { createHash, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBrandingStore } from "../../engine/branding/branding-store.ts";
import { createShops } from "../../engine/branding/shop-branding.ts";
import type { DeadlineRunner } from "../../engine/kernel/deadline-runner.ts";
import type { Kv } from "../../engine/kernel/kv.ts";
import { createMailStore } from "../../engine/mails/mail-store.ts";
import { createMerchantStore } from "../../engine/partners/merchant-store.ts";
import { createRendezvousHomes } from "../../engine/routing/rendezvous.ts";
import { createBillingCalendar } from "../../engine/subscriptions/calendar.ts";
import { createCollector } from "../../engine/subscriptions/collect.ts";
import { createSubscriptions } from "../../engine/subscriptions/create-subscriptions.ts";
import { createCycleChargeStore } from "../../engine/subscriptions/cycle-charge-store.ts";
import { createDunningPolicyStore } from "../../engine/subscriptions/dunning-policy-store.ts";
import { createSubscriptionMailTexts } from "../../engine/subscriptions/mail-texts.ts";
import { createPlanStore } from "../../engine/subscriptions/plan-store.ts";
import { createPlans } from "../../engine/subscriptions/plans.ts";
import { SPREAD_MS } from "../../engine/subscriptions/subscription.ts";
import { createSubscriptionDeadlines } from "../../engine/subscriptions/subscription-deadlines.ts";
import { createSubscriptionMails, subscriptionMailOf } from "../../engine/subscriptions/subscription-mails.ts";
import { createSubscriptionQueries } from "../../engine/subscriptions/subscription-queries.ts";
import type { Subscriptions } from "../../engine/subscriptions/subscriptions.ts";
import { subscriptionWorkflow } from "../../engine/subscriptions/workflow.ts";
import { eventOperations } from "../../engine/webhooks/webhook-event-store.ts";
import { createWorkflow } from "../../engine/workflow/run-workflow.ts";
import { createWorkflowStore } from "../../engine/workflow/workflow-store.ts";
import { subscriptionObject } from "../../http/surfaces/merchant/subscriptions/schemas.ts";
import { createLocalTime } from "../../http/surfaces/parts/time.ts";
import { openEmbeddedKv } from "../../storage/kv/embedded.ts";
import { goalsTable, markdownTable, type PartResult, rounded } from "./part.ts";

const MERCHANTS = 50;
const AT_ONCE = 250;
const SHARDS = ["shard-0", "shard-1"];
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Beyond the half hour: what was read late, and a look or two. */
const MINUTES = SPREAD_MS / MINUTE_MS + 2;
const MISSED_MS = 2 * 3_600_000;

const sha256 = (text: string) => createHash("sha256").update(text, "utf8").digest("hex");

/** How one morning went. */
interface Morning {
  name: string;
  charged: number;
  twice: number;
  /** From the first to the last, by the moved clock, in minutes. */
  spreadMinutes: number;
  mostInAMinute: number;
  /** What the machine needed for all of them. */
  tookSeconds: number;
}

/** Subscriptions in the embedded store, all of which are due at nine: on time, and a month later after the node was away for two hours. The clock is moved; nothing else is. */
export async function measureSubscriptions({ count, say }: { count: number; say(text: string): void }): Promise<PartResult> {
  const directory = await mkdtemp(join(tmpdir(), "bench-subscriptions-"));
  const clock = movedClock(Date.parse("2026-01-30T14:00:00Z"));
  const kv = await openEmbeddedKv({ directory, nowMs: clock.nowMs });
  const charged = new Map<string, number[]>();
  const [first, ...others] = SHARDS.map((self) => shardOf(kv, clock, self, charged));
  if (first === undefined) throw new Error("there is no shard");
  const runners = [first, ...others].map(({ deadlines }) => deadlines);
  try {
    const begunAt = performance.now();
    await make(first, count);
    say(`${count} stored after ${Math.round((performance.now() - begunAt) / 1_000)} s`);
    const dueAtMs = Date.parse("2026-01-31T08:00:00Z");
    const onTime = await morning("due at once", dueAtMs, clock, runners, charged);
    say(JSON.stringify(onTime));
    const missed = await morning("missed for two hours", Date.parse("2026-02-28T08:00:00Z") + MISSED_MS, clock, runners, charged);
    say(JSON.stringify(missed));
    return resultOf(count, [onTime, missed]);
  } finally {
    await Promise.all(runners.map((runner) => runner.stop()));
    await kv.close();
    await rm(directory, { recursive: true, force: true });
  }
}

function movedClock(startMs: number) {
  let movedMs = 0;
  return {
    nowMs: () => startMs + movedMs,
    monotonicMs: () => movedMs,
    to: (atMs: number) => {
      movedMs = Math.max(movedMs, atMs - startMs);
    },
  };
}

function shardOf(kv: Kv, clock: ReturnType<typeof movedClock>, self: string, charged: Map<string, number[]>) {
  const policies = createDunningPolicyStore(kv);
  const plans = createPlanStore(kv);
  const nobody = async (): Promise<never> => {
    throw new Error("no link is asked for");
  };
  const charges = {
    isOffered: () => true,
    charge: async ({ id }: { id: string }) => {
      charged.set(id, [...(charged.get(id) ?? []), clock.nowMs()]);
      return { type: "done", atMs: clock.nowMs() } as const;
    },
    verify: async () => ({ type: "unknown" }) as const,
  };
  const digests = { digest: sha256, keyedDigest: sha256 };
  const definition = subscriptionWorkflow(digests, () => "T1");
  const store = createWorkflowStore(kv, definition, 400 * DAY_MS);
  const mails = createSubscriptionMails({
    ...{
      store: createMailStore(kv),
      shops: createShops({ store: createBrandingStore(kv), merchants: createMerchantStore(kv) }),
      digest: sha256,
      clock,
      postponed: () => undefined,
    },
    box: { seal: (text: string) => text, open: (text: string) => text },
    texts: createSubscriptionMailTexts({ publicUrl: () => "https://relay.example", timeZone: "Europe/Rome" }),
  });
  const common = {
    workflow: createWorkflow(definition, {
      ...{ store, clock, digest: sha256, objectOf: subscriptionObject, eventOperations, mailOf: subscriptionMailOf(mails) },
      ...{ activity: { workflow: () => undefined }, count: () => undefined },
    }),
    ...{ policies, clock, isInactive: () => false },
    calendar: createBillingCalendar(createLocalTime("Europe/Rome").offsetMs),
  };
  const failed = (what: string, error: unknown) => {
    throw new Error(what, { cause: error });
  };
  const collector = createCollector({ ...common, charges, links: { create: nobody, look: nobody, close: nobody }, failed });
  const newToken = () => randomUUID().replaceAll("-", "").slice(0, 22);
  return {
    subscriptions: createSubscriptions({
      ...{ ...common, digest: sha256, queries: createSubscriptionQueries(store, digests), cycleCharges: createCycleChargeStore(kv) },
      ...{ plans, collector, charges, newToken },
    }),
    plans: createPlans({ store: plans, policies, clock, digest: sha256 }),
    deadlines: createSubscriptionDeadlines({ ...common, definition, collector, homes: createRendezvousHomes(SHARDS), self, failed }),
  };
}

/** With a trial of a day, so that the first payment of all of them is due at the same moment. */
async function make(
  { subscriptions, plans }: { subscriptions: Subscriptions; plans: ReturnType<typeof createPlans> },
  count: number,
): Promise<void> {
  const owners = Array.from({ length: MERCHANTS }, (_, n) => ({ merchantId: `SHOP-${n}`, partnerId: 1, livemode: false }));
  const terms = { name: "Gym", amountMinor: 2_900, currency: "EUR", interval: "MONTH", count: 1, trialDays: 1 } as const;
  const planIds = await Promise.all(
    owners.map(async (owner, n) => (await plans.create(owner, terms, { id: `plan ${n}`, requestId: null })).id),
  );
  const one = async (n: number) => {
    const [owner, planId] = [owners[n % MERCHANTS], planIds[n % MERCHANTS]];
    if (owner === undefined || planId === undefined) throw new Error("there is no such merchant");
    const customer = { name: "Ada", email: `ada-${n}@example.org`, locale: "en" } as const;
    const order = { planId, customer, collection: "CARD", methodId: "card_1" } as const;
    const made = await subscriptions.create(owner, order, { type: "key" }, { id: `subscription ${n}`, requestId: null });
    if (made.type !== "created") throw new Error(made.type);
  };
  for (let n = 0; n < count; n += AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - n) }, (_, more) => one(n + more)));
  }
}

/** Every second of the clock is given as much time as it needs. */
async function morning(
  name: string,
  beginsAtMs: number,
  clock: ReturnType<typeof movedClock>,
  runners: readonly DeadlineRunner[],
  charged: Map<string, number[]>,
): Promise<Morning> {
  charged.clear();
  clock.to(beginsAtMs - 5 * SECOND_MS);
  const begunAt = performance.now();
  for (let atMs = clock.nowMs(); atMs < beginsAtMs + MINUTES * MINUTE_MS; atMs += SECOND_MS) {
    clock.to(atMs);
    for (const runner of runners) runner.tick();
    do await new Promise((resolve) => setTimeout(resolve, 1));
    while (runners.some((runner) => runner.counts().underWay > 0));
  }
  const times = [...charged.values()].flat().sort((one, other) => one - other);
  const perMinute = new Map<number, number>();
  for (const atMs of times) {
    const minute = Math.floor((atMs - (times[0] ?? 0)) / MINUTE_MS);
    perMinute.set(minute, (perMinute.get(minute) ?? 0) + 1);
  }
  return {
    name,
    charged: charged.size,
    twice: [...charged.values()].filter(({ length }) => length > 1).length,
    spreadMinutes: rounded(((times.at(-1) ?? 0) - (times[0] ?? 0)) / MINUTE_MS),
    mostInAMinute: Math.max(0, ...perMinute.values()),
    tookSeconds: Math.round((performance.now() - begunAt) / 1_000),
  };
}

function resultOf(count: number, mornings: readonly Morning[]): PartResult {
  const goals = mornings.flatMap(({ name, charged, twice, spreadMinutes, tookSeconds }) => [
    { what: `${name}: not charged`, found: count - charged, most: 0, unit: "" },
    { what: `${name}: charged twice`, found: twice, most: 0, unit: "" },
    { what: `${name}: from the first to the last`, found: spreadMinutes, most: MINUTES, unit: "min" },
    // More than the half hour, and the machine could not keep the pace.
    { what: `${name}: work of one thread`, found: tookSeconds, most: SPREAD_MS / 1_000, unit: "s" },
  ]);
  const rows = mornings.map(({ name, charged, twice, spreadMinutes, mostInAMinute, tookSeconds }) => [
    ...[name, charged, twice, spreadMinutes, mostInAMinute, tookSeconds],
  ]);
  const head = ["", "charged", "twice", "minutes", "most in a minute", "work, s"];
  return {
    title: "Subscriptions due at once",
    json: { count, mornings },
    markdown: `${count} subscriptions of ${MERCHANTS} merchants in the embedded store, ${SHARDS.length} shards in one thread, on a clock that is moved second by second; each charge is answered at once.\n\n${markdownTable(head, rows)}\n\n${goalsTable(goals)}`,
    goals,
  };
}

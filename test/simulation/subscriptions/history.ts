import type { Clock } from "../../../engine/kernel/clock.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { pendingOf } from "../../../engine/subscriptions/rules.ts";
import type { CycleCharge, SubscriptionRecord } from "../../../engine/subscriptions/subscription.ts";
import { MemoryKv } from "../../engine/kernel/memory-kv.ts";
import { fedFaults } from "../../engine/payments/fed-objects.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, OWNER, openShard, operation, type Shard, storeOn } from "../../engine/subscriptions/world.ts";
import { ManualClock, settle } from "../../engine/world.ts";
import { turns } from "../intents/sim-gateway.ts";
import { ProcessKv } from "../process-kv.ts";
import { Random } from "../random.ts";
import { SimCharges, SimLinks } from "./sim-collection.ts";

const SHARDS = 2;
const STEPS = 70;

/** How far the clocks of two nodes are apart at most. */
const SKEW_MS = 2_000;

interface Process {
  kv: ProcessKv;
  shard: Shard;
}

export interface SubscriptionHistory {
  trace: string[];
  /** What is broken, in a sentence each. */
  broken: string[];
  /** What came about at all, so that a run can say that it has seen everything. */
  seen: Set<string>;
}

/**
 * Merchants, customers, cards, links, two processes whose clocks differ, and the time, as a seed draws them: processes die at any commit, answers get lost, calls arrive late, and clocks jump
 * over deadlines while no process runs. The same seed gives the same trace.
 */
export async function playSubscriptions(seed: number): Promise<SubscriptionHistory> {
  const random = new Random(seed);
  const memory = new MemoryKv();
  const clock = new ManualClock();
  const charges = new SimCharges(random.fork(), clock.nowMs);
  const links = new SimLinks(random.fork());
  const trace: string[] = [];
  const broken: string[] = [];
  const seen = new Set<string>();
  const began = clock.nowMs();
  const note = (what: string) => trace.push(`${((clock.nowMs() - began) / HOUR_MS).toFixed(3)} h ${what}`);
  const addresses = Array.from({ length: SHARDS }, (_, index) => `shard-${index}`);
  const skews = addresses.map(() => random.between(0, SKEW_MS));
  const circumstances = { isInactive: false, hasRoom: true };
  const heard = { became: [], workflow: [], postponed: 0 };
  let tokens = 0;

  function start(self: string, index: number): Process {
    const kv = new ProcessKv(memory, random.fork());
    const own: Clock = { nowMs: () => clock.nowMs() + (skews[index] ?? 0), monotonicMs: clock.monotonicMs };
    const failed = (what: string, error: unknown) => {
      if (!(error instanceof RelayError)) broken.push(`${what} failed with ${error instanceof Error ? error.stack : error}`);
    };
    const newToken = () => {
      tokens += 1;
      return `T${String(tokens).padStart(21, "0")}`;
    };
    return { kv, shard: openShard({ kv, clock: own, charges, links, circumstances, heard, self, addresses, newToken, failed }) };
  }
  const processes = addresses.map(start);
  const subscriptions: { id: string; token: string }[] = [];
  const underWay = new Set<Promise<void>>();
  /** Attempts that a subscription had when it was first seen cancelled. */
  const atCancellation = new Map<string, number>();
  let operations = 0;

  async function pass(ms: number, stepMs: number): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      clock.advance(Math.min(left, stepMs));
      for (const { shard } of processes) shard.deadlines.tick();
      await settle();
      await look();
    }
  }

  /** A request, on any process; a client repeats it under its key while its answer does not stand. */
  function asks(what: string, id: string, work: (shard: Shard) => Promise<{ type: string } | null>): void {
    const attempt = async () => {
      for (let tries = 0; tries < random.between(1, 4); tries += 1) {
        try {
          const outcome = await work(random.pick(processes).shard);
          note(`${what} of ${id}: ${outcome?.type}`);
          seen.add(`${what}: ${outcome?.type}`);
          return;
        } catch (error) {
          if (!(error instanceof RelayError)) broken.push(`${what} failed with ${error instanceof Error ? error.stack : error}`);
        }
        await turns(random.between(0, 40));
      }
    };
    const asked = attempt().finally(() => underWay.delete(asked));
    underWay.add(asked);
  }

  async function recordOf(id: string): Promise<SubscriptionRecord | null> {
    const entry = await memory.get(`subscription/${id}`);
    return entry === null ? null : JSON.parse(entry.value);
  }

  /** Payments that were made, by subscription and cycle. */
  function payments(): Map<string, string[]> {
    const paid = new Map<string, string[]>();
    const add = (id: string) => {
      const cycle = id.replace(/-\d+$/, "");
      paid.set(cycle, [...(paid.get(cycle) ?? []), id]);
    };
    for (const id of charges.inner.done()) add(id);
    for (const [id, { state }] of links.inner.links) if (state.type === "paid") add(id);
    return paid;
  }

  /** What has to hold at every moment. */
  async function look(): Promise<void> {
    for (const [cycle, ids] of payments()) if (ids.length > 1) broken.push(`${cycle} was paid by ${ids.join(" and ")}`);
    for (const { id } of subscriptions) {
      // Both as they are at one moment.
      const reading = recordOf(id);
      const due = memory.keys("due/subscription/").filter((key) => key.endsWith(`/${id}`));
      const record = await reading;
      if (record === null) {
        broken.push(`${id} is gone`);
        continue;
      }
      const breaks = (what: string) => broken.push(`${id} (${record.state}) at ${clock.nowMs()}: ${what}`);
      const attempts = record.charge?.attempts ?? [];
      const isPending = ({ state }: (typeof attempts)[number]) => state === "asked" || state === "unknown" || state === "open";
      if (attempts.slice(0, -1).some(isPending)) breaks("another attempt was begun before the end of one was known");
      if (record.charge?.state === "PAID" && attempts.some(isPending)) breaks("it is paid, and something is still asked for");
      if (record.state === "CANCELLED") {
        const before = atCancellation.get(id);
        if (before === undefined) atCancellation.set(id, attempts.length);
        else if (attempts.length !== before) breaks("an attempt was begun after the cancellation");
      } else if (atCancellation.has(id)) breaks("it was cancelled");
      const mayRest =
        record.state === "CANCELLED" || record.state === "PAUSED" || (record.state === "PAST_DUE" && record.dunning?.stays === true);
      if (record.nextAtMs === null && (!mayRest || pendingOf(record) !== null)) breaks("nobody will look at it again");
      const wanted = record.nextAtMs === null ? 0 : 1;
      if (due.length !== wanted || due.some((key) => !key.includes(`/${record.nextAtMs}/`)))
        breaks(`its deadline is not in the index: ${due}`);
    }
  }

  const shard = () => random.pick(processes).shard;
  const finalAction = random.pick(["CANCEL", "PAUSE", "STAY"] as const);
  await shard().plans.setDunning(OWNER, { retryDays: [1, 2], finalAction, mails: true });
  const trialDays = random.pick([0, 0, 2]);
  const terms = { name: "Gym", amountMinor: 900, currency: "EUR", interval: "WEEK", count: 1, trialDays } as const;
  const plan = await shard().plans.create(OWNER, terms, operation("plan"));
  const customer = { name: "Ada", email: "ada@example.org", locale: "en" } as const;
  charges.declines = random.pick([0, 0.3, 0.6]);
  for (const [index, collection] of (["CARD", "CARD", "LINK"] as const).entries()) {
    const order = { planId: plan.id, customer, collection, methodId: collection === "CARD" ? "card_1" : null };
    const created = await shard().subscriptions.create(OWNER, order, { type: "key" }, operation(`s${index}`));
    if (created.type === "created") subscriptions.push({ id: created.subscription.id, token: created.subscription.token });
  }

  function well(): void {
    charges.trouble = 0;
    links.trouble = 0;
    for (const { kv } of processes) kv.trouble = 0;
  }

  function kill(index: number): void {
    const [killed, self] = [processes[index], addresses[index]];
    if (killed === undefined || self === undefined) return;
    note(`${self} is killed`);
    killed.kv.isDead = true;
    void killed.shard.deadlines.stop();
    processes[index] = start(self, index);
  }

  for (let step = 0; step < STEPS; step += 1) {
    const { id, token } = random.pick(subscriptions);
    operations += 1;
    const by = operation(`o${operations}`);
    switch (
      random.weighted({
        ...{ cancel: 1, end: 1, pause: 3, resume: 6, retry: 6, visit: 5, pay: 9, leave: 2, told: 4 },
        ...{ soon: 8, hours: 8, day: 6, down: 3, kill: 4, trouble: 6, well: 3, arrive: 3, card: 2 },
      })
    ) {
      case "cancel":
        if (random.chance(0.4)) asks("cancel", id, ({ subscriptions: all }) => all.cancel(OWNER, id, { atPeriodEnd: false }, by));
        break;
      case "end":
        asks("end", id, ({ subscriptions: all }) => all.cancelByToken(token, { atPeriodEnd: true }, by));
        break;
      case "pause":
        asks("pause", id, ({ subscriptions: all }) => all.pause(OWNER, id, by));
        // Some change their mind at once.
        if (random.chance(0.5)) {
          await turns(200);
          asks("resume", id, ({ subscriptions: all }) => all.resume(OWNER, id, operation(`${by.id} back`)));
        }
        break;
      case "resume":
        asks("resume", id, ({ subscriptions: all }) => all.resume(OWNER, id, by));
        break;
      case "retry":
        // Two people at once.
        for (const who of ["one", "other"])
          asks("retry", id, ({ subscriptions: all }) => all.retry(OWNER, id, operation(`${by.id} ${who}`)));
        break;
      case "visit":
        asks("visit", id, ({ subscriptions: all }) => all.pay(token));
        break;
      case "pay":
      case "leave": {
        const does = random.weighted({ pay: 6, leave: 1 });
        for (const linkId of links.inner.links.keys()) {
          if (linkId.includes(id) && links.customer(linkId, does, clock.nowMs())) note(`the customer at ${linkId}: ${does}`);
        }
        break;
      }
      case "told":
        for (const linkId of links.inner.links.keys()) {
          shard()
            .subscriptions.told(linkId)
            .catch(() => undefined);
        }
        break;
      case "soon":
        await pass(random.between(1, 40) * 1_000, 1_000);
        break;
      case "hours":
        await pass(random.between(1, 6) * HOUR_MS, 5 * MINUTE_MS);
        break;
      case "day":
        await pass(random.between(1, 3) * DAY_MS, HOUR_MS);
        break;
      case "down":
        note("every process is down");
        for (const index of addresses.keys()) kill(index);
        clock.advance(random.between(1, 12) * DAY_MS);
        break;
      case "kill":
        kill(random.between(0, SHARDS - 1));
        break;
      case "trouble":
        charges.trouble = random.next();
        links.trouble = random.next();
        circumstances.hasRoom = random.chance(0.7);
        for (const { kv } of processes) kv.trouble = random.chance(0.5) ? random.next() / 4 : 0;
        break;
      case "well":
        well();
        break;
      case "arrive":
        charges.arrive();
        break;
      case "card":
        charges.declines = random.pick([0, 0.3, 0.9]);
        break;
    }
    await look();
    // Half of them begin together with the next one.
    await turns(random.chance(0.5) ? 0 : random.between(0, 80));
  }

  well();
  circumstances.hasRoom = true;
  charges.declines = 0;
  await Promise.all(underWay);
  charges.arrive(true);
  // Whoever was down for weeks has a cycle of each to ask for.
  await pass(2 * HOUR_MS, MINUTE_MS);
  await pass(3 * DAY_MS, HOUR_MS);
  await pass(2 * HOUR_MS, MINUTE_MS);
  for (const { id } of subscriptions) {
    const nextAtMs = (await recordOf(id))?.nextAtMs ?? null;
    if (nextAtMs !== null && nextAtMs < clock.nowMs() - HOUR_MS)
      broken.push(`${id} was to be looked at at ${nextAtMs}, and nothing came of it`);
  }
  for (const { id } of subscriptions)
    asks("end of all", id, ({ subscriptions: all }) => all.cancel(OWNER, id, { atPeriodEnd: false }, operation(`end ${id}`)));
  await Promise.all(underWay);
  await pass(HOUR_MS, MINUTE_MS);
  // Whoever was still paying has left by now.
  for (const linkId of links.inner.links.keys()) links.customer(linkId, "leave", clock.nowMs());
  await pass(3 * DAY_MS, HOUR_MS);

  const paid = payments();
  for (const { id } of subscriptions) {
    const record = await recordOf(id);
    if (record === null) continue;
    const history = await storeOn(memory).cycleCharges.charges(id, null, 1_000);
    const events = await memory.scan({ from: `event/${id}/`, to: `event/${id}/~`, limit: 1_000 });
    const told = events.map(({ value }): Told => JSON.parse(value));
    const late = memory.keys("a/subscription_late/").filter((key) => key.includes(id)).length;
    broken.push(...judged(record, history, told, paid, late, seen));
    if (memory.keys("a/subscription_paid_twice/").length > 0) broken.push("a cycle is told as paid twice");
    if (memory.keys("a/subscription_unknown/").length > 0) broken.push("all is known, and operators are told that it is not");
  }
  broken.push(...(await fedFaults(memory)));
  return { trace, broken, seen };
}

interface Told {
  sequence: number;
  type: string;
}

/** What has to hold of each subscription at the end, when everybody is well again and all have ended. */
function judged(
  record: SubscriptionRecord,
  history: readonly CycleCharge[],
  told: readonly Told[],
  paid: ReadonlyMap<string, readonly string[]>,
  lateItems: number,
  seen: Set<string>,
): string[] {
  const broken: string[] = [];
  const { id, state, cancelledBy } = record;
  const breaks = (what: string) => broken.push(`${id} (${state}): ${what}`);
  seen.add(`ends by ${cancelledBy}`);
  if (state !== "CANCELLED") breaks("it has not ended");
  if (pendingOf(record) !== null || record.nextAtMs !== null) breaks("it is still looked at");
  for (const { cycle, state: stands, attempts, late } of history) {
    const made = paid.get(`sub-${id}-${cycle}`) ?? [];
    if ((stands === "PAID") !== (made.length === 1)) breaks(`cycle ${cycle} is ${stands}, and was paid ${made.length} times`);
    const done = attempts.filter((attempt) => attempt.state === "done").map((attempt) => attempt.id);
    if (done.join() !== made.join()) breaks(`cycle ${cycle} says that ${done} was paid, and it was ${made}`);
    for (const attempt of attempts) seen.add(`${attempt.means} ${attempt.state}${attempt.hard ? " hard" : ""}`);
    if (attempts.some(({ state: ended, code }) => ended === "failed" && code === null)) seen.add("never received");
    if (late) seen.add("paid late");
  }
  const known = new Set(history.map(({ cycle }) => `sub-${id}-${cycle}`));
  for (const cycle of paid.keys()) if (cycle.startsWith(`sub-${id}-`) && !known.has(cycle)) breaks(`${cycle} is of nobody`);
  for (const [index, { sequence }] of told.entries()) if (sequence !== index + 1) breaks("an event is missing");
  const count = (type: string) => told.filter((event) => event.type === `subscription.${type}`).length;
  const late = history.filter((charge) => charge.late).length;
  if (count("paid_late") !== late || lateItems !== late)
    breaks(`${late} payments were late, and ${count("paid_late")} and ${lateItems} are told`);
  const inTime = history.filter((charge) => charge.state === "PAID" && !charge.late).length;
  if (count("renewed") !== inTime) breaks(`${inTime} cycles were paid, and ${count("renewed")} are told`);
  if (count("created") !== 1 || count("cancelled") !== 1) breaks("its beginning or its end is not told once");
  if (count("recovered") > 0) seen.add("recovered");
  if (count("recovered") > count("past_due")) breaks("it has recovered more often than it was past due");
  return broken;
}

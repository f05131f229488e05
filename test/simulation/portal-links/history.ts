import type { Clock } from "../../../engine/kernel/clock.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { LinkRecord } from "../../../engine/links/link.ts";
import { createMailStore } from "../../../engine/mails/mail-store.ts";
import { attemptOf, isSameAttempt } from "../../../engine/portal-links/attempt.ts";
import { isPaidTwice, PORTAL_LINK_ATTEMPTS_MAX, type PortalLinkRecord } from "../../../engine/portal-links/portal-link.ts";
import { isOpen, isOver } from "../../../engine/portal-links/rules.ts";
import { MemoryKv } from "../../engine/kernel/memory-kv.ts";
import { fedFaults } from "../../engine/payments/fed-objects.ts";
import { HOUR_MS, member, OWNER, openShard, operation, type Shard } from "../../engine/portal-links/world.ts";
import { ManualClock, settle } from "../../engine/world.ts";
import { SimGateway, turns } from "../intents/sim-gateway.ts";
import { ProcessKv } from "../process-kv.ts";
import { Random } from "../random.ts";

const MINUTE_MS = 60_000;
const SHARDS = 2;
const STEPS = 60;
const LINKS = 2;

/** How far the clocks of two nodes are apart at most. */
const SKEW_MS = 2_000;

interface Process {
  kv: ProcessKv;
  shard: Shard;
}

export interface PortalLinkHistory {
  trace: string[];
  /** What is broken, in a sentence each. */
  broken: string[];
  /** What came about at all, so that a run can say that it has seen everything. */
  seen: Set<string>;
}

/** Merchants, customers, a gateway, two processes whose clocks differ, and the time, as a seed draws them. The same seed gives the same trace. */
export async function playPortalLinks(seed: number): Promise<PortalLinkHistory> {
  const random = new Random(seed);
  const memory = new MemoryKv();
  const clock = new ManualClock();
  const gateway = new SimGateway(random.fork(), clock.nowMs);
  const trace: string[] = [];
  const broken: string[] = [];
  const seen = new Set<string>();
  const note = (what: string) => trace.push(`${((clock.nowMs() - 1_700_000_000_000) / 1_000).toFixed(3)} ${what}`);
  const addresses = Array.from({ length: SHARDS }, (_, index) => `shard-${index}`);
  const skews = addresses.map(() => random.between(0, SKEW_MS));
  const circumstances = { hasAccount: true, isInactive: false, hasRoom: true, team: [member(1)] };
  const heard = { became: [], workflow: [], leftOut: 0 };

  function start(self: string, index: number): Process {
    const kv = new ProcessKv(memory, random.fork());
    const own: Clock = { nowMs: () => clock.nowMs() + (skews[index] ?? 0), monotonicMs: clock.monotonicMs };
    const failed = (what: string, error: unknown) => {
      if (!(error instanceof RelayError)) broken.push(`${what} failed with ${error instanceof Error ? error.stack : error}`);
    };
    return { kv, shard: openShard({ kv, gateway, clock: own, circumstances, heard, self, addresses, failed }) };
  }
  const processes = addresses.map(start);
  const links: { id: string; token: string }[] = [];
  /** Attempts whose address a customer was given: nobody else can pay one. What the gateway has beside them is the rest of a call that came late. */
  const handedOut = new Set<string>();
  const underWay = new Set<Promise<void>>();
  const answers: { id: string; answer: string }[] = [];
  let operations = 0;

  async function pass(ms: number, stepMs: number): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      clock.advance(Math.min(left, stepMs));
      for (const { shard } of processes) shard.tick();
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
          if (outcome !== null && outcome.type !== "unavailable" && outcome.type !== "not_yet") {
            answers.push({ id, answer: `${what}: ${outcome.type}` });
            return;
          }
        } catch (error) {
          if (!(error instanceof RelayError)) broken.push(`${what} failed with ${error instanceof Error ? error.stack : error}`);
        }
        await turns(random.between(0, 40));
      }
    };
    const asked = attempt().finally(() => underWay.delete(asked));
    underWay.add(asked);
  }

  async function recordOf(id: string): Promise<PortalLinkRecord | null> {
    const entry = await memory.get(`portal-link/${id}`);
    return entry === null ? null : JSON.parse(entry.value);
  }

  /** A portal link and the links of its attempts, as they are at one moment. */
  async function momentOf(id: string): Promise<{ record: PortalLinkRecord | null; at: readonly (LinkRecord | null)[] }> {
    const numbers = Array.from({ length: PORTAL_LINK_ATTEMPTS_MAX }, (_, index) => index + 1);
    const [own = null, ...at] = await memory.getMany([`portal-link/${id}`, ...numbers.map((n) => `link/${id}.${n}`)]);
    return {
      record: own === null ? null : JSON.parse(own.value),
      at: at.map((entry) => (entry === null ? null : JSON.parse(entry.value))),
    };
  }

  /** What has to hold at every moment. */
  async function look(): Promise<void> {
    for (const { id } of links) {
      const { record, at } = await momentOf(id);
      if (record === null) {
        broken.push(`${id} is gone`);
        continue;
      }
      const breaks = (what: string) => broken.push(`${id} (${record.state}) at ${clock.nowMs()}: ${what}`);
      const open = record.attempts.filter(isOpen);
      if (open.length > 1) breaks("two attempts are open");
      if (record.state === "EXPIRED" && open.length > 0) breaks("expired, and an attempt is open");
      const [, ...before] = [...record.attempts].reverse();
      if (before.some((attempt) => attempt.state !== "paid" && !isOver(attempt))) breaks("another attempt was begun before the end of one");
      if (at.filter((link) => link !== null).length !== record.attempts.length) breaks("a link at the gateway is of nobody");
      for (const [index, attempt] of record.attempts.entries()) {
        const link = at[index] ?? null;
        if (link === null || !isSameAttempt(attempt, attemptOf(link, attempt))) breaks(`${attempt.txId} is not as its link`);
        if (link?.reversalOwed !== undefined) breaks(`the relay wants to give ${attempt.txId} back by itself`);
      }
      if (record.attempts.some(({ state }) => state === "paid") !== (record.state === "PAID"))
        breaks("a payment is not seen, or there is none");
      if (record.state === "PENDING" && record.nextAtMs === null && open.length === 0) breaks("nobody will look at it again");
      if (record.state !== "PENDING" && record.nextAtMs !== null) breaks("it has ended, and has a deadline");
      const payable = [...gateway.inner.payments].filter(
        ([txId, { state }]) => txId.startsWith(id) && state.type === "pending" && handedOut.has(txId),
      );
      if (payable.length > 1) breaks(`${payable.length} could be paid at once`);
    }
  }

  for (let n = 0; n < LINKS; n += 1) {
    const expiresAtMs = clock.nowMs() + random.between(1, 3) * HOUR_MS + SKEW_MS;
    const order = {
      amountMinor: 1_234,
      currency: "EUR",
      description: "Two nights",
      reference: null,
      customerEmail: "a@example.org",
      expiresAtMs,
    };
    const created = await processes[0]?.shard.portalLinks.create(OWNER, order, { type: "key" }, operation(`l${n}`));
    if (created?.type === "created") links.push({ id: created.link.id, token: created.link.token });
  }

  for (let step = 0; step < STEPS; step += 1) {
    const { id, token } = random.pick(links);
    operations += 1;
    const by = operation(`o${operations}`);
    const all = [...gateway.inner.payments.keys()].filter((txId) => txId.startsWith(id));
    switch (
      random.weighted({
        ...{ visit: 12, cancel: 2, send: 1, refund: 4, pay: 7, fail: 6, notify: 6, verify: 3, soon: 8, later: 3, hour: 2 },
        ...{ kill: 2, trouble: 2, well: 3, arrive: 3, settle: 6 },
      })
    ) {
      case "visit":
        asks("pay", id, async ({ portalLinks }) => {
          const answer = await portalLinks.pay(token);
          if (answer?.type === "payable") {
            for (const { txId, url } of answer.link.attempts) if (url === answer.url) handedOut.add(txId);
          }
          return answer;
        });
        break;
      case "cancel":
        asks("cancel", id, ({ portalLinks }) => portalLinks.cancel(OWNER, id, by));
        break;
      case "send":
        asks("send", id, ({ portalLinks }) => portalLinks.send(OWNER, id, null, "en", by));
        break;
      case "refund": {
        const txId = all.length === 0 ? null : random.pick(all);
        if (txId === null) break;
        asks("refund", id, (shard) => shard.links.followUp({ txId, operationId: by.id, type: "refund", amountMinor: null }));
        break;
      }
      case "pay":
      case "fail": {
        const does = random.weighted({ pay: 5, fail: 5, payLate: 2 });
        const txId = all.length === 0 ? null : random.pick(all);
        if (txId !== null && handedOut.has(txId) && gateway.buyer(txId, does)) note(`the customer at ${txId}: ${does}`);
        break;
      }
      case "notify":
        for (const txId of all) {
          random
            .pick(processes)
            .shard.links.notified({ merId: "G1", txId, paymentId: null }, "right")
            .catch(() => undefined);
        }
        break;
      case "verify":
        asks("verify", id, async ({ portalLinks }) => ({ type: (await portalLinks.verified(token))?.state ?? "none" }));
        break;
      case "soon":
        await pass(random.between(1, 40) * 1_000, 1_000);
        break;
      case "later":
        await pass(random.between(1, 10) * MINUTE_MS, 10_000);
        break;
      case "hour":
        await pass(HOUR_MS, MINUTE_MS);
        break;
      case "kill": {
        const index = random.between(0, SHARDS - 1);
        const killed = processes[index];
        const self = addresses[index];
        if (killed === undefined || self === undefined) break;
        note(`${self} is killed`);
        killed.kv.isDead = true;
        void killed.shard.stop();
        processes[index] = start(self, index);
        break;
      }
      case "trouble":
        gateway.trouble = random.next();
        gateway.refusals = random.chance(0.5) ? random.next() : 0;
        for (const { kv } of processes) kv.trouble = random.chance(0.5) ? random.next() / 4 : 0;
        break;
      case "well":
        well();
        break;
      case "arrive":
        await gateway.arrive();
        break;
      case "settle":
        await settle();
        break;
    }
    await look();
    // Half of them begin together with the next one.
    await turns(random.chance(0.5) ? 0 : random.between(0, 80));
  }

  function well(): void {
    gateway.trouble = 0;
    gateway.refusals = 0;
    for (const { kv } of processes) kv.trouble = 0;
  }

  well();
  await Promise.all(underWay);
  await gateway.arrive(true);
  await pass(90 * MINUTE_MS, MINUTE_MS);
  for (const { id } of links) {
    for (const txId of [...gateway.inner.payments.keys()].filter((one) => one.startsWith(id))) {
      if (random.chance(0.5) && handedOut.has(txId) && gateway.buyer(txId, "payLate")) note(`the customer at ${txId} pays late`);
    }
  }
  // What the gateway had called failed is only found paid because it says that something happened.
  for (let round = 0; round < 2; round += 1) {
    for (const txId of gateway.inner.payments.keys()) {
      await random.pick(processes).shard.links.notified({ merId: "G1", txId, paymentId: null }, "right");
    }
    await pass(3 * MINUTE_MS, 5_000);
  }
  await pass(30 * HOUR_MS, 10 * MINUTE_MS);

  for (const { id } of links) {
    for (const { txId, refund } of (await recordOf(id))?.attempts ?? []) {
      // Its answer was lost, and the gateway does not say that it was executed: it may be on its way, so only somebody who asks again finds out.
      if (refund !== "unknown") continue;
      const isFlagged = memory.keys("a/link_operation_unknown/").some((key) => key.includes(txId));
      if (!isFlagged) broken.push(`${txId} may have been given back, and no operator knows`);
      await random.pick(processes).shard.links.followUp({ txId, operationId: `again-${txId}`, type: "refund", amountMinor: null });
    }
    const record = await recordOf(id);
    if (record === null) continue;
    const events = await memory.scan({ from: `event/${id}/`, to: `event/${id}/~`, limit: 1_000 });
    const mails = (await createMailStore(memory).page(null, 1_000)).filter(({ kind }) => kind === "payment-link-paid").length;
    const told = events.map(({ value }): Told => JSON.parse(value));
    const said = answers.filter((one) => one.id === id).map(({ answer }) => answer);
    broken.push(...judged(record, told, gateway, said, seen));
    if (mails > LINKS) broken.push(`${mails} mails tell of ${LINKS} links`);
    const twice = memory.keys("a/link_paid_twice/").filter((key) => key.includes(id)).length;
    if (isPaidTwice(record) && twice === 0) broken.push(`${id} was paid twice, and no operator knows`);
  }
  broken.push(...(await fedFaults(memory)));
  return { trace, broken, seen };
}

interface Told {
  sequence: number;
  type: string;
}

/** What has to hold of each link at the end, when everybody is well again. */
function judged(
  record: PortalLinkRecord,
  told: readonly Told[],
  { inner }: SimGateway,
  answers: readonly string[],
  seen: Set<string>,
): string[] {
  const broken: string[] = [];
  const { id, state, late, attempts } = record;
  const breaks = (what: string) => broken.push(`${id} (${state}): ${what}`);
  seen.add(`ends ${state}${late ? " late" : ""}`);
  if (isPaidTwice(record)) seen.add("paid twice");
  if (state === "PENDING") breaks("it is pending long after its time");
  for (const { txId, state: stands, refund } of attempts) {
    const payment = inner.payments.get(txId);
    const isPaid = payment?.state.type === "paid";
    if (isPaid !== (stands === "paid")) breaks(`${txId} is ${stands}, and at the gateway ${payment?.state.type}`);
    const back = [...inner.executed.values()].filter(({ origTranId }) => origTranId === `m-${txId}`);
    if (back.length > 1) breaks(`${txId} was given back twice`);
    if (back.some(({ operation: kind }) => kind !== "refund")) breaks(`${txId} was reversed by the relay`);
    if (refund === "unknown") breaks(`nobody knows whether ${txId} was given back`);
    if ((refund === "done") !== (back.length === 1)) breaks(`${txId} has the refund ${refund}`);
    if (refund === "done") seen.add("given back");
  }
  for (const txId of inner.payments.keys()) {
    if (txId.startsWith(id) && !attempts.some((attempt) => attempt.txId === txId)) breaks(`${txId} is of nobody`);
  }
  for (const [index, { sequence }] of told.entries()) if (sequence !== index + 1) breaks("an event is missing");
  const types = told.map(({ type }) => type.replace("payment_link.", "")).join();
  // Late as well where it was paid once more after that was given back.
  const isPaidAgain = attempts.some(({ refund }) => refund === "done") && attempts.filter((one) => one.state === "paid").length > 1;
  const paid = late ? ["cancelled,paid", "expired,paid", ...(isPaidAgain ? ["paid"] : [])] : ["paid"];
  const expected = state === "PAID" ? paid : [state.toLowerCase()];
  if (!expected.includes(types)) breaks(`it is told as ${types}`);
  if (answers.includes("cancel: cancelled") && record.cancelledAtMs === null) breaks("a cancellation was confirmed");
  if (answers.includes("refund: done") && !attempts.some(({ refund }) => refund === "done")) breaks("a refund was confirmed");
  return broken;
}

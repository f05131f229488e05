import { attemptOf, isSameAttempt } from "../../../engine/intents/attempt.ts";
import { type Attempt, type IntentRecord, paidAttempt, statusOf } from "../../../engine/intents/intent.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { toMinorUnits } from "../../../engine/kernel/money.ts";
import { digest, intentOrder, OWNER, openShard, operation, type Shard } from "../../engine/intents/world.ts";
import { MemoryKv } from "../../engine/kernel/memory-kv.ts";
import { ManualClock, settle } from "../../engine/world.ts";
import { ProcessKv } from "../process-kv.ts";
import { Random } from "../random.ts";
import { SimGateway, turns } from "./sim-gateway.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const SHARDS = 2;
const STEPS = 60;
const INTENTS = 2;

interface Process {
  kv: ProcessKv;
  shard: Shard;
}

export interface IntentHistory {
  trace: string[];
  /** What is broken, in a sentence each. */
  broken: string[];
  /** What came about at all, so that a run can say that it has seen everything. */
  seen: Set<string>;
}

/** Merchants, buyers, a gateway, two processes and the time, as a seed draws them. The same seed gives the same trace. */
export async function playIntents(seed: number): Promise<IntentHistory> {
  const random = new Random(seed);
  const memory = new MemoryKv();
  const clock = new ManualClock();
  const gateway = new SimGateway(random.fork(), clock.nowMs);
  const trace: string[] = [];
  const broken: string[] = [];
  const seen = new Set<string>();
  const note = (what: string) => trace.push(`${((clock.nowMs() - 1_700_000_000_000) / 1_000).toFixed(3)} ${what}`);
  const addresses = Array.from({ length: SHARDS }, (_, index) => `shard-${index}`);

  function start(self: string): Process {
    const kv = new ProcessKv(memory, random.fork());
    const failed = (what: string, error: unknown) => {
      if (!(error instanceof RelayError)) broken.push(`${what} failed with ${error}`);
    };
    return { kv, shard: openShard({ kv, gateway, clock, self, addresses, failed }) };
  }
  const processes = addresses.map(start);
  const ids: string[] = [];
  const underWay = new Set<Promise<void>>();
  const answers: { id: string; answer: string }[] = [];
  let operations = 0;

  async function pass(ms: number, stepMs: number): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      clock.advance(Math.min(left, stepMs));
      for (const { shard } of processes) shard.tick();
      await settle();
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
          if (outcome !== null && outcome.type !== "unavailable" && outcome.type !== "unsettled") {
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

  for (let n = 0; n < INTENTS; n += 1) {
    const order = intentOrder(random.chance(0.4) ? { captureMethod: "manual" } : {});
    const first = processes[0];
    if (first !== undefined) ids.push((await first.shard.intents.create(OWNER, order, operation(`i${n}`))).id);
  }

  for (let step = 0; step < STEPS; step += 1) {
    const id = random.pick(ids);
    operations += 1;
    const by = operation(`o${operations}`);
    const all = [...gateway.inner.payments.keys()].filter((txId) => txId.startsWith(id));
    switch (
      random.weighted({
        ...{ confirm: 10, cancel: 2, capture: 3, refund: 4, pay: 8, fail: 5, notify: 6, verify: 3, soon: 8, later: 3, hour: 1 },
        ...{ kill: 2, trouble: 2, well: 3, arrive: 3, settle: 6 },
      })
    ) {
      case "confirm":
        asks("confirm", id, ({ intents }) => intents.confirm(OWNER, id, {}, by));
        break;
      case "cancel":
        asks("cancel", id, ({ intents }) => intents.cancel(OWNER, id, "abandoned", by));
        break;
      case "capture":
        asks("capture", id, ({ intents }) => intents.capture(OWNER, id, random.chance(0.5) ? null : 1_000, by));
        break;
      case "refund":
        asks("refund", id, ({ intents }) => intents.refund(OWNER, { intentId: id }, { amountMinor: null, reason: null, metadata: {} }, by));
        break;
      case "pay":
      case "fail": {
        const does = random.weighted({ pay: 6, fail: 4, payLate: 2 });
        const txId = all.length === 0 ? null : random.pick(all);
        if (txId !== null && gateway.buyer(txId, does)) note(`the buyer of ${txId}: ${does}`);
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
      case "verify": {
        const intent = await find(id);
        if (intent !== null) asks("verify", id, async ({ intents }) => ({ type: statusOf(await intents.verify(intent)) }));
        break;
      }
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
        processes[index] = start(self);
        break;
      }
      case "trouble":
        gateway.trouble = random.next();
        gateway.refusals = random.chance(0.3) ? random.next() / 2 : 0;
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
    // Half of them begin together with the next one.
    await turns(random.chance(0.5) ? 0 : random.between(0, 80));
  }

  function well(): void {
    gateway.trouble = 0;
    gateway.refusals = 0;
    for (const { kv } of processes) kv.trouble = 0;
  }

  async function find(id: string): Promise<IntentRecord | null> {
    const entry = await memory.get(`intent/${id}`);
    return entry === null ? null : JSON.parse(entry.value);
  }

  well();
  await Promise.all(underWay);
  await gateway.arrive(true);
  await pass(90 * MINUTE_MS, MINUTE_MS);
  for (const id of ids) {
    const buyer = [...gateway.inner.payments.keys()].filter((txId) => txId.startsWith(id));
    for (const txId of buyer) if (gateway.buyer(txId, "pay")) note(`the buyer of ${txId} pays late`);
  }
  // What the gateway had called failed is only found paid because it says that something happened.
  for (let round = 0; round < 2; round += 1) {
    for (const txId of gateway.inner.payments.keys()) {
      await random.pick(processes).shard.links.notified({ merId: "G1", txId, paymentId: null }, "right");
    }
    await pass(3 * MINUTE_MS, 5_000);
  }
  await pass(30 * HOUR_MS, 10 * MINUTE_MS);

  for (const id of ids) {
    const intent = await find(id);
    if (intent === null) {
      broken.push(`${id} is gone`);
      continue;
    }
    seen.add(`ends ${statusOf(intent)}`);
    const events = await memory.scan({ from: `event/${id}/`, to: `event/${id}/~`, limit: 1_000 });
    const told = events.map(({ value }): Told => JSON.parse(value));
    const links = await Promise.all(intent.attempts.map(({ txId }) => random.pick(processes).shard.links.byTxId(txId)));
    for (const [index, attempt] of intent.attempts.entries()) {
      const link = links[index] ?? null;
      if (link === null || !isSameAttempt(attempt, attemptOf(link, attempt, digest))) broken.push(`${attempt.txId} is not as its link`);
    }
    broken.push(
      ...judged(
        intent,
        told,
        gateway,
        answers.filter((one) => one.id === id).map(({ answer }) => answer),
        seen,
      ),
    );
  }
  return { trace, broken, seen };
}

interface Told {
  sequence: number;
  type: string;
  data: { object: { id: string } };
}

/** What has to hold of each intent at the end, when everybody is well again. */
function judged(intent: IntentRecord, told: readonly Told[], gateway: SimGateway, answers: readonly string[], seen: Set<string>): string[] {
  const broken: string[] = [];
  const status = statusOf(intent);
  const breaks = (what: string) => broken.push(`${intent.id} (${status}): ${what}`);
  const paid = paidAttempt(intent);
  let keptOnes = 0;
  for (const attempt of intent.attempts) {
    const money = moneyOf(attempt, gateway);
    if (money === null) continue;
    const { backMinor, paidMinor } = money;
    if (backMinor > paidMinor) breaks(`more of ${attempt.txId} was given back than was paid`);
    const isKept = backMinor === 0;
    if (isKept) keptOnes += 1;
    if (attempt.state !== "paid") breaks(`${attempt.txId} was paid, and nobody knows`);
    if (attempt.unwanted) seen.add("unwanted");
    // A reversal that the gateway refused is left to operators.
    const isRefused = attempt.followUps.some(({ id, state }) => id === `${attempt.txId}.r` && state === "refused");
    if (attempt.unwanted && isKept && !isRefused) breaks(`${attempt.txId} is kept, and nobody wants it`);
    if (attempt.unwanted && isRefused) {
      keptOnes -= 1;
      seen.add("left to operators");
    }
    if (!attempt.unwanted && attempt !== paid) breaks(`${attempt.txId} is paid beside another`);
  }
  if (keptOnes > 1) breaks(`${keptOnes} payments are kept`);
  if (status === "canceled" && keptOnes > 0) breaks("canceled, and a payment is kept");
  const mayBeBack = paid?.followUps.some(({ type, state }) => type !== "capture" && state !== "refused") ?? false;
  if ((status === "succeeded" || status === "requires_capture") && keptOnes !== 1 && !mayBeBack) breaks("nothing is kept");
  if (status === "requires_payment_method" && keptOnes > 0) breaks("a payment is kept that does not count");
  if (status === "processing" || status === "requires_action") breaks("nothing is known after all that time");
  for (const [index, { sequence }] of told.entries()) if (sequence !== index + 1) breaks("an event is missing");
  const times = (type: string) => told.filter((event) => event.type === type).length;
  if (times("payment_intent.succeeded") > 1 || times("payment_intent.canceled") > 1) breaks("an end is told twice");
  if (times("payment_intent.succeeded") !== (status === "succeeded" ? 1 : 0)) breaks("its success is not told as it is");
  if (times("payment_intent.canceled") !== (status === "canceled" ? 1 : 0)) breaks("its cancellation is not told as it is");
  for (const attempt of intent.attempts) {
    const ends = told.filter(({ type, data }) => data.object.id === attempt.chargeId && /^charge\.(?:succeeded|failed)$/.test(type));
    const expected =
      attempt.endedAtMs === null
        ? [[]]
        : attempt === paid
          ? [["charge.succeeded"], ["charge.failed", "charge.succeeded"]]
          : [["charge.failed"]];
    if (!expected.some((types) => types.join() === ends.map(({ type }) => type).join()))
      breaks(`${attempt.chargeId} is told as ${ends.map(({ type }) => type).join()}`);
  }
  if (answers.includes("cancel: canceled") && status !== "canceled") breaks("a cancel was confirmed");
  if (answers.includes("capture: captured") && status !== "succeeded") breaks("a capture was confirmed");
  if (answers.filter((answer) => answer === "refund: refunded").length > 0 && intent.refunds.every((refund) => !refund.told))
    breaks("a refund was confirmed");
  return broken;
}

/** What the gateway has of an attempt: null where it was not paid. */
function moneyOf({ txId }: Attempt, { inner }: SimGateway): { paidMinor: number; backMinor: number } | null {
  const payment = inner.payments.get(txId);
  if (payment === undefined || payment.state.type !== "paid") return null;
  const { tranId } = payment.state.payment;
  const executed = [...inner.executed.values()];
  const captures = executed.filter(({ origTranId, operation: kind }) => origTranId === tranId && kind === "capture");
  const movements = [tranId, ...captures.map(({ txId: captureId }) => `m-${captureId}`)];
  const back = executed.filter(({ origTranId, operation: kind }) => movements.includes(origTranId) && kind !== "capture");
  const sum = (list: typeof executed) => list.reduce((total, { amount, currency }) => total + toMinorUnits(amount, currency), 0);
  return { paidMinor: toMinorUnits(payment.order.amount, payment.order.currency), backMinor: sum(back) };
}

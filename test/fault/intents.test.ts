import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { attemptOf, isSameAttempt } from "../../engine/intents/attempt.ts";
import { statusOf } from "../../engine/intents/intent.ts";
import { RelayError } from "../../engine/kernel/errors.ts";
import type { Kv } from "../../engine/kernel/kv.ts";
import { digest, intentOrder, keptOf, OWNER, openShard, operation, type Shard } from "../engine/intents/world.ts";
import { MemoryKv } from "../engine/kernel/memory-kv.ts";
import { FakeGateway } from "../engine/links/world.ts";
import { ManualClock, settle } from "../engine/world.ts";
import { outboxRows } from "../support/outbox.ts";
import { DyingKv } from "./dying-kv.ts";

interface Played {
  shard: Shard;
  id: string;
  gateway: FakeGateway;
}

/** What a merchant, a buyer and the time do, one after the other. Repeated after a crash until it has an answer that stands. */
type Deed = (played: Played, pass: (ms: number) => Promise<void>) => Promise<unknown>;

const confirm =
  (key: string): Deed =>
  ({ shard, id }) =>
    shard.intents.confirm(OWNER, id, {}, operation(key));
const cancel: Deed = ({ shard, id }) => shard.intents.cancel(OWNER, id, "abandoned", operation("cancel"));
const capture: Deed = ({ shard, id }) => shard.intents.capture(OWNER, id, 1_000, operation("capture"));
const refund: Deed = ({ shard, id }) =>
  shard.intents.refund(OWNER, { intentId: id }, { amountMinor: null, reason: null, metadata: {} }, operation("refund"));
const pays =
  (n: number): Deed =>
  async ({ gateway, id }) =>
    gateway.pay(`${id}.${n}`);
const fails =
  (n: number): Deed =>
  async ({ gateway, id }) =>
    gateway.set(`${id}.${n}`, { type: "failed", paymentId: `g-${id}.${n}`, resultCode: "GW_10001", description: "no" });
const verify =
  (n: number): Deed =>
  ({ shard, id }) =>
    shard.links.verifyNow(`${id}.${n}`);
const passes =
  (ms: number): Deed =>
  (_, pass) =>
    pass(ms);

interface Story {
  title: string;
  captureMethod?: "manual";
  deeds: Deed[];
  ends: { status: string; kept: number };
}

const STORIES: Story[] = [
  { title: "paid", deeds: [confirm("c"), pays(1), verify(1)], ends: { status: "succeeded", kept: 1 } },
  { title: "paid and refunded", deeds: [confirm("c"), pays(1), verify(1), refund], ends: { status: "succeeded", kept: 0 } },
  {
    title: "authorized, captured in part, refunded",
    captureMethod: "manual",
    deeds: [confirm("c"), pays(1), verify(1), capture, refund],
    ends: { status: "succeeded", kept: 0 },
  },
  {
    title: "authorized and canceled",
    captureMethod: "manual",
    deeds: [confirm("c"), pays(1), verify(1), cancel],
    ends: { status: "canceled", kept: 0 },
  },
  { title: "canceled, then paid", deeds: [confirm("c"), cancel, pays(1), passes(120_000)], ends: { status: "canceled", kept: 0 } },
  { title: "canceled before any attempt", deeds: [cancel, confirm("c")], ends: { status: "canceled", kept: 0 } },
  {
    title: "failed, confirmed again, and both paid",
    deeds: [confirm("c"), fails(1), verify(1), confirm("d"), pays(2), verify(2), pays(1), passes(61_000), verify(1), passes(60_000)],
    ends: { status: "succeeded", kept: 1 },
  },
];

/** Plays a story while the node dies with a commit, and again and again after a restart. True where it died at all. */
async function play({ captureMethod, deeds, ends }: Story, dies: { commit: number; stored: boolean }): Promise<boolean> {
  const kv = new MemoryKv();
  const clock = new ManualClock();
  const gateway = new FakeGateway(clock.nowMs);
  const dying = new DyingKv(kv, dies);
  const failures: unknown[] = [];
  let isRestarted = false;
  const start = (store: Kv): Shard =>
    openShard({
      ...{ kv: store, gateway, clock },
      failed: (_what, error) => {
        if (isRestarted) failures.push(error);
      },
    });
  let shard = start(dying);
  const restart = () => {
    if (!dying.isDead || isRestarted) return;
    isRestarted = true;
    void shard.stop();
    clock.advance(35_000);
    shard = start(kv);
  };
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 1_000) {
      clock.advance(1_000);
      shard.tick();
      await settle();
      restart();
    }
  };
  const done = async <T>(deed: () => Promise<T>): Promise<T> => {
    for (let tries = 0; tries < 10; tries += 1) {
      try {
        const outcome = await deed();
        restart();
        if (!isAgain(outcome)) return outcome;
      } catch (error) {
        if (!(error instanceof RelayError)) throw error;
        restart();
      }
      await pass(3_000);
    }
    throw new Error("no answer that stands");
  };

  const { id } = await done(() =>
    shard.intents.create(OWNER, intentOrder(captureMethod === undefined ? {} : { captureMethod }), operation("i")),
  );
  for (const deed of deeds) await done(() => deed({ shard, id, gateway }, pass));
  const happened = dying.isDead;
  await pass(10 * 60_000);

  const where = `commit ${dies.commit}, ${dies.stored ? "stored" : "not stored"}`;
  const intent = await shard.intents.find(OWNER, id);
  assert.ok(intent !== null, where);
  assert.equal(statusOf(intent), ends.status, where);
  const kept = [...keptOf(gateway).values()].reduce((sum, each) => sum + each, 0);
  assert.equal(kept, ends.kept, where);
  assert.ok([...gateway.executed.values()].length <= 2, where);
  for (const attempt of intent.attempts) {
    const link = await shard.links.byTxId(attempt.txId);
    assert.ok(link !== null && isSameAttempt(attempt, attemptOf(link, attempt, digest)), `${where}: ${attempt.txId} is as its link`);
  }
  const entries = await kv.scan({ from: `event/${id}/`, to: `event/${id}/~`, limit: 1_000 });
  const events: { sequence: number; type: string; data: { object: { id: string } } }[] = entries.map(({ value }) => JSON.parse(value));
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    events.map((_, index) => index + 1),
    where,
  );
  assert.equal(intent.events, events.length, where);
  const ended = intent.attempts.filter(({ endedAtMs }) => endedAtMs !== null);
  for (const { chargeId } of ended) {
    const told = events.filter(({ type, data }) => data.object.id === chargeId && /^charge\.(?:succeeded|failed)$/.test(type));
    assert.equal(told.length, 1, `${where}: the end of each attempt is told once`);
  }
  const last = { succeeded: "payment_intent.succeeded", canceled: "payment_intent.canceled" }[ends.status];
  assert.equal(events.filter(({ type }) => type === last).length, 1, where);
  const rows: string[] = [];
  for await (const { row } of outboxRows(kv)) if (row?.type === "transaction") rows.push(`${row.transaction.uuid} ${row.version}`);
  assert.equal(new Set(rows).size, rows.length, `${where}: no row twice`);
  assert.deepEqual(failures, [], where);
  return happened;
}

/** What a client of the API asks again: what is not known yet. */
function isAgain(outcome: unknown): boolean {
  if (outcome === null || typeof outcome !== "object" || !("type" in outcome)) return false;
  return outcome.type === "unavailable" || outcome.type === "unsettled";
}

describe("a node that is killed at any commit of a payment intent", () => {
  for (const story of STORIES) {
    it(`${story.title}: afterwards the money is right, and everything is told once`, { timeout: 120_000 }, async () => {
      let moments = 0;
      for (const stored of [false, true]) {
        for (let commit = 1; await play(story, { commit, stored }); commit += 1) moments += 1;
      }
      assert.ok(moments >= 4, `only ${moments} moments`);
    });
  }
});

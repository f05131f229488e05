import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RelayError } from "../../engine/kernel/errors.ts";
import type { Kv } from "../../engine/kernel/kv.ts";
import { createMailStore } from "../../engine/mails/mail-store.ts";
import { attemptOf, isSameAttempt } from "../../engine/portal-links/attempt.ts";
import { isPaidTwice } from "../../engine/portal-links/portal-link.ts";
import { keptOf } from "../engine/intents/world.ts";
import { MemoryKv } from "../engine/kernel/memory-kv.ts";
import { FakeGateway } from "../engine/links/world.ts";
import { fedFaults } from "../engine/payments/fed-objects.ts";
import { HOUR_MS, member, OWNER, openShard, operation, type Shard } from "../engine/portal-links/world.ts";
import { ManualClock, settle } from "../engine/world.ts";
import { outboxRows } from "../support/outbox.ts";
import { DyingKv } from "./dying-kv.ts";

interface Played {
  shard: Shard;
  id: string;
  token: string;
  gateway: FakeGateway;
}

/** What a merchant, a customer, the gateway and the time do, one after the other. Repeated after a crash until it has an answer that stands. */
type Deed = (played: Played, pass: (ms: number) => Promise<void>) => Promise<unknown>;

const pay: Deed = ({ shard, token }) => shard.portalLinks.pay(token);
const cancel: Deed = ({ shard, id }) => shard.portalLinks.cancel(OWNER, id, operation("cancel"));
const send: Deed = ({ shard, id }) => shard.portalLinks.send(OWNER, id, null, "en", operation("send"));
const refund =
  (n: number): Deed =>
  ({ shard, id }) =>
    shard.links.followUp({ txId: `${id}.${n}`, operationId: "refund", type: "refund", amountMinor: null });
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
const answers =
  (mode: FakeGateway["mode"]): Deed =>
  async ({ gateway }) => {
    gateway.mode = mode;
  };
const passes =
  (ms: number): Deed =>
  (_, pass) =>
    pass(ms);

interface Story {
  title: string;
  deeds: Deed[];
  ends: { state: string; told: string[]; kept: number; mails: number; attention: string[] };
}

const PAID = "payment_link.paid";
const CANCELLED = "payment_link.cancelled";
const EXPIRED = "payment_link.expired";

const STORIES: Story[] = [
  {
    title: "sent and paid",
    deeds: [send, pay, pays(1), verify(1)],
    ends: { state: "PAID", told: [PAID], kept: 1, mails: 2, attention: [] },
  },
  {
    title: "paid and refunded",
    deeds: [pay, pays(1), verify(1), refund(1)],
    ends: { state: "PAID", told: [PAID], kept: 0, mails: 1, attention: [] },
  },
  {
    title: "opened and refunded while the gateway's answers are lost",
    deeds: [answers("lost"), pay, answers("there"), pay, pays(1), verify(1), answers("lost"), refund(1), answers("there"), passes(120_000)],
    ends: { state: "PAID", told: [PAID], kept: 0, mails: 1, attention: [] },
  },
  { title: "cancelled", deeds: [cancel, pay], ends: { state: "CANCELLED", told: [CANCELLED], kept: 0, mails: 0, attention: [] } },
  {
    title: "cancelled during the payment, and paid",
    deeds: [pay, cancel, pays(1), verify(1)],
    ends: { state: "PAID late", told: [CANCELLED, PAID], kept: 1, mails: 1, attention: ["link_late 1"] },
  },
  {
    title: "expired",
    deeds: [passes(HOUR_MS + 10_000), pay],
    ends: { state: "EXPIRED", told: [EXPIRED], kept: 0, mails: 0, attention: [] },
  },
  {
    title: "expired once its attempt had ended, and paid after that",
    deeds: [pay, passes(HOUR_MS + 120_000), pays(1), passes(HOUR_MS)],
    ends: { state: "PAID late", told: [EXPIRED, PAID], kept: 1, mails: 1, attention: ["link_late 1"] },
  },
  {
    title: "failed, opened again, and both paid",
    deeds: [pay, fails(1), verify(1), pay, pays(2), verify(2), pays(1), verify(1)],
    ends: { state: "PAID", told: [PAID], kept: 2, mails: 1, attention: ["link_paid_twice 1"] },
  },
  {
    title: "paid twice, and one given back",
    deeds: [pay, fails(1), verify(1), pay, pays(2), verify(2), pays(1), verify(1), refund(2)],
    ends: { state: "PAID", told: [PAID], kept: 1, mails: 1, attention: [] },
  },
];

/** Plays a story while the node dies with a commit, and again and again after a restart. True where it died at all. */
async function play({ deeds, ends }: Story, dies: { commit: number; stored: boolean }): Promise<boolean> {
  const kv = new MemoryKv();
  const clock = new ManualClock();
  const gateway = new FakeGateway(clock.nowMs);
  const dying = new DyingKv(kv, dies);
  const failures: unknown[] = [];
  const circumstances = { hasAccount: true, isInactive: false, hasRoom: true, team: [member(1)] };
  const heard = { became: [], workflow: [], leftOut: 0 };
  let isRestarted = false;
  const start = (store: Kv): Shard =>
    openShard({
      ...{ kv: store, gateway, clock, circumstances, heard },
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
    // Nothing of these stories is exact to less in so long a time, and each step takes a while on a busy machine.
    const stepMs = ms > 10 * 60_000 ? 60_000 : ms > 60_000 ? 5_000 : 1_000;
    for (let left = ms; left > 0; left -= stepMs) {
      clock.advance(stepMs);
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
        // While answers are lost on purpose, nobody waits for one.
        if (!isAgain(outcome) || gateway.mode === "lost") return outcome;
      } catch (error) {
        if (!(error instanceof RelayError)) throw error;
        restart();
      }
      await pass(3_000);
    }
    throw new Error("no answer that stands");
  };

  const expiresAtMs = clock.nowMs() + HOUR_MS;
  const order = {
    amountMinor: 1_234,
    currency: "EUR",
    description: "Two nights",
    reference: null,
    customerEmail: "a@example.org",
    expiresAtMs,
  };
  const created = await done(() => shard.portalLinks.create(OWNER, order, { type: "key" }, operation("create")));
  assert.ok(created.type === "created");
  const { id, token } = created.link;
  for (const deed of deeds) await done(() => deed({ shard, id, token, gateway }, pass));
  const happened = dying.isDead;
  await pass(5 * 60_000);

  const where = `commit ${dies.commit}, ${dies.stored ? "stored" : "not stored"}`;
  const link = await shard.portalLinks.find(OWNER, id);
  assert.ok(link !== null, where);
  assert.deepEqual(await shard.portalLinks.byToken(token), link, `${where}: it is still found by the token that was handed out`);
  assert.equal(link.late ? `${link.state} late` : link.state, ends.state, where);
  assert.equal(
    [...keptOf(gateway).values()].reduce((sum, each) => sum + each, 0),
    ends.kept,
    where,
  );
  assert.equal(isPaidTwice(link), ends.kept > 1, where);
  assert.ok(gateway.executed.size <= 1, `${where}: nothing is given back twice`);
  assert.ok(
    [...gateway.payments.keys()].every((txId) => link.attempts.some((attempt) => attempt.txId === txId)),
    where,
  );
  for (const attempt of link.attempts) {
    const one = await shard.links.byTxId(attempt.txId);
    assert.ok(one !== null && isSameAttempt(attempt, attemptOf(one, attempt)), `${where}: ${attempt.txId} is as its link`);
  }
  const entries = await kv.scan({ from: `event/${id}/`, to: `event/${id}/~`, limit: 1_000 });
  const events: { sequence: number; type: string }[] = entries.map(({ value }) => JSON.parse(value));
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    events.map((_, index) => index + 1),
    where,
  );
  assert.deepEqual(
    events.map(({ type }) => type),
    ends.told,
    `${where}: everything is told once`,
  );
  assert.equal((await createMailStore(kv).page(null, 100)).length, ends.mails, `${where}: each mail is owed once`);
  const attention = kv.keys("a/").map((key) => key.replace("a/", "").replace(`/TML1/${id}.`, " "));
  assert.deepEqual(attention, ends.attention, where);
  const rows: string[] = [];
  for await (const { row } of outboxRows(kv)) if (row?.type === "transaction") rows.push(`${row.transaction.uuid} ${row.version}`);
  assert.equal(new Set(rows).size, rows.length, `${where}: no row twice`);
  assert.deepEqual(await fedFaults(kv), [], `${where}: reports have the link and its refunds as they are`);
  assert.deepEqual(failures, [], where);
  return happened;
}

/** What a caller asks again: what is not known yet. */
function isAgain(outcome: unknown): boolean {
  if (outcome === null || typeof outcome !== "object" || !("type" in outcome)) return false;
  return outcome.type === "unavailable" || outcome.type === "not_yet";
}

describe("a node that is killed at any commit of a payment link of the portal", () => {
  for (const story of STORIES) {
    it(`${story.title}: afterwards the money is right, and everything is told once`, { timeout: 300_000 }, async () => {
      let moments = 0;
      for (const stored of [false, true]) {
        for (let commit = 1; await play(story, { commit, stored }); commit += 1) moments += 1;
      }
      assert.ok(moments >= 4, `only ${moments} moments`);
    });
  }
});

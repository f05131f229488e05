import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { IntentWorld, OWNER } from "./world.ts";

const QUERY = { limit: 2, startingAfter: null, endingBefore: null, fromMs: null, beforeMs: null, intentId: null, chargeId: null };
const OTHER = { ...OWNER, merchantId: "M2" };

/** Creates an intent with three failed attempts, a second apart, and an open one. */
async function tried(world: IntentWorld): Promise<{ id: string; chargeIds: string[] }> {
  const { id } = await world.open();
  for (let n = 1; n <= 3; n += 1) {
    world.fail(`${id}.${n}`);
    world.clock.advance(1_000);
    await world.verified(`${id}.${n}`);
    await world.intents.confirm(OWNER, id, {}, world.next());
  }
  return { id, chargeIds: (await world.intent(id)).attempts.map(({ chargeId }) => chargeId) };
}

describe("the lists of a merchant", () => {
  it("continues lists of intents only with a cursor of the same list", async () => {
    const world = new IntentWorld();
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      ids.unshift((await world.create()).id);
      world.clock.advance(1_000);
    }
    const [newest, middle, oldest] = ids;
    const first = await world.intents.list(OWNER, QUERY);
    assert.deepEqual([first?.items.map(({ id }) => id), first?.hasMore], [[newest, middle], true]);
    const second = await world.intents.list(OWNER, { ...QUERY, startingAfter: middle ?? "" });
    assert.deepEqual([second?.items.map(({ id }) => id), second?.hasMore], [[oldest], false]);
    const back = await world.intents.list(OWNER, { ...QUERY, endingBefore: oldest ?? "" });
    assert.deepEqual([back?.items.map(({ id }) => id), back?.hasMore], [[newest, middle], false]);
    assert.equal(await world.intents.list(OTHER, { ...QUERY, startingAfter: middle ?? "" }), null);
    assert.equal(await world.intents.list(OWNER, { ...QUERY, endingBefore: "pi_000000000000000000000000" }), null);
    assert.deepEqual(await world.intents.list(OTHER, QUERY), { items: [], hasMore: false });
  });

  it("lists charges of ended attempts only, of all intents or of one", async () => {
    const world = new IntentWorld();
    const { id, chargeIds } = await tried(world);
    const paid = await world.paid();
    const ended = chargeIds.slice(0, 3).reverse();
    for (const intentId of [null, id]) {
      const all = await world.intents.listCharges(OWNER, { ...QUERY, limit: 10, intentId });
      const ids = all?.items.map(({ attempt }) => attempt.chargeId) ?? [];
      assert.deepEqual(
        ids.filter((each) => chargeIds.includes(each)),
        ended,
      );
      assert.equal(ids.length, intentId === null ? 4 : 3);
    }
    const page = (query: object) => world.intents.listCharges(OWNER, { ...QUERY, intentId: id, ...query });
    const first = await page({});
    assert.deepEqual([first?.items.map(({ attempt }) => attempt.chargeId), first?.hasMore], [ended.slice(0, 2), true]);
    const next = await page({ startingAfter: ended[1] });
    assert.deepEqual([next?.items.map(({ attempt }) => attempt.chargeId), next?.hasMore], [ended.slice(2), false]);
    const back = await page({ limit: 1, endingBefore: ended[2] });
    assert.deepEqual([back?.items.map(({ attempt }) => attempt.chargeId), back?.hasMore], [ended.slice(1, 2), true]);
    const endedAtMs = (await world.intent(id)).attempts.flatMap((attempt) => attempt.endedAtMs ?? []);
    const bounded = await page({ fromMs: endedAtMs[1], beforeMs: endedAtMs[2] });
    assert.deepEqual(
      bounded?.items.map(({ attempt }) => attempt.chargeId),
      [chargeIds[1]],
    );
    const charge = await world.intents.charge(OWNER, ended[0] ?? "");
    assert.equal(charge?.intent.id, id);
    assert.equal(await world.intents.charge(OTHER, ended[0] ?? ""), null);
    assert.deepEqual(await world.intents.listCharges(OTHER, { ...QUERY, intentId: paid.id }), { items: [], hasMore: false });
  });

  it("lists refunds of all intents, of one, or of one charge", async () => {
    const world = new IntentWorld();
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      const { id } = await world.paid();
      ids.push(id);
      await world.intents.refund(OWNER, { intentId: id }, { amountMinor: null, reason: null, metadata: {} }, world.next());
      world.clock.advance(1_000);
    }
    const list = async (query: object) =>
      (await world.intents.listRefunds(OWNER, { ...QUERY, limit: 10, ...query }))?.items.map(({ intent }) => intent.id);
    assert.deepEqual(await list({}), [...ids].reverse());
    assert.deepEqual(await list({ intentId: ids[1] }), [ids[1]]);
    const [attempt] = (await world.intent(ids[2] ?? "")).attempts;
    assert.deepEqual(await list({ chargeId: attempt?.chargeId }), [ids[2]]);
    assert.deepEqual(await list({ intentId: ids[1], chargeId: attempt?.chargeId }), []);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LINKS } from "../../../engine/links/link-store.ts";
import { IntentWorld, OWNER, operation } from "./world.ts";

const HOUR_MS = 3_600_000;
const ALL = { amountMinor: null, reason: null, metadata: {} } as const;

describe("a payment of what is not ordered any more", () => {
  /** Its time is over, and the buyer is still on the gateway's page. */
  async function expired(captureMethod: "automatic" | "manual" = "automatic"): Promise<{ world: IntentWorld; id: string; txId: string }> {
    const world = new IntentWorld();
    const { id, txId } = await world.open({ amountMinor: 1_000, captureMethod });
    world.clock.advance(HOUR_MS + 1_000);
    await world.verified(txId);
    assert.equal(await world.status(id), "requires_payment_method");
    return { world, id, txId };
  }

  it("is given back: nobody gets goods of five thousand for ten", async () => {
    const { world, id, txId } = await expired();
    assert.equal((await world.intents.update(OWNER, id, { amountMinor: 500_000 }, world.next()))?.type, "updated");
    world.gateway.pay(txId);
    await world.pass(120_000);
    assert.equal(await world.status(id), "requires_payment_method");
    assert.equal((await world.told(id)).includes("payment_intent.succeeded"), false);
    assert.deepEqual([...world.gateway.executed.keys()], [`${txId}.r`]);
    assert.deepEqual(world.failures, []);
  });

  it("is in the way of no other attempt, which is for what is ordered now", async () => {
    const { world, id, txId } = await expired();
    await world.intents.update(OWNER, id, { amountMinor: 500_000 }, world.next());
    world.gateway.pay(txId);
    const confirmed = await world.intents.confirm(OWNER, id, {}, world.next());
    assert.equal(confirmed?.type, "confirmed");
    world.gateway.pay(`${id}.2`);
    await world.verified(`${id}.2`);
    await world.pass(60_000);
    assert.equal(await world.status(id), "succeeded");
    assert.deepEqual(
      [...world.kept()],
      [
        [txId, 0],
        [`${id}.2`, 1],
      ],
    );
  });

  it("is given back where it was to be authorized only from then on", async () => {
    const { world, id, txId } = await expired();
    await world.intents.update(OWNER, id, { captureMethod: "manual" }, world.next());
    world.gateway.pay(txId);
    await world.pass(120_000);
    assert.equal(await world.status(id), "requires_payment_method");
    assert.deepEqual([...world.kept()], [[txId, 0]]);
  });

  it("counts where the order is what it was again, and where another description was given", async () => {
    const { world, id, txId } = await expired();
    await world.intents.update(OWNER, id, { amountMinor: 2_000, description: "Other words" }, world.next());
    await world.intents.update(OWNER, id, { amountMinor: 1_000, captureMethod: "automatic_async" }, world.next());
    world.gateway.pay(txId);
    await world.pass(120_000);
    assert.equal(await world.status(id), "succeeded");
    assert.equal(world.gateway.executed.size, 0);
  });
});

describe("money that nobody wants", () => {
  it("is given back although the gateway did not know the relay at first", async () => {
    const world = new IntentWorld();
    const { id, txId } = await world.open();
    await world.intents.cancel(OWNER, id, null, world.next());
    world.gateway.pay(txId);
    world.gateway.refuses = { resultCode: "GW_30401", description: "The signature does not match" };
    await world.pass(120_000);
    assert.equal((await world.link(txId)).reversalOwed?.state, "owed", "nobody has looked at it");
    world.gateway.refuses = null;
    await world.pass(600_000);
    assert.equal((await world.link(txId)).reversalOwed?.state, "done");
    assert.deepEqual([...world.gateway.executed.keys()], [`${txId}.r`]);
    assert.deepEqual(world.failures, []);
  });
});

describe("a payment that had as many operations as may be", () => {
  async function full(captureMethod: "automatic" | "manual"): Promise<{ world: IntentWorld; id: string }> {
    const world = new IntentWorld();
    const { id } = await world.paid({ captureMethod });
    world.gateway.refuses = { resultCode: "GW_30009", description: "no" };
    for (let count = 0; count < 32; count += 1) {
      if (captureMethod === "manual") await world.intents.capture(OWNER, id, null, world.next());
      else await world.intents.refund(OWNER, { intentId: id }, ALL, world.next());
    }
    world.gateway.refuses = null;
    return { world, id };
  }

  it("is not captured and not released any more: clients are not told to ask again for ever", async () => {
    const { world, id } = await full("manual");
    assert.equal((await world.intents.capture(OWNER, id, null, world.next()))?.type, "refused");
    assert.equal((await world.intents.cancel(OWNER, id, null, world.next()))?.type, "refused");
    assert.equal(await world.status(id), "requires_capture");
  });

  it("is not refunded any more", async () => {
    const { world, id } = await full("automatic");
    assert.equal((await world.intents.refund(OWNER, { intentId: id }, ALL, world.next()))?.type, "refused");
  });
});

describe("a payment whose link is not kept any more", () => {
  async function gone(captureMethod: "automatic" | "manual"): Promise<{ world: IntentWorld; id: string }> {
    const world = new IntentWorld();
    const { id, txId } = await world.paid({ captureMethod });
    await world.kv.commit({ checks: [], operations: [{ type: "delete", key: LINKS + txId }] });
    return { world, id };
  }

  it("is refused a refund, a capture and a release", async () => {
    const paid = await gone("automatic");
    assert.equal((await paid.world.intents.refund(OWNER, { intentId: paid.id }, ALL, paid.world.next()))?.type, "refused");
    const authorized = await gone("manual");
    assert.equal((await authorized.world.intents.capture(OWNER, authorized.id, null, authorized.world.next()))?.type, "refused");
    assert.equal((await authorized.world.intents.cancel(OWNER, authorized.id, null, authorized.world.next()))?.type, "refused");
  });
});

describe("what was paid in another currency", () => {
  it("is captured as a whole only: a part was named in the currency of the order", async () => {
    const world = new IntentWorld();
    const { id, txId } = await world.open({ captureMethod: "manual" });
    world.gateway.pay(txId, { amountMinor: 200_000, currency: "JPY" });
    await world.verified(txId);
    assert.equal((await world.intents.capture(OWNER, id, 1_234, world.next()))?.type, "too_much");
    assert.equal((await world.intents.capture(OWNER, id, null, operation("c")))?.type, "captured");
    assert.deepEqual(
      [...world.gateway.executed.values()].map(({ amount, currency }) => [amount, currency]),
      [["200000", "JPY"]],
    );
  });
});

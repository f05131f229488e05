import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LINK_FOLLOW_UP_LEASE_MS } from "../../../engine/kernel/limits.ts";
import { fromMinorUnits } from "../../../engine/kernel/money.ts";
import type { LinkOrder } from "../../../engine/links/link.ts";
import { createGiveBack, type GiveBack, type GivenBack } from "../../../engine/refunds/refund-payment.ts";
import { digest, IntentWorld, OWNER, operation } from "./world.ts";

const REFUNDED: GivenBack = { type: "given_back", by: "refund", amountMinor: 1_234, currency: "EUR", atMs: 0 };

class World extends IntentWorld {
  /** The requests that caused the gateway's calls. */
  readonly requests: (string | null | undefined)[] = [];

  giveBackAt(index: number): GiveBack {
    const { links, intents } = this.shard(index);
    const followUp: typeof links.followUp = (request, cause) => {
      this.requests.push(cause?.requestId);
      return links.followUp(request, cause);
    };
    return createGiveBack({ links: { byTxId: links.byTxId, followUp }, intents, digest });
  }

  async giveBack(index: number, txId: string, id: string): Promise<GivenBack> {
    const outcome = await this.giveBackAt(index)(OWNER, await this.link(txId), operation(id));
    return outcome.type === "given_back" ? { ...outcome, atMs: 0 } : outcome;
  }

  /** Creates a paid link without an intent: a partner's, or an attempt at a portal link. */
  async paidLink(capture: LinkOrder["capture"] = "now", said?: { amountMinor: number; currency: string }): Promise<string> {
    const nowMs = this.clock.nowMs();
    await this.shard(0).links.create({
      ...{ txId: "l-1", terminalId: "TML1", partnerId: 1, merchantId: "G1", shop: "M1", owner: "partner:1" },
      ...{ amount: fromMinorUnits(1_234, "EUR"), amountMinor: 1_234, currency: "EUR", description: null, merchantReference: null },
      ...{ customerEmail: null, instrument: "card", capture, returnUrl: null, createdAtMs: nowMs, expiresAtMs: nowMs + 3_600_000 },
      attachment: null,
    });
    this.gateway.pay("l-1", said);
    await this.verified("l-1");
    return "l-1";
  }

  /** Returns who requested the refunds and reversals. */
  async askers(txId: string): Promise<(string | undefined)[]> {
    return (await this.link(txId)).followUps.map(({ by }) => by);
  }

  executed(): { id: string; operation: string; amount: string; currency: string }[] {
    return [...this.gateway.executed].map(([id, entry]) => ({
      id,
      operation: entry.operation,
      amount: entry.amount,
      currency: entry.currency,
    }));
  }
}

describe("the refund of a payment by link", () => {
  it("happens once per operation, and names the request", async () => {
    const world = new World();
    const txId = await world.paidLink();
    assert.deepEqual(await world.giveBack(0, txId, "a"), REFUNDED);
    assert.deepEqual(await world.giveBack(0, txId, "a"), REFUNDED);
    assert.deepEqual(await world.giveBack(0, txId, "b"), { type: "impossible", reason: "already_refunded" });
    assert.deepEqual(world.executed(), [{ id: "a", operation: "refund", amount: "12.34", currency: "EUR" }]);
    assert.deepEqual(world.requests, ["req_a", "req_a"]);
  });

  it("happens once if two nodes and its partner request it concurrently", async () => {
    const world = new World(3);
    const txId = await world.paidLink();
    const [one, other, partner] = await Promise.all([
      world.giveBack(0, txId, "a"),
      world.giveBack(1, txId, "b"),
      world.shard(2).links.followUp({ txId, operationId: "p", type: "refund", amountMinor: null }),
    ]);
    assert.equal(world.gateway.executed.size, 1, JSON.stringify(world.executed()));
    const done = [one, other].filter(({ type }) => type === "given_back").length + (partner?.type === "done" ? 1 : 0);
    assert.equal(done, 1);
    for (const outcome of [one, other]) if (outcome.type !== "given_back") assert.equal(outcome.type, "impossible");
    assert.deepEqual(await world.giveBack(0, txId, "c"), { type: "impossible", reason: "already_refunded" });
  });

  it("continues a refund whose response was lost, for the same operation or a later one, under the first id", async () => {
    for (const again of ["a", "b"]) {
      const world = new World();
      const txId = await world.paidLink();
      world.gateway.mode = "lost";
      const unknown = { type: "impossible", reason: "outcome_unknown" };
      assert.deepEqual(await world.giveBack(0, txId, "a"), unknown);
      assert.deepEqual(await world.giveBack(0, txId, "b"), unknown);
      world.gateway.mode = "there";
      world.clock.advance(LINK_FOLLOW_UP_LEASE_MS + 1);
      assert.deepEqual(await world.giveBack(0, txId, again), REFUNDED);
      assert.deepEqual(
        world.executed().map(({ id }) => id),
        ["a"],
      );
    }
  });

  it("refunds the paid amount if it differs from the order", async () => {
    const world = new World();
    const txId = await world.paidLink("now", { amountMinor: 900, currency: "USD" });
    assert.deepEqual(await world.giveBack(0, txId, "a"), { ...REFUNDED, amountMinor: 900, currency: "USD" });
    assert.deepEqual(world.executed(), [{ id: "a", operation: "refund", amount: "9.00", currency: "USD" }]);
  });

  it("reports a refusal with the gateway's words, and can be requested again", async () => {
    const world = new World();
    const txId = await world.paidLink();
    world.gateway.refuses = { resultCode: "GW_7", description: "no cover" };
    assert.deepEqual(await world.giveBack(0, txId, "a"), { type: "refused", description: "no cover" });
    world.gateway.refuses = null;
    assert.deepEqual(await world.giveBack(0, txId, "a"), { type: "refused", description: "no cover" }, "the same operation");
    assert.deepEqual(await world.giveBack(0, txId, "b"), REFUNDED);
  });

  it("reverses an authorized payment, and refunds a captured one", async () => {
    const world = new World();
    const txId = await world.paidLink("later");
    assert.deepEqual(await world.giveBack(0, txId, "a"), { ...REFUNDED, by: "reversal" });
    const captured = await world.shard(0).links.followUp({ txId, operationId: "c", type: "capture", amountMinor: null });
    assert.deepEqual([captured?.type, world.gateway.executed.size], ["impossible", 1]);
    const part = new World();
    await part.paidLink("later");
    await part.shard(0).links.followUp({ txId, operationId: "c", type: "capture", amountMinor: 400 });
    assert.deepEqual(await part.giveBack(0, txId, "a"), { ...REFUNDED, amountMinor: 400 });
  });

  it("reports the outcome of the money during a concurrent capture", async () => {
    const world = new World(2);
    const txId = await world.paidLink("later");
    const [outcome] = await Promise.all([
      world.giveBack(0, txId, "a"),
      world.shard(1).links.followUp({ txId, operationId: "c", type: "capture", amountMinor: null }),
    ]);
    const kinds = world.executed().map((entry) => entry.operation);
    assert.equal(kinds.includes("reversal") || kinds.includes("refund"), outcome.type === "given_back", JSON.stringify([outcome, kinds]));
  });

  it("goes through the intent of a payment, and happens once even with a concurrent refund of the intent", async () => {
    const world = new World(2);
    const { id, txId } = await world.paid();
    const [outcome] = await Promise.all([
      world.giveBack(0, txId, "a"),
      world.shard(1).intents.refund(OWNER, { intentId: id }, { amountMinor: null, reason: null, metadata: {} }, operation("v1")),
    ]);
    assert.equal(world.gateway.executed.size, 1);
    assert.ok(outcome.type === "given_back" || outcome.type === "impossible", JSON.stringify(outcome));
    const { attempts, refunds } = await world.intent(id);
    assert.deepEqual([attempts[0]?.followUps.length, refunds.length], [1, 1]);
    assert.deepEqual(world.failures, []);
  });

  it("works for an intent's payment after its merchant moved to the other environment", async () => {
    for (const captureMethod of ["automatic", "manual"] as const) {
      const world = new World();
      const { id, txId } = await world.paid({ captureMethod });
      const moved = { ...OWNER, livemode: !OWNER.livemode };
      const outcome = await world.giveBackAt(0)(moved, await world.link(txId), operation("a"));
      assert.equal(outcome.type, "given_back");
      assert.equal((await world.intent(id)).attempts[0]?.followUps[0]?.state, "done");
      const stranger = { ...OWNER, merchantId: "M2" };
      await assert.rejects(world.giveBackAt(0)(stranger, await world.link(txId), operation("a")), { code: "not_found" });
    }
  });

  it("cancels the intent of an authorized payment", async () => {
    const world = new World();
    const { txId } = await world.paid({ captureMethod: "manual" });
    assert.deepEqual(await world.giveBack(0, txId, "a"), { ...REFUNDED, by: "reversal" });
    assert.deepEqual(await world.giveBack(0, txId, "a"), { ...REFUNDED, by: "reversal" });
    assert.deepEqual(await world.giveBack(0, txId, "b"), { type: "impossible", reason: "already_refunded" });
    assert.equal(world.gateway.executed.size, 1);
  });

  it("stores who requested it: a person, or a program with the merchant's key", async () => {
    for (const by of ["user", "key", undefined] as const) {
      const asked = by === undefined ? {} : { by };
      const [direct, ofIntent] = [new World(), new World()];
      const txId = await direct.paidLink();
      await direct.giveBackAt(0)(OWNER, await direct.link(txId), { ...operation("a"), ...asked });
      assert.deepEqual(await direct.askers(txId), [by]);
      const { txId: attempt } = await ofIntent.paid();
      await ofIntent.giveBackAt(0)(OWNER, await ofIntent.link(attempt), { ...operation("a"), ...asked });
      assert.deepEqual(await ofIntent.askers(attempt), [by ?? "key"]);
    }
  });
});

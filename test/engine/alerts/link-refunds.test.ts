import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AlertRefunds, RefundOrder } from "../../../engine/alerts/alert-refunds.ts";
import { createLinkRefunds } from "../../../engine/alerts/link-refunds.ts";
import { createDisputeHoldCompanion } from "../../../engine/disputes/dispute-hold-companion.ts";
import { createDisputeHoldStore } from "../../../engine/disputes/dispute-hold-store.ts";
import { createGiveBack } from "../../../engine/refunds/refund-payment.ts";
import { DisputeWorld, operation } from "../disputes/world.ts";
import { digest } from "../intents/world.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { type LinkWorld, openLinkWorld } from "../links/world.ts";
import { ManualClock } from "../world.ts";

interface RefundWorld {
  links: LinkWorld;
  refunds: AlertRefunds;
  disputes: DisputeWorld;
  order(changes?: Partial<RefundOrder>): RefundOrder;
  refund(): Promise<string>;
  verify(): Promise<string>;
  /** Another caller refunds the whole payment. */
  giveBack(): Promise<string>;
  executed(): string[];
}

/** Opens a paid link of a merchant, with refunds wired as in the product. */
async function paidLink(changes: { capture?: "now" | "later"; shop?: string } = {}): Promise<RefundWorld> {
  const [kv, clock] = [new MemoryKv(), new ManualClock()];
  const holds = createDisputeHoldStore(kv);
  const links = openLinkWorld({ kv, clock, companions: [createDisputeHoldCompanion(holds)] });
  await links.create("x1", { shop: "M1", ...changes });
  links.gateway.pay("x1");
  await links.shard.links.verifyNow("x1");
  const unused = () => Promise.reject(new Error("no intent here"));
  const giveBack = createGiveBack({ links: links.shard.links, intents: { refund: unused, cancel: unused }, digest });
  const refunds = createLinkRefunds({ links: links.shard.links, giveBack, holds, digest, clock });
  const order = (other: Partial<RefundOrder> = {}): RefundOrder => ({
    ...{ id: "alert-al_1", merchantId: "M1", partnerId: 1, livemode: false, uuid: "x1", limit: null, requestId: null },
    notAfterMs: clock.nowMs() + 60_000,
    ...other,
  });
  const worded = (state: Awaited<ReturnType<AlertRefunds["refund"]>>) =>
    state.type === "refused" ? `refused ${state.reason}` : state.type;
  return {
    ...{ links, refunds, order, disputes: new DisputeWorld(1, { kv, clock }) },
    refund: async () => worded(await refunds.refund(order())),
    verify: async () => worded(await refunds.verify(order())),
    giveBack: async () => {
      const outcome = await links.shard.links.followUp({ txId: "x1", operationId: "other", type: "refund", amountMinor: null });
      return outcome?.type ?? "none";
    },
    executed: () => [...links.gateway.executed].map(([id, { operation: does }]) => `${does} ${id}`),
  };
}

describe("createLinkRefunds", () => {
  it("refunds or reverses the whole payment once, and repeats the answer", async () => {
    const world = await paidLink();
    assert.deepEqual(
      [await world.verify(), await world.refund(), await world.verify(), await world.refund()],
      ["absent", "done", "done", "done"],
    );
    assert.deepEqual(world.executed(), ["refund alert-al_1"]);
    const authorized = await paidLink({ capture: "later" });
    assert.equal(await authorized.refund(), "done");
    assert.deepEqual(authorized.executed(), ["reversal alert-al_1"]);
  });

  it("moves nothing if the whole payment was refunded before", async () => {
    const world = await paidLink();
    assert.equal(await world.giveBack(), "done");
    assert.deepEqual([await world.refund(), await world.verify()], ["already_refunded", "absent"]);
    assert.deepEqual(world.executed(), ["refund other"]);
  });

  it("finds out the outcome of a refund whose answer was lost, and never repeats it", async () => {
    const world = await paidLink();
    world.links.gateway.mode = "lost";
    world.links.clock.advance(1);
    assert.deepEqual([await world.refund(), await world.refund(), await world.verify()], ["unknown", "unknown", "unknown"]);
    world.links.gateway.mode = "there";
    assert.equal(await world.verify(), "done");
    assert.deepEqual(world.executed(), ["refund alert-al_1"]);
  });

  it("continues a stored refund that never reached the gateway, under the same id, unless there is a dispute", async () => {
    const world = await paidLink();
    world.links.gateway.mode = "away";
    world.links.clock.advance(1);
    assert.equal(await world.refund(), "unknown");
    assert.equal(await world.verify(), "unknown");
    world.links.gateway.mode = "there";
    assert.equal(await world.verify(), "unfinished");
    const late = world.order({ notAfterMs: world.links.clock.nowMs() });
    assert.deepEqual(await world.refunds.refund(late), { type: "unknown" });
    await world.disputes.receive({ uuid: "x1" });
    assert.equal(await world.refund(), "unknown");
    assert.deepEqual(world.executed(), []);
    await world.disputes.feed.verdict("VISA", "C-1", "WON", operation("won"));
    assert.equal(await world.refund(), "done");
    assert.equal(await world.refund(), "done");
    assert.deepEqual(world.executed(), ["refund alert-al_1"]);
    assert.equal((await world.links.link("x1")).followUps[0]?.by, "alert");
  });

  it("blocks a restart under the same id during a dispute, after the gateway rejected the request unread", async () => {
    const world = await paidLink();
    world.links.gateway.refuses = { resultCode: "GW_30401", description: "The signature does not match" };
    assert.equal(await world.giveBack(), "refused");
    world.links.gateway.refuses = null;
    await world.disputes.receive({ uuid: "x1" });
    assert.equal(await world.giveBack(), "impossible");
    assert.deepEqual(world.executed(), []);
    await world.disputes.feed.verdict("VISA", "C-1", "WON", operation("won"));
    assert.equal(await world.giveBack(), "done");
    assert.deepEqual(world.executed(), ["refund other"]);
  });

  it("repeats a rejection, and reports a later refund by another caller", async () => {
    const world = await paidLink();
    world.links.gateway.refuses = { resultCode: "GW_1", description: "no" };
    assert.deepEqual([await world.refund(), await world.verify()], ["refused gateway", "refused GW_1"]);
    world.links.gateway.refuses = null;
    assert.equal(await world.refund(), "refused gateway", "the gateway executes an id once");
    assert.equal(await world.giveBack(), "done");
    assert.equal(await world.refund(), "already_refunded");
  });

  it("rejects payments of other merchants, payments that are not by link, and unpaid links", async () => {
    const world = await paidLink();
    for (const other of [{ merchantId: "M2" }, { uuid: "0b8f4e2a-1c3d-4e5f-8a9b-0c1d2e3f4a5b" }]) {
      assert.deepEqual(await world.refunds.refund(world.order(other)), { type: "refused", reason: "not_refundable_here" });
      assert.deepEqual(await world.refunds.verify(world.order(other)), { type: "refused", reason: "not_refundable_here" });
    }
    await world.links.create("x2", { shop: "M1" });
    assert.deepEqual(await world.refunds.refund(world.order({ uuid: "x2" })), { type: "refused", reason: "not_paid" });
    assert.deepEqual(world.executed(), []);
  });

  it("refunds nothing if a rule decided by a lower amount than the payment", async () => {
    const world = await paidLink();
    for (const limit of [
      { amountMinor: 1_233, currency: "EUR" },
      { amountMinor: 1_234, currency: "USD" },
    ]) {
      assert.deepEqual(await world.refunds.refund(world.order({ limit })), { type: "refused", reason: "amount_differs" });
    }
    assert.deepEqual(world.executed(), []);
    assert.deepEqual(await world.refunds.refund(world.order({ limit: { amountMinor: 1_234, currency: "EUR" } })), { type: "done" });
  });

  it("begins nothing after the deadline of the order", async () => {
    const world = await paidLink();
    const late = world.order({ notAfterMs: world.links.clock.nowMs() });
    assert.deepEqual(await world.refunds.refund(late), { type: "absent" });
    assert.deepEqual(world.executed(), []);
  });

  it("answers unknown if the store does not answer", async () => {
    const world = await paidLink();
    world.links.kv.unreadable = true;
    assert.deepEqual([await world.refund(), await world.verify()], ["unknown", "unknown"]);
  });
});

describe("the refund block of a payment under dispute", () => {
  it("rejects every refund until the dispute is won", async () => {
    const world = await paidLink();
    await world.disputes.receive({ uuid: "x1" });
    assert.deepEqual([await world.refund(), await world.giveBack()], ["refused under_dispute", "impossible"]);
    assert.deepEqual(world.executed(), []);
    await world.disputes.feed.verdict("VISA", "C-1", "WON", operation("won"));
    assert.equal(await world.giveBack(), "done");
  });

  it("rejects a refund if the case is stored between the check and the refund", async () => {
    const world = await paidLink();
    const { kv } = world.links;
    kv.hold();
    const received = world.disputes.receive({ uuid: "x1" });
    while (kv.holding < 1) await new Promise((resolve) => setImmediate(resolve));
    const given = world.giveBack();
    while (kv.holding < 2) await new Promise((resolve) => setImmediate(resolve));
    kv.release();
    await received;
    assert.equal(await given, "impossible");
    assert.deepEqual(world.executed(), []);
  });

  it("lets a refund continue that began before the case was stored", async () => {
    const world = await paidLink();
    world.links.gateway.mode = "lost";
    assert.equal(await world.giveBack(), "unavailable");
    await world.disputes.receive({ uuid: "x1" });
    world.links.gateway.mode = "there";
    const found = await world.links.shard.links.verifyNow("x1");
    assert.equal(found?.record.followUps[0]?.state, "done");
  });

  it("ignores captures, and links without an owning merchant", async () => {
    const world = await paidLink({ capture: "later" });
    await world.disputes.receive({ uuid: "x1" });
    const capture = { txId: "x1", operationId: "c1", type: "capture", amountMinor: null } as const;
    assert.equal((await world.links.shard.links.followUp(capture))?.type, "done");
    const nobodys = await paidLink();
    await nobodys.links.create("x2");
    nobodys.links.gateway.pay("x2");
    await nobodys.links.shard.links.verifyNow("x2");
    await nobodys.disputes.receive({ uuid: "x2" });
    const refund = { txId: "x2", operationId: "r1", type: "refund", amountMinor: null } as const;
    assert.equal((await nobodys.links.shard.links.followUp(refund))?.type, "done");
  });
});

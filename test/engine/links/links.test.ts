import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import type { RelayError } from "../../../engine/kernel/errors.ts";
import { VERIFIES_ASKED } from "../../../engine/links/shard-links.ts";
import { rowVersion } from "../../../engine/payments/row-version.ts";
import { outboxRows } from "../../support/outbox.ts";
import { settle } from "../world.ts";
import { type LinkWorld, openLinkWorld } from "./world.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Two shards take every way that one takes. */
const shards = 2;

async function paid(world: LinkWorld, txId: string): Promise<void> {
  await world.create(txId);
  world.gateway.pay(txId);
  await world.shard.links.verify(txId);
  assert.equal((await world.link(txId)).state, "success");
}

describe("links", () => {
  it("a notification leads to a verify, and that to the end", async () => {
    const world = openLinkWorld({ shards });
    assert.equal((await world.create("x1")).type, "created");
    world.gateway.pay("x1");
    await world.shard.links.notified({ merId: "M1", txId: "x1", paymentId: "g-x1" }, "right");
    await settle();
    assert.equal((await world.link("x1")).state, "success");
    assert.deepEqual(await world.rows(), [{ uuid: "x1", status: "OK", version: rowVersion("done", 1) }]);
  });

  it("without a notification it is found when the grace ends, not before", async () => {
    const world = openLinkWorld({ shards });
    await world.create("x1");
    world.gateway.pay("x1");
    await world.pass(5 * MINUTE_MS - 1_000);
    assert.equal(world.gateway.verifies.length, 0);
    await world.pass(3_000);
    assert.equal((await world.link("x1")).state, "success");
    assert.equal(world.gateway.verifies.length, 1);
  });

  it("then every thirty seconds", async () => {
    const world = openLinkWorld({ shards });
    await world.create("x1");
    await world.pass(5 * MINUTE_MS + 122_000);
    assert.equal(world.gateway.verifies.length, 5);
  });

  it("expires after an hour, by a verify at its end", async () => {
    const world = openLinkWorld({ shards });
    await world.create("x1");
    await world.pass(HOUR_MS - 2_000, 1_000);
    assert.equal((await world.link("x1")).state, "watching");
    const before = world.gateway.verifies.length;
    await world.pass(4_000);
    const { state, outcome } = await world.link("x1");
    assert.deepEqual([state, outcome?.resultCode, world.gateway.verifies.length], ["expired", "GW_20002", before + 1]);
    assert.deepEqual(await world.rows(), [{ uuid: "x1", status: "KO", version: rowVersion("unknown", 1) }]);
  });

  it("a success after that is recorded and flagged, with a newer row", async () => {
    const world = openLinkWorld({ shards });
    await world.create("x1");
    await world.pass(HOUR_MS + 10_000);
    world.gateway.pay("x1");
    await world.pass(MINUTE_MS);
    const { state, late } = await world.link("x1");
    assert.deepEqual([state, late], ["success", true]);
    assert.deepEqual(
      (await world.rows()).map(({ status, version }) => [status, version]),
      [
        ["KO", rowVersion("unknown", 1)],
        ["OK", rowVersion("done", 2)],
      ],
    );
    assert.equal(world.kv.keys("a/link_late/").length, 1);
  });

  it("a gateway that is away ends nothing; after twenty minutes what was paid is found", async () => {
    const world = openLinkWorld({ shards });
    await world.create("x1");
    world.gateway.pay("x1");
    world.gateway.mode = "away";
    await world.pass(20 * MINUTE_MS);
    assert.equal((await world.link("x1")).state, "watching");
    world.gateway.mode = "there";
    await world.pass(35_000);
    assert.equal((await world.link("x1")).state, "success");
  });

  it("says whether the answer to a verify is fresh", async () => {
    const world = openLinkWorld({ shards });
    await world.create("x1");
    const freshness = async () => (await world.shard.links.verify("x1"))?.isFresh;
    world.gateway.mode = "away";
    assert.equal(await freshness(), false, "the gateway has never answered");
    world.gateway.mode = "there";
    assert.equal(await freshness(), true);
    world.gateway.mode = "away";
    assert.equal(await freshness(), true, "it has just been asked");
    await world.pass(4_000);
    assert.equal(await freshness(), false);
    world.gateway.mode = "there";
    world.gateway.pay("x1");
    assert.equal(await freshness(), true);
    world.gateway.mode = "away";
    await world.pass(4_000);
    assert.equal(await freshness(), true, "what is paid stays paid");
  });

  it("a gateway that is away at the end keeps it open, tells operators, and settles that", async () => {
    const world = openLinkWorld({ shards });
    await world.create("x1");
    world.gateway.pay("x1");
    world.gateway.mode = "away";
    await world.pass(HOUR_MS + 10 * MINUTE_MS);
    const { state, overdue } = await world.link("x1");
    assert.deepEqual([state, overdue], ["watching", true]);
    assert.equal(world.kv.keys("a/link_unverified/").length, 1);
    assert.deepEqual(await world.rows(), []);
    world.gateway.mode = "there";
    await world.pass(3 * MINUTE_MS);
    assert.deepEqual([(await world.link("x1")).state, (await world.link("x1")).late], ["success", false]);
    assert.equal(world.kv.keys("a/link_unverified/").length, 0);
  });

  it("deadlines survive a restart, also one that passed meanwhile", async () => {
    const world = openLinkWorld({ shards });
    await world.create("x1");
    world.gateway.pay("x1");
    await world.pass(MINUTE_MS);
    const after = world.restart();
    world.clock.advance(10 * MINUTE_MS);
    await after.pass(2_000);
    assert.equal((await after.link("x1")).state, "success");
  });

  it("an init whose answer was lost is found by a verify, with its address", async () => {
    const world = openLinkWorld({ shards });
    world.gateway.mode = "lost";
    assert.equal((await world.create("x1")).type, "unavailable");
    world.gateway.mode = "there";
    await world.pass(22_000);
    const { state, paymentUrl } = await world.link("x1");
    assert.deepEqual([state, paymentUrl], ["waiting", "https://pay.example/x1"]);
  });

  it("an init that never arrived is never paid, and expires without a row", async () => {
    const world = openLinkWorld({ shards });
    world.gateway.mode = "away";
    assert.equal((await world.create("x1")).type, "unavailable");
    world.gateway.mode = "there";
    await world.pass(HOUR_MS + 40_000);
    assert.equal((await world.link("x1")).state, "expired");
    assert.deepEqual(await world.rows(), []);
    assert.deepEqual(world.kv.keys("link-due/"), []);
  });
});

test("a reversal whose answer was lost is found executed by the relay itself, after a restart", async () => {
  const before = openLinkWorld({ shards });
  await paid(before, "x1");
  before.gateway.mode = "lost";
  const wanted = { txId: "x1", operationId: "f1", type: "reversal", amountMinor: null } as const;
  assert.equal((await before.shard.links.followUp(wanted))?.type, "unavailable");
  before.gateway.mode = "away";
  const world = before.restart();
  await world.pass(3 * MINUTE_MS);
  assert.equal((await world.link("x1")).followUps[0]?.state, "requested");
  world.gateway.mode = "there";
  await world.pass(4 * MINUTE_MS);
  const [entry] = (await world.link("x1")).followUps;
  assert.deepEqual([entry?.state, entry?.tranId, world.kv.keys("link-due/")], ["done", null, []]);
  assert.equal((await world.shard.links.followUp({ ...wanted, operationId: "f2" }))?.type, "impossible");
  const again = await world.shard.links.followUp(wanted);
  assert.ok(again?.type === "done");
  assert.deepEqual([again.followUp.tranId, world.gateway.executed.size], ["m-f1", 1]);
});

test("one that never reached the gateway is not executed by the relay: operators are told, and its caller may repeat it", async () => {
  const world = openLinkWorld();
  await paid(world, "x1");
  world.gateway.mode = "away";
  const wanted = { txId: "x1", operationId: "f1", type: "reversal", amountMinor: 500 } as const;
  assert.equal((await world.shard.links.followUp(wanted))?.type, "unavailable");
  world.gateway.mode = "there";
  await world.pass(10 * MINUTE_MS);
  assert.deepEqual(world.kv.keys("a/link_operation_unknown/"), []);
  await world.pass(25 * MINUTE_MS);
  assert.equal(world.kv.keys("a/link_operation_unknown/").length, 1);
  const [entry] = (await world.link("x1")).followUps;
  assert.deepEqual([entry?.state, entry?.description], ["requested", "Not executed when the gateway was last asked"]);
  assert.equal(world.gateway.executed.size, 0);
  assert.ok(world.gateway.verifies.length < 8, "a few questions in half an hour");
  assert.equal((await world.shard.links.followUp(wanted))?.type, "done");
  assert.deepEqual([world.kv.keys("a/link_operation_unknown/"), world.kv.keys("link-due/")], [[], []]);
});

test("a gateway that does not tell what became of a payment leaves it to operators", async () => {
  const world = openLinkWorld();
  await paid(world, "x1");
  world.gateway.tellsTotals = false;
  world.gateway.mode = "lost";
  await world.shard.links.followUp({ txId: "x1", operationId: "f1", type: "refund", amountMinor: null });
  world.gateway.mode = "there";
  await world.pass(3 * MINUTE_MS);
  assert.equal(world.kv.keys("a/link_operation_unknown/").length, 1);
  assert.equal((await world.link("x1")).followUps[0]?.state, "requested");
});

test("another amount than was ordered is kept as it is, with what was paid in its row, and flagged; it is undone as it was paid", async () => {
  const world = openLinkWorld();
  await world.create("x1");
  world.gateway.pay("x1", { amountMinor: 1_000, currency: "USD" });
  await world.shard.links.verify("x1");
  assert.equal((await world.link("x1")).state, "success");
  const rows = [];
  for await (const { row } of outboxRows(world.kv)) if (row?.type === "transaction") rows.push(row);
  assert.deepEqual(
    rows.map(({ transaction: { status, amountCents, currency }, amountDiffers }) => ({ status, amountCents, currency, amountDiffers })),
    [{ status: "OK", amountCents: 1_000, currency: "USD", amountDiffers: true }],
  );
  const [flag = ""] = world.kv.keys("a/amount_differs/");
  assert.match((await world.kv.get(flag))?.value ?? "", /paid with 10\.00 USD, but the order was 12\.34 EUR/);
  await world.shard.links.followUp({ txId: "x1", operationId: "f1", type: "reversal", amountMinor: null });
  const { amount, currency } = world.gateway.executed.get("f1") ?? {};
  assert.deepEqual([amount, currency], ["10.00", "USD"]);
});

test("asked again under its id, a creation goes on where the first attempt ended", async () => {
  const world = openLinkWorld();
  world.gateway.mode = "away";
  assert.equal((await world.create("x1")).type, "unavailable");
  assert.equal((await world.create("x1")).type, "unavailable");
  world.gateway.mode = "lost";
  assert.equal((await world.create("x1")).type, "unavailable");
  assert.equal(world.gateway.inits, 1, "while the gateway cannot be asked nothing is begun again");
  world.gateway.mode = "there";
  const created = await world.create("x1");
  assert.equal(created.type, "created");
  assert.equal(created.record.paymentUrl, "https://pay.example/x1");
  assert.equal((await world.create("x1")).type, "created");
  assert.deepEqual([world.gateway.inits, world.gateway.payments.size], [2, 1]);
});

test("a creation that the gateway refuses has failed, and is refused again", async () => {
  const world = openLinkWorld();
  world.gateway.refuses = { resultCode: "GW_30001", description: "no" };
  const refused = await world.create("x1");
  assert.ok(refused.type === "refused");
  assert.deepEqual([refused.resultCode, refused.record.state], ["GW_30001", "failed"]);
  world.gateway.refuses = null;
  assert.equal((await world.create("x1")).type, "refused");
  assert.deepEqual([world.gateway.inits, await world.rows(), world.kv.keys("link-due/")], [1, [], []]);
});

test("a creation that cannot be stored never reaches the gateway", async () => {
  const world = openLinkWorld();
  world.kv.fate = () => "refused";
  await assert.rejects(world.create("x1"), { code: "unavailable" });
  assert.equal(world.gateway.inits, 0);
});

test("a verify whose record could not be stored is done again", async () => {
  const world = openLinkWorld();
  await world.create("x1");
  world.gateway.pay("x1");
  world.kv.fate = () => "refused";
  await world.pass(5 * MINUTE_MS + 2_000);
  assert.equal((await world.link("x1")).state, "waiting");
  assert.deepEqual(
    world.failures.map(({ what }) => what),
    ["link.deadline"],
  );
  world.kv.fate = () => "done";
  await world.pass(6_000);
  assert.equal((await world.link("x1")).state, "success");
  assert.equal((await world.rows()).length, 1);
});

test("notifications: unknown ids and wrong signatures change nothing, repeats do not multiply verifies", async () => {
  const world = openLinkWorld();
  await world.create("x1");
  const { notified } = world.shard.links;
  await notified({ merId: null, txId: "nobody", paymentId: null }, null);
  await notified({ merId: "M1", txId: "x1", paymentId: "g-x1" }, "wrong");
  await settle();
  assert.equal(world.gateway.verifies.length, 0);
  assert.equal((await world.link("x1")).state, "waiting");
  for (let count = 0; count < 200; count += 1) await notified({ merId: null, txId: "x1", paymentId: null }, null);
  await settle();
  assert.ok(world.gateway.verifies.length <= 2, "a flood within a moment");
  for (let second = 0; second < 30; second += 1) {
    for (let count = 0; count < 20; count += 1) await notified({ merId: null, txId: "x1", paymentId: null }, null);
    await world.pass(1_000);
  }
  assert.ok(world.gateway.verifies.length <= 12, `${world.gateway.verifies.length} verifies in thirty seconds`);
});

test("a notification during a verify has another one follow, which begins after it", async () => {
  const world = openLinkWorld();
  await world.create("x1");
  let go = () => {};
  world.gateway.hold = new Promise((resolve) => {
    go = resolve;
  });
  await world.shard.links.notified({ merId: null, txId: "x1", paymentId: null }, null);
  await settle();
  world.gateway.pay("x1");
  await world.shard.links.notified({ merId: null, txId: "x1", paymentId: null }, null);
  world.gateway.hold = null;
  go();
  await settle();
  assert.equal((await world.link("x1")).state, "success");
});

test("two shards that verify at once record one end", async () => {
  const world = openLinkWorld({ shards: 2 });
  await world.create("x1");
  world.gateway.pay("x1");
  await Promise.all(world.shards.flatMap(({ links }) => [links.verify("x1"), links.verify("x1")]));
  assert.equal((await world.rows()).length, 1);
});

test("is found by the gateway's names, by those of its account only", async () => {
  const world = openLinkWorld();
  await paid(world, "x1");
  const { byPaymentId, byTranId } = world.shard.links;
  assert.equal((await byPaymentId(1, "g-x1"))?.order.txId, "x1");
  assert.equal((await byTranId(1, "m-x1"))?.order.txId, "x1");
  assert.equal(await byPaymentId(2, "g-x1"), null);
  assert.equal(await byTranId(null, "m-x1"), null);
});

test("a reversal whose answer was lost is executed once, whoever asks again", async () => {
  const world = openLinkWorld();
  await paid(world, "x1");
  const reverse = (operationId: string) => world.shard.links.followUp({ txId: "x1", operationId, type: "reversal", amountMinor: null });
  world.gateway.mode = "lost";
  assert.equal((await reverse("r1"))?.type, "unavailable");
  world.gateway.mode = "there";
  assert.equal((await reverse("r2"))?.type, "impossible", "somebody may still be at it");
  world.clock.advance(30_000);
  assert.equal((await reverse("r2"))?.type, "done");
  assert.deepEqual([...world.gateway.executed.keys()], ["r1"]);
  assert.equal((await reverse("r1"))?.type, "done");
  const again = await reverse("r3");
  assert.ok(again?.type === "impossible");
  assert.equal(again.reason, "already_reversed");
});

test("a reversal that was executed and is refused when repeated is not forgotten", async () => {
  const world = openLinkWorld();
  await paid(world, "x1");
  const reverse = (operationId: string) => world.shard.links.followUp({ txId: "x1", operationId, type: "reversal", amountMinor: 300 });
  world.gateway.mode = "lost";
  await reverse("r1");
  world.gateway.mode = "there";
  world.gateway.refuses = { resultCode: "GW_30401", description: "The signature does not match" };
  const again = await reverse("r1");
  assert.equal(again?.type, "done", "the gateway's totals tell it");
  assert.equal((await world.link("x1")).followUps[0]?.state, "done");
});

test("a reversal that never arrived and is refused when repeated is refused, once the gateway says that it was not executed", async () => {
  const world = openLinkWorld();
  await paid(world, "x1");
  const reverse = (operationId: string) => world.shard.links.followUp({ txId: "x1", operationId, type: "reversal", amountMinor: 300 });
  world.gateway.mode = "away";
  assert.equal((await reverse("r1"))?.type, "unavailable");
  world.gateway.mode = "there";
  world.gateway.refuses = { resultCode: "GW_30401", description: "The signature does not match" };
  assert.equal((await reverse("r1"))?.type, "unavailable", "nobody has looked at it");
  world.gateway.refuses = { resultCode: "GW_30004", description: "Too late" };
  world.gateway.tellsTotals = false;
  assert.equal((await reverse("r1"))?.type, "unavailable", "the gateway does not say whether it was executed");
  world.gateway.tellsTotals = true;
  assert.equal((await reverse("r1"))?.type, "refused");
  assert.equal(world.gateway.executed.size, 0);
});

test("a creation whose repetition is refused is refused, if the gateway has nothing of it", async () => {
  const world = openLinkWorld();
  world.gateway.mode = "away";
  assert.equal((await world.create("x1")).type, "unavailable");
  world.gateway.mode = "there";
  world.gateway.refuses = { resultCode: "GW_30001", description: "amount too high" };
  const refused = await world.create("x1");
  assert.ok(refused.type === "refused");
  assert.deepEqual([refused.resultCode, refused.record.state], ["GW_30001", "failed"]);
});

test("a creation that ended before anybody had its address is refused when it is asked for again", async () => {
  const world = openLinkWorld();
  world.gateway.mode = "lost";
  assert.equal((await world.create("x1")).type, "unavailable");
  world.gateway.mode = "there";
  world.gateway.set("x1", { type: "failed", paymentId: "g-x1", resultCode: "GW_10001", description: "Card not authorized" });
  const refused = await world.create("x1");
  assert.ok(refused.type === "refused");
  assert.deepEqual([refused.resultCode, refused.record.state], ["GW_10001", "failed"]);
});

test("a gateway that has forgotten a payment ends nothing, and operators are told", async () => {
  const world = openLinkWorld();
  await world.create("x1");
  const payment = world.gateway.payments.get("x1");
  world.gateway.payments.clear();
  await world.pass(HOUR_MS + 40_000);
  const { state, overdue } = await world.link("x1");
  assert.deepEqual([state, overdue], ["watching", true]);
  assert.equal(world.kv.keys("a/link_unverified/").length, 1);
  assert.ok(payment);
  world.gateway.payments.set("x1", payment);
  world.gateway.pay("x1");
  await world.pass(MINUTE_MS);
  assert.deepEqual([(await world.link("x1")).state, (await world.link("x1")).late], ["success", false]);
});

test("what is reversed is what was paid, by its movement", async () => {
  const world = openLinkWorld();
  await paid(world, "x1");
  await world.shard.links.followUp({ txId: "x1", operationId: "r1", type: "reversal", amountMinor: 34 });
  assert.deepEqual(world.gateway.executed.get("r1"), {
    operation: "reversal",
    txId: "r1",
    origTranId: "m-x1",
    amount: "0.34",
    currency: "EUR",
  });
});

test("links that are created together are not verified together", async () => {
  const world = openLinkWorld();
  for (let index = 0; index < 3_000; index += 1) await world.create(`x${index}`);
  await world.pass(7 * MINUTE_MS);
  const bySecond = new Map<number, number>();
  const from = world.clock.nowMs() - MINUTE_MS;
  for (const { atMs } of world.gateway.verifies) {
    if (atMs > from) bySecond.set(Math.floor(atMs / 1_000), (bySecond.get(Math.floor(atMs / 1_000)) ?? 0) + 1);
  }
  const counts = [...bySecond.values()];
  const mean = counts.reduce((sum, count) => sum + count, 0) / 60;
  assert.ok(mean > 90, `each link twice a minute, not ${mean} a second`);
  assert.ok(Math.max(...counts) <= 2 * mean, `${Math.max(...counts)} in a second, ${mean} on average`);
});

test("a merchant that has many payments verified at a slow gateway leaves room for another's", async () => {
  const world = openLinkWorld();
  let go = (): void => {};
  world.gateway.hold = new Promise((resolve) => {
    go = resolve;
  });
  const verified = async (shop: string, index: number) => {
    const txId = `${shop}-${index}`;
    await world.create(txId, { shop });
    return world.shard.links.verifyNow(txId).then(
      () => "verified",
      (error: RelayError) => error.code,
    );
  };
  const greedy = Array.from({ length: 2 * VERIFIES_ASKED.all }, (_, index) => verified(`G${index % 2}`, index));
  for (let turns = 0; turns < 20; turns += 1) await settle();
  const modest = verified("M", 0);
  for (let turns = 0; turns < 20; turns += 1) await settle();
  go();
  assert.equal(await modest, "verified");
  assert.ok((await Promise.all(greedy)).filter((word) => word === "too_busy").length >= VERIFIES_ASKED.all);
});

test("what was missed by an outage of the node is caught up with, paced", async () => {
  const world = openLinkWorld();
  for (let index = 0; index < 2_000; index += 1) await world.create(`x${index}`);
  const after = world.restart();
  world.clock.advance(10 * MINUTE_MS);
  const before = world.gateway.verifies.length;
  await after.pass(3_000);
  assert.ok(world.gateway.verifies.length - before < 400, `${world.gateway.verifies.length - before} within three seconds`);
  await after.pass(35_000);
  assert.ok(new Set(world.gateway.verifies.slice(before).map(({ txId }) => txId)).size === 2_000, "each was looked at");
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createClaimCancelled } from "../../../engine/terminals/claim-cancelled.ts";
import { createTerminalStore } from "../../../engine/terminals/terminal-store.ts";
import { command, openWorld, pollUuid, posting, tableRows, type World } from "../world.ts";

/** A world in which the tests say what is administered. */
async function merchantWorld(options: Parameters<typeof openWorld>[0] = {}) {
  const shops = new Map<string, string>();
  const administered = {
    merchantOf: (terminalId: string) => shops.get(terminalId) ?? null,
    shopOf: (terminalId: string) => shops.get(terminalId) ?? null,
  };
  return { shops, administered, world: await openWorld({ ...options, administered }) };
}

/** Whose each row of a uuid is, in the order in which they were written; empty for nobody's. */
async function shopsOf(world: World, uuid: string): Promise<string[]> {
  return tableRows(await world.rows()).flatMap((row) => {
    if (row.type === "conflict") return [];
    const of = row.type === "life" ? row.uuid : row.transaction.uuid;
    return of === uuid ? [`${row.type} ${row.shop ?? ""}`.trim()] : [];
  });
}

describe("whose a payment is", () => {
  it("is fixed when it is accepted: what is configured between that and its result changes nothing", async () => {
    const { shops, world } = await merchantWorld();
    const { terminals } = world.shard;
    shops.set("T1", "SHOP-A");
    await terminals.accept(command(world, "a"));
    shops.set("T1", "SHOP-B");
    await terminals.accept(command(world, "b"));
    shops.delete("T1");
    await terminals.accept(command(world, "nobody"));
    shops.set("T1", "SHOP-C");
    for (const uuid of ["a", "b", "nobody"]) {
      assert.equal(await pollUuid(world.shard), uuid);
      await terminals.recordResult(posting(uuid, { merchantId: "SAID" }));
    }
    assert.deepEqual(await shopsOf(world, "a"), ["transaction SHOP-A", "life SHOP-A"]);
    assert.deepEqual(await shopsOf(world, "b"), ["transaction SHOP-B", "life SHOP-B"]);
    assert.deepEqual(await shopsOf(world, "nobody"), ["transaction", "life"]);
  });

  it("is the same of a late result, after a restart, and of a command that expired or was cancelled", async () => {
    const { shops, world } = await merchantWorld();
    shops.set("T1", "SHOP-A");
    await world.shard.terminals.accept(command(world, "unknown"));
    assert.equal(await pollUuid(world.shard), "unknown");
    await world.shard.terminals.accept(command(world, "expired"));
    shops.set("T1", "SHOP-B");
    await world.pass(400_000);
    assert.deepEqual(await shopsOf(world, "unknown"), ["life SHOP-A"]);
    assert.deepEqual(await shopsOf(world, "expired"), ["life SHOP-A"]);
    const again = await world.restart();
    for (const uuid of ["unknown", "expired"]) {
      await again.shard.terminals.recordResult(posting(uuid));
      assert.deepEqual(await shopsOf(again, uuid), ["life SHOP-A", "transaction SHOP-A", "life SHOP-A"]);
    }
    await again.shard.terminals.accept(command(again, "cancelled"));
    shops.set("T1", "SHOP-C");
    assert.deepEqual(await again.shard.terminals.cancel({ uuid: "cancelled", cancelUuid: "c-1" }), { type: "cancelled" });
    assert.deepEqual(await shopsOf(again, "cancelled"), ["life SHOP-B"]);
  });

  it("is that of its target for a CANCEL", async () => {
    const { shops, world } = await merchantWorld();
    shops.set("T1", "SHOP-A");
    await world.shard.terminals.accept(command(world, "a"));
    assert.equal(await pollUuid(world.shard), "a");
    shops.set("T1", "SHOP-B");
    assert.deepEqual(await world.shard.terminals.cancel({ uuid: "a", cancelUuid: "c-1" }), { type: "requested", cancelUuid: "c-1" });
    assert.equal(await pollUuid(world.shard), "c-1");
    await world.shard.terminals.recordResult(posting("c-1"));
    assert.deepEqual(await shopsOf(world, "c-1"), ["transaction SHOP-A", "life SHOP-A"]);
    assert.deepEqual(await shopsOf(world, "a"), ["life SHOP-A"]);
  });

  it("is what is configured when it is posted, for a result that nobody asked for, whatever its terminal says", async () => {
    const { shops, world } = await merchantWorld();
    const { terminals } = world.shard;
    await terminals.recordResult(posting("unassigned", { merchantId: "SHOP-001" }));
    shops.set("T1", "SHOP-A");
    await terminals.recordResult(posting("assigned", { merchantId: "SHOP-001" }));
    assert.deepEqual(await shopsOf(world, "unassigned"), ["transaction"]);
    assert.deepEqual(await shopsOf(world, "assigned"), ["transaction SHOP-A"]);
    const [said] = (await world.rows()).filter((row) => row.type === "transaction");
    assert.equal(said?.transaction.merchantId, "SHOP-001");
    // Nothing that comes later changes it.
    shops.set("T1", "SHOP-B");
    assert.deepEqual(await terminals.recordResult(posting("assigned", { merchantId: "SHOP-001" })), { type: "repeated" });
    assert.deepEqual(await terminals.recordResult(posting("assigned", { result: "KO" })), { type: "conflict" });
    assert.deepEqual(await shopsOf(world, "assigned"), ["transaction SHOP-A"]);
  });

  it("is what the home knows, whichever shard it came to, and a repetition changes nothing", async () => {
    const { shops, world } = await merchantWorld({ shards: 3 });
    shops.set("T1", "SHOP-A");
    // What another shard says of it does not count.
    for (const { terminals } of world.shards) await terminals.accept(command(world, "a", { shop: "SHOP-SAID" }));
    shops.set("T1", "SHOP-B");
    for (const { terminals } of world.shards) await terminals.accept(command(world, "a"));
    for (const shard of world.shards) if ((await pollUuid(shard)) !== null) await shard.terminals.recordResult(posting("a"));
    assert.deepEqual(await shopsOf(world, "a"), ["transaction SHOP-A", "life SHOP-A"]);
  });

  it("is known of a command that was claimed as cancelled before it was sent", async () => {
    const { shops, administered, world } = await merchantWorld();
    shops.set("T1", "SHOP-A");
    const { clock, kv } = world;
    const store = createTerminalStore({ kv, nowMs: clock.nowMs, retentionMs: 86_400_000, writer: "zvt" });
    const claimCancelled = createClaimCancelled({ store, clock, shopOf: administered.shopOf });
    assert.equal(await claimCancelled(command(world, "a")), "claimed");
    shops.set("T1", "SHOP-B");
    clock.advance(1);
    await world.shard.terminals.recordResult(posting("a"));
    assert.deepEqual(await shopsOf(world, "a"), ["life SHOP-A", "transaction SHOP-A", "life SHOP-A"]);
  });

  it("is what is configured when its result is posted, for what was accepted before this was kept", async () => {
    const { shops, world } = await merchantWorld();
    await world.shard.terminals.accept(command(world, "a"));
    // As the version before this one has stored it.
    const entry = await world.kv.get("c/a");
    assert.ok(entry !== null);
    assert.match(entry.value, /,false,null\],null,null\]/);
    const value = entry.value.replace(",false,null],null,null]", "],null,null]");
    await world.kv.commit({ checks: [], operations: [{ type: "put", key: "c/a", value }] });
    const again = await world.restart();
    assert.equal(await pollUuid(again.shard), "a");
    shops.set("T1", "SHOP-A");
    await again.shard.terminals.recordResult(posting("a"));
    shops.set("T1", "SHOP-B");
    assert.deepEqual(await shopsOf(again, "a"), ["transaction SHOP-A", "life SHOP-A"]);
  });
});

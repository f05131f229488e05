import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { rowsOf } from "../../../engine/terminals/result-decision.ts";
import type { CommandRecord } from "../../../engine/terminals/terminal-record.ts";
import { writeCommand } from "../../../engine/terminals/terminal-records.ts";
import type { Sight } from "../../../engine/terminals/terminals.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { command, openWorld, pollUuid, posting, stateOf, type World } from "../world.ts";
import { storedResult } from "./store-world.ts";

const SMALL = "7d9f0a52-6c2e-4a83-9f5d-2c1d0d1b8f11";

const seenAt =
  (...terminalIds: string[]): Sight =>
  (terminalId) =>
    terminalIds.includes(terminalId);

async function shownTo({ shard }: World, uuid: string, maySee: Sight): Promise<string | null> {
  const view = await shard.terminals.command(uuid, 0, maySee);
  return view === null ? null : `${view.terminalId} ${view.command === null ? "unasked" : "asked"} ${view.state}`;
}

async function attentionIn(world: World): Promise<string[]> {
  const items = await world.shard.terminals.attention({ after: "", limit: 100 });
  return items.map(({ item }) => `${item.kind} ${item.terminalId} ${item.uuid}`);
}

const pay = (world: World, uuid: string, terminalId: string) => world.shard.terminals.accept(command(world, uuid, { terminalId }));
const post = (world: World, uuid: string, terminalId: string, members = {}) =>
  world.shard.terminals.recordResult(posting(uuid, members, terminalId));

describe("a result that nobody asked for", () => {
  it("claims its uuid at its own terminal, and at no other", async () => {
    const world = await openWorld();
    assert.deepEqual(await post(world, "z", "T1"), { type: "recorded" });
    assert.deepEqual(await pay(world, "z", "T1"), { type: "duplicate", state: "done", sender: "" });
    assert.deepEqual(await pay(world, "z", "T2"), { type: "accepted", state: "queued", neverSeen: true });
    assert.deepEqual(await pay(world, "z", "T3"), { type: "duplicate", state: "queued", sender: "partner:1" });
    assert.equal(await pollUuid(world.shard, "T2"), "z");
    assert.deepEqual(await post(world, "z", "T2", { authCode: "2" }), { type: "recorded" });
    const view = await world.shard.terminals.command("z", 0);
    assert.deepEqual([view?.terminalId, view?.state, view?.attempts, view?.transaction?.auth?.authCode], ["T2", "done", 1, "2"]);
    assert.deepEqual(world.kv.keys("c/"), ["c/z", "c/z/T1"]);
    assert.deepEqual(await attentionIn(world), ["unsolicited T1 z"]);
  });

  it("claims it after a restart, and in other letters", async () => {
    const first = await openWorld();
    await post(first, SMALL.toUpperCase(), "T1");
    const world = await first.restart();
    assert.equal((await pay(world, SMALL, "T1")).type, "duplicate");
    assert.equal((await pay(world, SMALL, "T2")).type, "accepted");
    assert.deepEqual(world.kv.keys("c/"), [`c/${SMALL}`, `c/${SMALL}/T1`]);
  });

  it("stands when it comes again, whatever became of its uuid elsewhere", async () => {
    const world = await openWorld();
    await post(world, "z", "T1");
    await pay(world, "z", "T2");
    assert.deepEqual(await post(world, "z", "T1"), { type: "repeated" });
    assert.deepEqual(await post(world, "z", "T1", { result: "KO" }), { type: "conflict" });
    assert.equal(await stateOf(world.shard, "z"), "queued");
    assert.equal((await world.shard.terminals.latest("T1", null, 0))?.transaction?.status, "OK");
    assert.deepEqual(await attentionIn(world), ["conflict T1 z", "unsolicited T1 z"]);
  });

  it("is a conflict where the uuid is another terminal's command by then", async () => {
    const world = await openWorld();
    await pay(world, "z", "T2");
    assert.deepEqual(await post(world, "z", "T1"), { type: "conflict" });
    assert.deepEqual(world.kv.keys("c/"), ["c/z"]);
  });

  it("is found by its uuid where there is no command, and by those who may see it", async () => {
    const world = await openWorld();
    await post(world, "z", "T2");
    world.clock.advance(1_000);
    await post(world, "z", "T1");
    assert.equal(await shownTo(world, "z", () => true), "T2 unasked done", "the oldest");
    assert.equal(await shownTo(world, "z", seenAt("T1")), "T1 unasked done");
    assert.equal(await shownTo(world, "z", seenAt("T3")), null);
    assert.equal(await shownTo(world, "z", (_, sender) => sender === "partner:1"), null, "nobody sent it");
    await pay(world, "z", "T3");
    assert.equal(await shownTo(world, "z", () => true), "T3 asked queued");
    assert.equal(await shownTo(world, "z", seenAt("T1", "T2")), "T2 unasked done");
    assert.equal(await shownTo(world, "z", (_, sender) => sender === "partner:1"), "T3 asked queued");
    assert.equal((await world.shard.terminals.latest("T1", null, 0))?.terminalId, "T1");
  });

  it("and a payment of its uuid at its terminal at once are one of the two, never both", async () => {
    for (const resultFirst of [true, false]) {
      const world = await openWorld();
      const other = await openWorld({ kv: world.kv, clock: world.clock, isStoreShared: true });
      const works = [() => post(other, "z", "T1"), () => pay(world, "z", "T1")];
      if (!resultFirst) works.reverse();
      const outcomes = (await Promise.all(works.map((work) => work()))).map(({ type }) => type);
      const paid = outcomes.includes("accepted");
      assert.deepEqual([...outcomes].sort(), paid ? ["accepted", "recorded"] : ["duplicate", "recorded"]);
      const transactions = (await world.rows()).flatMap((row) => (row.type === "transaction" ? [row] : []));
      assert.deepEqual(
        transactions.map(({ unsolicited }) => unsolicited),
        [!paid],
      );
      assert.equal(await stateOf(world.shard, "z"), "done");
      assert.equal(await pollUuid(world.shard), null);
    }
  });
});

describe("a result that nobody asked for, from before they lay under their terminals", () => {
  async function formerWorld(): Promise<World> {
    const result = storedResult("z", "{}");
    const life = { state: "done" as const, sentAtMs: null, finishedAtMs: 1_700_000_000_000, channel: null, attempts: 0 };
    const record: CommandRecord = { revision: 1, uuid: "z", terminalId: "T1", command: null, life, result };
    assert.equal(rowsOf(record).length, 1);
    const kv = new MemoryKv();
    await kv.commit({ checks: [], operations: [{ type: "put", key: "c/z", value: writeCommand(record) }] });
    return openWorld({ kv });
  }

  it("is found, stands, and still claims its uuid everywhere", async () => {
    const world = await formerWorld();
    assert.equal(await shownTo(world, "z", () => true), "T1 unasked done");
    assert.deepEqual(await post(world, "z", "T1", { result: "KO" }), { type: "conflict" });
    for (const terminalId of ["T1", "T2"]) {
      assert.deepEqual(await pay(world, "z", terminalId), { type: "duplicate", state: "done", sender: "" });
    }
  });

  it("makes no conflict of what another terminal posts", async () => {
    const world = await formerWorld();
    assert.deepEqual(await post(world, "z", "T2"), { type: "recorded" });
    assert.deepEqual(await post(world, "z", "T2"), { type: "repeated" });
    assert.deepEqual(world.kv.keys("c/"), ["c/z", "c/z/T2"]);
    assert.equal(await shownTo(world, "z", seenAt("T2")), "T2 unasked done");
  });
});

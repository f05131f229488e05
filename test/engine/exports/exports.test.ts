import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EXPORT_ATTEMPTS_MAX, EXPORT_KEPT_MS, EXPORT_MERCHANT_BYTES_MAX, EXPORTS_KEPT_MAX } from "../../../engine/exports/export.ts";
import { ExportRefused } from "../../../engine/exports/export-source.ts";
import { createExportStore } from "../../../engine/exports/export-store.ts";
import { GIVE_UP_MS, LEASE_MS } from "../../../engine/exports/rules.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { assertMatches } from "../../support/http/matches.ts";
import { BY_KEY, ExportWorld, ORDER, OWNER, twoRows } from "./world.ts";

async function* failing(error: unknown) {
  yield* twoRows();
  throw error;
}

/** A source that stands still, until its reader is told to end or the test lets it go on. */
function held() {
  const released: (() => void)[] = [];
  return {
    pieces: async function* (_record: unknown, signal: AbortSignal) {
      yield { bytes: Buffer.from("head\n"), rows: 0 };
      await new Promise<void>((resolve) => {
        released.push(resolve);
        signal.addEventListener("abort", () => resolve());
      });
      yield { bytes: Buffer.from("one\n"), rows: 1 };
    },
    release: () => released.shift()?.(),
    count: () => released.length,
  };
}

describe("exports", () => {
  it("are queued, made, read and removed after a day, with their files", async () => {
    const world = new ExportWorld();
    world.open();
    const { id } = await world.create();
    assertMatches(await world.find(id), { state: "QUEUED", rows: null, expiresAtMs: null });
    await world.pass(2_000);
    const ready = await world.find(id);
    assertMatches(ready, { state: "READY", rows: 2, bytes: 13, attempts: 1, expiresAtMs: (ready?.endedAtMs ?? 0) + EXPORT_KEPT_MS });
    const contents = await world.exports.open(OWNER, "all", id);
    assert.ok(contents !== null && contents !== "not_ready");
    const pieces: Uint8Array[] = [];
    for await (const piece of contents.pieces()) pieces.push(piece);
    assert.equal(Buffer.concat(pieces).toString(), "head\none\ntwo\n");

    world.clock.advance(EXPORT_KEPT_MS);
    // Over before anything is removed.
    assert.equal(await world.find(id), null);
    assert.equal(await world.exports.open(OWNER, "all", id), null);
    assert.deepEqual((await world.exports.list(OWNER, "all", { limit: 10, cursor: null })).items, []);
    await world.pass(10_000);
    assert.equal(world.folder.kept.size, 0);
    assertMatches(await createExportStore(world.kv).room(OWNER), { record: { underWay: [], kept: 0, bytes: 0 } });
    assert.deepEqual(world.kv.keys("export/"), []);
    assert.deepEqual(world.kv.keys("due/export/"), []);
    assert.deepEqual(world.became, ["QUEUED", "RUNNING", "READY"]);
    assert.deepEqual(world.failures, []);
  });

  it("are made once for one request, and two at once for a merchant", async () => {
    const world = new ExportWorld();
    world.open();
    const operation = { id: "the same" };
    const [one, other] = await Promise.all([
      world.exports.create(OWNER, ORDER, BY_KEY, operation),
      world.exports.create(OWNER, ORDER, BY_KEY, operation),
    ]);
    assert.deepEqual(one, other);
    const asked = await Promise.all(
      ["a", "b", "c", "d"].map((id) => world.exports.create(OWNER, ORDER, BY_KEY, { id }).then(({ type }) => type)),
    );
    assert.deepEqual(asked.sort(), ["created", "too_many", "too_many", "too_many"]);
    // Another merchant, and the other environment, have their own.
    await world.create({}, { ...OWNER, merchantId: "SHOP-002" });
    await world.create({}, { ...OWNER, livemode: true });
    await world.pass(5_000);
    assert.equal((await world.exports.create(OWNER, ORDER, BY_KEY, { id: "e" })).type, "created");
  });

  it("are kept in a bounded number", async () => {
    const world = new ExportWorld();
    world.open();
    for (let made = 0; made < EXPORTS_KEPT_MAX; made += 1) {
      await world.create();
      await world.pass(2_000);
    }
    assert.equal((await world.exports.create(OWNER, ORDER, BY_KEY, { id: "one more" })).type, "full");
    world.clock.advance(EXPORT_KEPT_MS);
    await world.pass(20_000);
    assert.equal((await world.exports.create(OWNER, ORDER, BY_KEY, { id: "one more" })).type, "created");
  });

  it("of others are not there", async () => {
    const world = new ExportWorld();
    world.open();
    const byAnna = { type: "user", userId: "anna" } as const;
    const made = await world.exports.create(OWNER, ORDER, byAnna, { id: "hers" });
    assert.ok(made.type === "created");
    await world.pass(2_000);
    const { id } = made.record;
    for (const [seen, isSeen] of [
      ["all", true],
      [byAnna, true],
      [{ type: "user", userId: "bert" }, false],
      [BY_KEY, false],
    ] as const) {
      assert.equal((await world.exports.find(OWNER, seen, id)) !== null, isSeen);
      assert.equal((await world.exports.open(OWNER, seen, id)) !== null, isSeen);
      assert.equal((await world.exports.list(OWNER, seen, { limit: 10, cursor: null })).items.length === 1, isSeen);
    }
    for (const owner of [
      { ...OWNER, merchantId: "SHOP-002" },
      { ...OWNER, livemode: true },
    ]) {
      assert.equal(await world.exports.find(owner, "all", id), null);
      assert.equal(await world.exports.open(owner, "all", id), null);
      assert.deepEqual((await world.exports.list(owner, "all", { limit: 10, cursor: null })).items, []);
    }
  });

  it("of a node that died while it made one are made by another, once", async () => {
    const world = new ExportWorld();
    const source = held();
    world.pieces = source.pieces;
    const first = world.open();
    const { id } = await world.create();
    await world.pass(2_000);
    assertMatches(await world.find(id), { state: "RUNNING", attempts: 1 });
    assert.equal(source.count(), 1);
    world.open();
    first.kill();
    await world.pass(LEASE_MS - 5_000);
    assertMatches(await world.find(id), { state: "RUNNING", attempts: 1 });
    await world.pass(20_000);
    assertMatches(await world.find(id), { state: "RUNNING", attempts: 2 });
    // The dead one comes back to life for a moment: what it reads goes on, and nothing of it happens.
    source.release();
    source.release();
    await world.pass(2_000);
    const ready = await world.find(id);
    assertMatches(ready, { state: "READY", rows: 1, attempts: 2 });
    assert.deepEqual([...world.folder.kept.keys()], [ready?.file]);
    assert.equal(world.became.filter((state) => state === "READY").length, 1);
  });

  it("that took longer than their lease without being able to say so are made by another; what came of the first is thrown away", async () => {
    const world = new ExportWorld();
    const source = held();
    world.pieces = source.pieces;
    world.open();
    const { id } = await world.create();
    await world.pass(2_000);
    // Its timers stand still, as those of a process that is suspended, and another node takes over.
    const [timers] = world.timers.splice(0, 1);
    assert.ok(timers !== undefined);
    const [suspended] = world.nodes.splice(0, 1);
    assert.ok(suspended !== undefined);
    world.open();
    await world.pass(LEASE_MS + 10_000);
    assertMatches(await world.find(id), { state: "RUNNING", attempts: 2 });
    // The first one wakes up and finishes first.
    source.release();
    await world.pass(2_000);
    assertMatches(await world.find(id), { state: "RUNNING", attempts: 2 });
    assert.equal(world.folder.kept.size, 0, "its file is not the export's");
    source.release();
    await world.pass(2_000);
    assertMatches(await world.find(id), { state: "READY", attempts: 2 });
    assert.equal(world.folder.kept.size, 1);
  });

  it("keep their lease while they are made, however long that takes", async () => {
    const world = new ExportWorld();
    const source = held();
    world.pieces = source.pieces;
    world.open();
    const { id } = await world.create();
    await world.pass(5 * LEASE_MS);
    assertMatches(await world.find(id), { state: "RUNNING", attempts: 1 });
    source.release();
    await world.pass(2_000);
    assertMatches(await world.find(id), { state: "READY", attempts: 1 });
  });

  it("go back into the queue when their node stops, and are given up when they broke off again and again", async () => {
    const world = new ExportWorld();
    const source = held();
    world.pieces = source.pieces;
    const first = world.open();
    const { id } = await world.create();
    await world.pass(2_000);
    await first.runner.stop();
    assertMatches(await world.find(id), { state: "QUEUED", attempts: 0 });
    assert.equal(world.folder.staged.size, 0);
    first.kill();
    for (let attempt = 1; attempt <= EXPORT_ATTEMPTS_MAX; attempt += 1) {
      const node = world.open();
      await world.pass(LEASE_MS + 10_000);
      assertMatches(await world.find(id), { state: "RUNNING", attempts: attempt });
      node.kill();
    }
    world.open();
    await world.pass(LEASE_MS + 10_000);
    assertMatches(await world.find(id), { state: "FAILED", failure: "interrupted" });
  });

  it("wait for what they read, for an hour", async () => {
    const world = new ExportWorld();
    world.open();
    let isAway = true;
    world.pieces = () => (isAway ? failing(new RelayError("unavailable", "away")) : twoRows());
    const [one] = [await world.create()];
    await world.pass(60_000);
    assertMatches(await world.find(one.id), { state: "QUEUED", attempts: 0 });
    assert.equal(world.folder.staged.size, 0, "nothing is left of the attempts");
    isAway = false;
    await world.pass(30_000);
    assertMatches(await world.find(one.id), { state: "READY" });
    isAway = true;
    const other = await world.create();
    await world.pass(GIVE_UP_MS + 60_000);
    assertMatches(await world.find(other.id), { state: "FAILED", failure: "unavailable", file: null });
    assert.deepEqual(world.failures, []);
  });

  it("fail with their reason, and give their place back", async () => {
    const world = new ExportWorld();
    world.open();
    for (const failure of ["too_many_rows", "not_permitted"] as const) {
      world.pieces = () => failing(new ExportRefused(failure));
      const { id } = await world.create();
      await world.pass(2_000);
      assertMatches(await world.find(id), { state: "FAILED", failure });
      assert.equal(await world.exports.open(OWNER, "all", id), "not_ready");
    }
    world.pieces = () => failing(new TypeError("a fault"));
    const { id } = await world.create();
    await world.pass(2_000);
    assertMatches(await world.find(id), { state: "FAILED", failure: "internal" });
    assert.deepEqual(world.failures, ["export.make TypeError: a fault"]);
    assert.equal(world.folder.staged.size + world.folder.kept.size, 0);
    assertMatches(await createExportStore(world.kv).room(OWNER), { record: { underWay: [], kept: 3, bytes: 0 } });
  });

  it("take no more of the disk than all, and one merchant, may", async () => {
    const world = new ExportWorld();
    world.open();
    world.folder.othersBytes = world.bytesMax - 10;
    const { id } = await world.create();
    await world.pass(2_000);
    assertMatches(await world.find(id), { state: "FAILED", failure: "no_room" });
    world.folder.othersBytes = 0;
    const store = createExportStore(world.kv);
    // As if its files filled its share but for ten bytes.
    const room = await store.room(OWNER);
    const last = await store.load(id);
    assert.ok(last !== null);
    const full = { ...room.record, bytes: EXPORT_MERCHANT_BYTES_MAX - 10 };
    await store.commit({ after: last.record, before: last.record, version: last.version, room: { record: full, version: room.version } });
    const other = await world.create();
    await world.pass(2_000);
    assertMatches(await world.find(other.id), { state: "FAILED", failure: "no_room" });
    assert.equal(world.folder.staged.size + world.folder.kept.size, 0);
  });

  it("take no more than one merchant may where two of them end at the same time", async () => {
    const world = new ExportWorld();
    const source = held();
    world.pieces = source.pieces;
    world.open();
    const { id } = await world.create();
    await world.pass(2_000);
    // Another one of the merchant, which another shard has made, leaves less than this one has.
    const store = createExportStore(world.kv);
    const [room, running] = [await store.room(OWNER), await store.load(id)];
    assert.ok(running !== null);
    const full = { record: { ...room.record, bytes: EXPORT_MERCHANT_BYTES_MAX - 7 }, version: room.version };
    await store.commit({ after: running.record, before: running.record, version: running.version, room: full });
    source.release();
    await world.pass(2_000);
    assertMatches(await world.find(id), { state: "FAILED", failure: "no_room", file: null, bytes: null });
    assertMatches(await store.room(OWNER), { record: { underWay: [], bytes: EXPORT_MERCHANT_BYTES_MAX - 7 } });
    assert.equal(world.folder.staged.size + world.folder.kept.size, 0);
  });
});

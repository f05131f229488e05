import assert from "node:assert/strict";
import { cp, readdir, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { ClassicLevel } from "classic-level";
import type { Operation } from "../../../engine/kernel/kv.ts";
import { SCHEMAS } from "../../../engine/kernel/schemas.ts";
import { type EmbeddedKv, openEmbeddedKv } from "../../../storage/kv/embedded.ts";
import { repairEmbeddedKv } from "../../../storage/kv/embedded-directory.ts";
import { LAYOUT_KEY, LAYOUT_VERSION } from "../../../storage/kv/embedded-layout.ts";
import { onEmbedded } from "../../contract/engines.ts";
import { testKv } from "../../contract/kv.ts";
import { testKvHistory } from "../../contract/kv-history.ts";
import { atEnd, directoryOf, ManualTime } from "./world.ts";

onEmbedded(testKv, (opened) => opened);
onEmbedded(testKvHistory, (opened) => opened);

async function openIn(
  test: TestContext,
  time = new ManualTime(),
  directory?: string,
): Promise<{ kv: EmbeddedKv; time: ManualTime; directory: string }> {
  const path = directory ?? (await directoryOf(test));
  const kv = await openEmbeddedKv({ directory: path, nowMs: time.nowMs });
  atEnd(test, () => kv.close());
  return { kv, time, directory: path };
}

describe("the embedded store", () => {
  it("shows a commit to readers only when it is on disk", async (test) => {
    const { kv } = await openIn(test);
    const committing = kv.commit({ checks: [], operations: [{ type: "put", key: "a", value: "1" }] });
    const [seen, scanned] = await Promise.all([kv.get("a"), kv.scan({ from: "", to: "~", limit: 1 })]);
    const before = kv.stats();
    assert.equal((await committing).type, "committed");
    // The reads were asked for before the batch was handed to the disk, in the same turn.
    assert.ok(seen === null && scanned.length === 0, JSON.stringify(before));
    assert.equal((await kv.get("a"))?.value, "1");
  });

  it("writes the commits of one turn together", async (test) => {
    const { kv } = await openIn(test);
    await Promise.all(
      Array.from({ length: 500 }, (_, n) => kv.commit({ checks: [], operations: [{ type: "put", key: `k${n}`, value: "1" }] })),
    );
    assert.equal(kv.stats().batches, 1);
    assert.equal(kv.stats().pendingOperations, 0);
  });

  it("refuses commits beyond its bound, and takes them again when the disk has caught up", async (test) => {
    const { kv } = await openIn(test);
    const operations: Operation[] = Array.from({ length: 9_900 }, (_, n) => ({ type: "put", key: `k${n}`, value: "" }));
    const waiting = [kv.commit({ checks: [], operations }), kv.commit({ checks: [], operations })];
    await assert.rejects(kv.commit({ checks: [], operations }), { name: "StorageUnavailable" });
    for (const result of await Promise.all(waiting)) assert.equal(result.type, "committed");
    assert.equal((await kv.commit({ checks: [], operations })).type, "committed");
  });

  it("finishes what it was given before it closes", async (test) => {
    const { kv, directory } = await openIn(test);
    const committing = kv.commit({ checks: [], operations: [{ type: "put", key: "a", value: "1" }] });
    await kv.close();
    assert.equal((await committing).type, "committed");
    const { kv: again } = await openIn(test, new ManualTime(), directory);
    assert.equal((await again.get("a"))?.value, "1");
  });

  it("gives no version twice when the clock goes back over a restart", async (test) => {
    const { kv, time, directory } = await openIn(test);
    const first = await kv.commit({ checks: [], operations: [{ type: "put", key: "a", value: "1" }] });
    await kv.commit({ checks: [], operations: [{ type: "delete", key: "a" }] });
    await kv.close();
    time.advance(-86_400_000);
    const { kv: again } = await openIn(test, time, directory);
    const second = await again.commit({ checks: [{ key: "a", version: 0 }], operations: [{ type: "put", key: "a", value: "2" }] });
    assert.ok(first.type === "committed" && second.type === "committed" && second.version > first.version);
  });

  it("knows over a restart what it had lost and how far it is", async (test) => {
    const { kv, directory } = await openIn(test);
    const put = { checks: [], operations: [{ type: "put", key: "a", value: "1" }] } as const;
    const first = await kv.commit(put);
    assert.ok(first.type === "committed");
    await kv.lose(first.version, first.version + 5_000_000);
    await kv.close();
    const { kv: again } = await openIn(test, new ManualTime(), directory);
    assert.deepEqual([again.lostVersion(), await again.lastVersion()], [first.version, first.version + 5_000_000]);
    const next = await again.commit(put);
    assert.ok(next.type === "committed" && next.version > first.version + 5_000_000);
  });

  it("never says that it is further than its disk", async (test) => {
    const { kv } = await openIn(test);
    const committing = kv.commit({ checks: [], operations: [{ type: "put", key: "a", value: "1" }] });
    assert.equal(await kv.lastVersion(), 0);
    const committed = await committing;
    assert.ok(committed.type === "committed");
    assert.equal(await kv.lastVersion(), committed.version);
  });

  it("sweeps expired entries and nothing else", async (test) => {
    const { kv, time, directory } = await openIn(test);
    const expiresAtMs = time.ms + 1_000;
    const put = (key: string, at?: number): Operation => ({
      type: "put",
      key,
      value: "v",
      ...(at === undefined ? {} : { expiresAtMs: at }),
    });
    await kv.commit({ checks: [], operations: Array.from({ length: 250 }, (_, n) => put(`gone/${n}`, expiresAtMs)) });
    await kv.commit({ checks: [], operations: ["kept/forever", "kept/later", "kept/same", "deleted"].map((key) => put(key, expiresAtMs)) });
    await kv.commit({
      checks: [],
      operations: [put("kept/forever"), put("kept/later", expiresAtMs + 5_000), { type: "delete", key: "deleted" }],
    });
    assert.equal(await kv.sweep(), 0);
    time.advance(1_000);
    const renewing = kv.commit({ checks: [{ key: "kept/same", version: 0 }], operations: [put("kept/same")] });
    assert.equal(await kv.sweep(), 250);
    await renewing;
    assert.equal(await kv.sweep(), 0);
    const left = await kv.scan({ from: "", to: "~", limit: 1_000 });
    assert.deepEqual(
      left.map(({ key }) => key),
      ["kept/forever", "kept/later", "kept/same"],
    );
    time.advance(5_000);
    assert.equal(await kv.sweep(), 1);
    await kv.close();
    assert.deepEqual(await rawKeys(directory), ["\u{1}layout", "\u{1}version", "kept/forever", "kept/same"]);
  });
});

describe("a data directory", () => {
  it("that another holds is refused, by name and with what to do", async (test) => {
    const { directory } = await openIn(test);
    await assert.rejects(openEmbeddedKv({ directory, nowMs: Date.now }), (error: Error & { reason?: string }) => {
      return error.reason === "locked" && error.message.includes(directory) && error.message.includes("stop that process");
    });
  });

  it("of a newer layout, or of another program, is refused and left alone", async (test) => {
    const { kv, directory } = await openIn(test);
    await kv.close();
    const { writes, reads } = SCHEMAS.layout;
    await writeRaw(directory, "\u{1}layout", String(writes + 1));
    await assert.rejects(openEmbeddedKv({ directory, nowMs: Date.now }), {
      reason: "layout",
      message: new RegExp(`has layout ${writes + 1}, this version reads ${reads.join(" to ")}: start the version that wrote it`),
    });
    const foreign = await directoryOf(test);
    await writeRaw(foreign, "some", "thing");
    await assert.rejects(openEmbeddedKv({ directory: foreign, nowMs: Date.now }), { reason: "layout" });
    assert.deepEqual(await rawKeys(foreign), ["some"]);
  });

  it("of the layout before is read, and is of this one once something was written to it", async (test) => {
    const { kv, directory } = await openIn(test);
    await kv.commit({ checks: [], operations: [{ type: "put", key: "some", value: "thing" }] });
    await kv.close();
    await writeRaw(directory, "\u{1}layout", "1");
    const again = await openEmbeddedKv({ directory, nowMs: Date.now });
    assert.equal((await again.get("some"))?.value, "thing");
    await again.close();
    assert.equal(await rawValue(directory, "\u{1}layout"), "1", "who only looks takes it from no earlier version");
    const writing = await openEmbeddedKv({ directory, nowMs: Date.now });
    await writing.commit({ checks: [], operations: [{ type: "put", key: "other", value: "thing" }] });
    await writing.close();
    assert.equal(await rawValue(directory, "\u{1}layout"), String(SCHEMAS.layout.writes));
  });

  it("that has lost a file is refused, and can be repaired", async (test) => {
    const { kv, directory } = await openIn(test);
    await kv.commit({ checks: [], operations: [{ type: "put", key: "a", value: "1" }] });
    await kv.close();
    for (const file of await readdir(directory)) if (/^(CURRENT|MANIFEST-.*)$/.test(file)) await rm(join(directory, file));
    await assert.rejects(openEmbeddedKv({ directory, nowMs: Date.now }), {
      reason: "corrupted",
      message: /restore a backup.*npm run repair-store/,
    });
    await repairEmbeddedKv(directory);
    const { kv: again } = await openIn(test, new ManualTime(), directory);
    assert.equal((await again.get("a"))?.value, "1");
  });

  it("that is in use, or holds no database, is not repaired", async (test) => {
    const { kv, directory } = await openIn(test);
    await kv.commit({ checks: [], operations: [{ type: "put", key: "a", value: "1" }] });
    // LevelDB begins its log of events anew whenever somebody tries to open it.
    const data = async () => (await readdir(directory)).filter((file) => !file.startsWith("LOG"));
    const before = await data();
    await assert.rejects(repairEmbeddedKv(directory), { reason: "locked" });
    assert.deepEqual(await data(), before);
    await kv.commit({ checks: [], operations: [{ type: "put", key: "b", value: "2" }] });
    await kv.close();
    await repairEmbeddedKv(directory);
    const { kv: again } = await openIn(test, new ManualTime(), directory);
    assert.deepEqual([(await again.get("a"))?.value, (await again.get("b"))?.value], ["1", "2"]);

    const other = await directoryOf(test);
    await writeFile(join(other, "passwd"), "x");
    await assert.rejects(repairEmbeddedKv(other), { reason: "layout", message: /holds no database/ });
    assert.deepEqual(await readdir(other), ["passwd"]);
  });

  it("with a table that was cut off is refused when it is opened, not when something is looked up", async (test) => {
    const { kv, directory } = await openIn(test);
    await kv.commit({ checks: [], operations: [{ type: "put", key: "a", value: "1" }] });
    await kv.close();
    // What the log holds becomes a table when it is opened again.
    await (await openIn(test, new ManualTime(), directory)).kv.close();
    const table = (await readdir(directory)).find((file) => file.endsWith(".ldb")) ?? "no table";
    await truncate(join(directory, table), 20);
    await assert.rejects(openEmbeddedKv({ directory, nowMs: Date.now }), {
      reason: "corrupted",
      message: new RegExp(`${table} is cut off`),
    });
  });

  it("that was left in the middle of a merge is opened, while a merge writes tables under the same numbers again", async (test) => {
    const original = await directoryOf(test);
    const level = new ClassicLevel(original, { writeBufferSize: 1_000_000 });
    await level.open();
    await level.put(LAYOUT_KEY, String(LAYOUT_VERSION));
    for (let round = 0; round < 24; round += 1) {
      const puts = Array.from({ length: 2_000 }, (_, index) => ({
        type: "put" as const,
        key: `k${(index * 7_919 + round * 104_729) % 1_000_003}`,
        value: `1,0,${String(round * index).padEnd(1_000, `${index}-${round}`)}`,
      }));
      await level.batch(puts);
    }
    await level.close();
    const last = Math.max(...(await readdir(original)).map((file) => Number(/\d+/.exec(file)?.[0] ?? 0)));
    // The merge begins with the opening and goes on for some milliseconds: one try might miss it.
    for (let round = 0; round < 6; round += 1) {
      const directory = join(await directoryOf(test), "copy");
      await cp(original, directory, { recursive: true });
      for (let number = last + 1; number < last + 60; number += 1) {
        await writeFile(join(directory, `${String(number).padStart(6, "0")}.ldb`), "unfinished");
      }
      const kv = await openEmbeddedKv({ directory, nowMs: Date.now });
      await kv.close();
    }
  });

  it("that cannot be made is refused", async () => {
    await assert.rejects(openEmbeddedKv({ directory: "/dev/null/data", nowMs: Date.now }), {
      reason: "inaccessible",
      message: /\/dev\/null\/data/,
    });
  });
});

async function rawKeys(directory: string): Promise<string[]> {
  const level = new ClassicLevel(directory);
  const keys = await level.keys().all();
  await level.close();
  return keys;
}

async function writeRaw(directory: string, key: string, value: string): Promise<void> {
  const level = new ClassicLevel(directory);
  await level.put(key, value);
  await level.close();
}

async function rawValue(directory: string, key: string): Promise<string | undefined> {
  const level = new ClassicLevel(directory);
  const value = await level.get(key);
  await level.close();
  return value;
}

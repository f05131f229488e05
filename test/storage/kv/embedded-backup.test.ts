import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type Kv, prefixRange } from "../../../engine/kernel/kv.ts";
import { openEmbeddedKv } from "../../../storage/kv/embedded.ts";
import { backUpEmbeddedKv } from "../../../storage/kv/embedded-backup.ts";
import { atEnd, directoryOf } from "./world.ts";

/** Some hundred megabytes go through the log meanwhile, so that LevelDB writes tables and merges them. */
const VALUE_CHARS = 20_000;
/** What does not compress. */
const TEXT = randomBytes(1_000_000).toString("base64");
const LANES = 16;
const BACKUPS = 6;
/** Two of them are while what is in memory becomes tables. */
const COMMITS_BETWEEN = 3_000;

/** Each step of a lane puts its count and a record of that count in one commit. */
async function load(kv: Kv, lane: number, state: { stopped: boolean; acknowledged: number[] }): Promise<void> {
  for (let count = 1; !state.stopped; count++) {
    const operations = [
      { type: "put", key: `counter/${lane}`, value: String(count) },
      { type: "put", key: `record/${lane}/${String(count).padStart(8, "0")}`, value: TEXT.slice(count, count + VALUE_CHARS) },
    ] as const;
    await kv.commit({ checks: [], operations });
    state.acknowledged[lane] = count;
  }
}

async function countOf(kv: Kv, prefix: string): Promise<number> {
  let count = 0;
  for (let { from, to } = prefixRange(prefix); ; ) {
    const page = await kv.scan({ from, to, limit: 1_000 });
    count += page.length;
    const last = page.at(-1);
    if (last === undefined || page.length < 1_000) return count;
    from = `${last.key}\u0001`;
  }
}

describe("a backup of the embedded store", () => {
  it("under load has everything that was acknowledged before, and nothing by halves", async (test) => {
    const directory = await directoryOf(test);
    const kv = await openEmbeddedKv({ directory, nowMs: Date.now });
    atEnd(test, () => kv.close());
    const state = { stopped: false, acknowledged: new Array<number>(LANES).fill(0) };
    const lanes = Array.from({ length: LANES }, (_, lane) => load(kv, lane, state));
    try {
      for (let backup = 0; backup < BACKUPS; backup++) {
        while (state.acknowledged.reduce((sum, count) => sum + count, 0) < (backup + 1) * COMMITS_BETWEEN) await delay(5);
        const target = join(await directoryOf(test), "copy");
        const tables = (await readdir(directory)).filter((name) => name.endsWith(".ldb")).length;
        const before = [...state.acknowledged];
        const lastBefore = await kv.lastVersion();
        const lastVersion = await backUpEmbeddedKv(directory, target);
        assert.ok(lastVersion >= lastBefore);
        const copy = await openEmbeddedKv({ directory: target, nowMs: Date.now });
        try {
          assert.equal(await copy.lastVersion(), lastVersion);
          for (let lane = 0; lane < LANES; lane++) {
            const counted = Number((await copy.get(`counter/${lane}`))?.value ?? 0);
            assert.ok(counted >= (before[lane] ?? 0), `lane ${lane} stands at ${counted}, acknowledged were ${before[lane]}`);
            assert.equal(await countOf(copy, `record/${lane}/`), counted);
          }
        } finally {
          await copy.close();
        }
        test.diagnostic(`${tables} tables, ${before.reduce((sum, count) => sum + count, 0)} commits before`);
      }
    } finally {
      state.stopped = true;
      await Promise.all(lanes);
    }
    assert.deepEqual(
      (await readdir(directory)).filter((name) => name.startsWith("backup-")),
      [],
    );
  });

  it("of a store that nobody has open is a copy of it", async (test) => {
    const directory = await directoryOf(test);
    const kv = await openEmbeddedKv({ directory, nowMs: Date.now });
    await kv.commit({ checks: [], operations: [{ type: "put", key: "a", value: "1" }] });
    await kv.close();
    const target = join(await directoryOf(test), "copy");
    await backUpEmbeddedKv(directory, target);
    const copy = await openEmbeddedKv({ directory: target, nowMs: Date.now });
    atEnd(test, () => copy.close());
    assert.equal((await copy.get("a"))?.value, "1");
  });
});

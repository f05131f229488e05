import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { promisify } from "node:util";
import { ClassicLevel } from "classic-level";
import { collectionsEnvironment, readCollections } from "../load/collections.ts";
import { type Span, sortSlowPushes } from "../load/slow-pushes.ts";
import { readStoreWork } from "../load/store-work.ts";
import { summarizeSlowPushes } from "../summary.ts";

/** A program that ends when the first collection of its worker was written down. */
const UNTIL_COLLECTED = `
import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
const worker = new Worker(new URL("worker.mjs", import.meta.url));
const timer = setInterval(() => {
  if (!existsSync(process.env.BENCH_COLLECTIONS)) return;
  clearInterval(timer);
  void worker.terminate();
}, 10);
`;

const MEASURED = { startedAtMs: 1_000, seconds: 10, pushes: 200 };

function span(fromMs: number, toMs: number): Span {
  return { fromMs, toMs };
}

async function folder(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "relay-slow-pushes-"));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

describe("slow pushes", () => {
  it("are sorted by what ran between the payment and its frame", () => {
    const slow = [
      { atMs: 2_000, ms: 20 },
      { atMs: 3_000, ms: 20 },
      { atMs: 4_000, ms: 20 },
      { atMs: 5_000, ms: 20 },
    ];
    const collections = [span(2_019, 2_025), span(4_010, 4_015)];
    const storeWork = [span(2_990, 3_001), span(3_900, 4_100)];
    const { besideCollection, besideStoreWork, besideBoth, besideNeither } = sortSlowPushes({ ...MEASURED, slow }, collections, storeWork);
    assert.deepEqual(
      { besideCollection, besideStoreWork, besideBoth, besideNeither },
      { besideCollection: 1, besideStoreWork: 1, besideBoth: 1, besideNeither: 1 },
    );
  });

  it("count as beside what ended just before: its backlog held them up", () => {
    const slow = [
      { atMs: 2_000, ms: 12 },
      { atMs: 2_020, ms: 12 },
    ];
    const sorted = sortSlowPushes({ ...MEASURED, slow }, [span(1_980, 1_995)], []);
    assert.equal(sorted.besideCollection, 1);
    assert.equal(sorted.besideNeither, 1);
  });

  it("are told with how much there was of either while it was measured, and no more", () => {
    const collections = [span(990, 1_010), span(5_000, 5_005), span(11_500, 11_600)];
    const sorted = sortSlowPushes({ ...MEASURED, slow: [] }, collections, [span(10_000, Number.POSITIVE_INFINITY)]);
    assert.equal(sorted.collections, 2);
    assert.equal(sorted.collectionMs, 15);
    assert.equal(sorted.storeWorkMs, 1_000);
  });

  it("are summarized as shares over all rounds", () => {
    const round = {
      seconds: 5,
      pushes: 100,
      besideCollection: 2,
      besideStoreWork: 1,
      besideBoth: 0,
      besideNeither: 1,
      collections: 20,
      collectionMs: 100,
      storeWorkMs: 500,
    };
    const quiet = { ...round, besideCollection: 0, besideStoreWork: 0, besideNeither: 0, storeWorkMs: 0 };
    assert.deepEqual(summarizeSlowPushes([round, quiet]), {
      slow: 0.02,
      besideCollection: 0.5,
      besideStoreWork: 0.25,
      besideBoth: 0,
      besideNeither: 0.25,
      collectionsPerSecond: 4,
      meanCollectionMs: 5,
      storeWork: 0.05,
    });
    assert.equal(summarizeSlowPushes([quiet]).besideCollection, 0);
  });
});

describe("store work", () => {
  it("is read from the log that LevelDB itself writes", async (t) => {
    const directory = await folder(t);
    const beganMs = Date.now();
    const level = new ClassicLevel(directory, { writeBufferSize: 65_536 });
    const value = "v".repeat(10_000);
    for (let key = 0; key < 100; key += 1) await level.put(String(key), value);
    await level.compactRange("", "~");
    await level.close();
    const spans = readStoreWork(await readFile(join(directory, "LOG"), "utf8"));
    assert.ok(spans.length > 1, `${spans.length} spans`);
    for (const { fromMs, toMs } of spans) {
      assert.ok(beganMs - 1 <= fromMs && fromMs <= toMs && toMs <= Date.now(), `${fromMs} to ${toMs}, from ${beganMs} on`);
    }
  });

  it("lasts where the log does not say that it ended", () => {
    const spans = readStoreWork("2026/11/22-23:14:24.944018 7f6bf0fff6c0 Compacting 1@2 + 9@3 files\n");
    assert.deepEqual(spans, [span(new Date(2026, 10, 22, 23, 14, 24, 944).getTime(), Number.POSITIVE_INFINITY)]);
  });
});

describe("collections", () => {
  it("of a program's threads are written down as they come", async (t) => {
    const directory = await folder(t);
    const file = join(directory, "collections");
    await writeFile(
      join(directory, "worker.mjs"),
      "globalThis.kept = []; setInterval(() => { kept = Array.from({ length: 100_000 }, (_, n) => ({ n })); }, 1);",
    );
    await writeFile(join(directory, "main.mjs"), UNTIL_COLLECTED);
    const beganMs = Date.now();
    const env = { ...process.env, ...collectionsEnvironment(file) };
    await promisify(execFile)(process.execPath, [join(directory, "main.mjs")], { env, timeout: 60_000 });
    const spans = await readCollections(file);
    assert.ok(spans.length > 0);
    for (const { fromMs, toMs } of spans)
      assert.ok(beganMs - 100 < fromMs && fromMs < toMs && toMs < Date.now() + 100, `${fromMs} to ${toMs}`);
  });
});

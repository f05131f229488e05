import assert from "node:assert/strict";
import { type FileHandle, link, open, readdir, readlink, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { DeletedLogs } from "../../../storage/kv/deleted-logs.ts";
import { openEmbeddedKv } from "../../../storage/kv/embedded.ts";
import { atEnd, directoryOf, ManualTime } from "./world.ts";

const LOG_BYTES = 268_435_456;

/** A log without content but of that size, which this test holds open too, so that it sees it become smaller. */
async function newLog(test: TestContext, file: string): Promise<FileHandle> {
  const handle = await open(file, "wx+");
  atEnd(test, () => handle.close());
  await handle.truncate(LOG_BYTES);
  return handle;
}

function deletedLogsIn(test: TestContext, directory: string, onFailure: (error: unknown) => void = assert.ifError): DeletedLogs {
  const logs = new DeletedLogs({ directory, onFailure });
  atEnd(test, () => logs.stop());
  return logs;
}

/** How often this process has the file open, with a name or without one. */
async function timesOpen(file: string): Promise<number> {
  let count = 0;
  for (const descriptor of await readdir("/proc/self/fd")) {
    const target = await readlink(`/proc/self/fd/${descriptor}`).catch(() => "");
    if (target === file || target === `${file} (deleted)`) count += 1;
  }
  return count;
}

/** A log that LevelDB has let go of while it was watched. */
async function deletedLog(test: TestContext) {
  const directory = await directoryOf(test);
  const file = join(directory, "000007.log");
  const log = await newLog(test, file);
  const logs = deletedLogsIn(test, directory);
  await until(async () => (await timesOpen(file)) === 2);
  await unlink(file);
  return { directory, file, log, logs };
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await delay(1);
}

describe("deleted logs of LevelDB", { timeout: 60_000 }, () => {
  it("are cut from their end, piece by piece, and closed", async (test) => {
    const { file, log, logs } = await deletedLog(test);
    const sizes = new Set<number>();
    await until(async () => {
      sizes.add((await log.stat()).size);
      return (await timesOpen(file)) === 1;
    });
    sizes.add((await log.stat()).size);
    const seen = [...sizes];
    assert.ok(seen.length > 3, `sizes ${seen.join(", ")}`);
    assert.ok(seen.every((size, n) => n === 0 || size < (seen[n - 1] ?? 0)));
    assert.ok((seen.at(-1) ?? LOG_BYTES) <= 4_194_304);
    await logs.stop();
  });

  it("keep their content where they have another name", async (test) => {
    const directory = await directoryOf(test);
    const file = join(directory, "000007.log");
    const log = await newLog(test, file);
    deletedLogsIn(test, directory);
    await until(async () => (await timesOpen(file)) === 2);
    await link(file, join(await directoryOf(test), "backup.log"));
    await unlink(file);
    await until(async () => (await timesOpen(file)) === 1);
    assert.equal((await log.stat()).size, LOG_BYTES);
  });

  it("are told from those in use and from other files", async (test) => {
    const directory = await directoryOf(test);
    const used = await newLog(test, join(directory, "000008.log"));
    const table = await newLog(test, join(directory, "000006.ldb"));
    const gone = join(directory, "000007.log");
    await newLog(test, gone);
    deletedLogsIn(test, directory);
    await until(async () => (await timesOpen(gone)) === 2);
    await unlink(gone);
    await unlink(join(directory, "000006.ldb"));
    await until(async () => (await timesOpen(gone)) === 1);
    assert.equal((await used.stat()).size, LOG_BYTES);
    assert.equal((await table.stat()).size, LOG_BYTES);
  });

  it("are let go of at the end, also in the midst of it, and a directory that went is no failure", async (test) => {
    const { directory, file, log, logs } = await deletedLog(test);
    await until(async () => (await log.stat()).size < LOG_BYTES);
    await logs.stop();
    assert.equal(await timesOpen(file), 1);
    assert.ok((await log.stat()).size > 4_194_304);
    const nowhere = deletedLogsIn(test, join(directory, "nowhere"));
    await nowhere.stop();
  });

  it("that cannot be opened are told of", async (test) => {
    const directory = await directoryOf(test);
    await writeFile(join(directory, "not-a-directory"), "");
    const failure = await new Promise((resolve) => deletedLogsIn(test, join(directory, "not-a-directory"), resolve));
    assert.match(String(failure), /ENOTDIR/);
  });

  it("are LevelDB's own, and what was committed can be read afterwards", async (test) => {
    const directory = await directoryOf(test);
    const time = new ManualTime();
    const kv = await openEmbeddedKv({ directory, nowMs: time.nowMs, onFailure: assert.ifError });
    atEnd(test, () => kv.close());
    const [name = ""] = (await readdir(directory)).filter((each) => each.endsWith(".log"));
    const file = join(directory, name);
    const log = await open(file);
    atEnd(test, () => log.close());
    await until(async () => (await timesOpen(file)) === 3);
    let largest = 0;
    let keys = 0;
    // One log and one memory table are 128 MB: the store deletes the log once the table is written out.
    while ((await log.stat()).nlink > 0) {
      const value = String(keys).padEnd(1_000_000, "-");
      await kv.commit({ checks: [], operations: [{ type: "put", key: `k${keys}`, value }] });
      largest = (await log.stat()).size;
      keys += 1;
    }
    assert.ok(largest > 100_000_000, `${largest} bytes`);
    await until(async () => (await timesOpen(file)) === 1);
    assert.ok((await log.stat()).size <= 4_194_304);
    await kv.close();
    const again = await openEmbeddedKv({ directory, nowMs: time.nowMs });
    atEnd(test, () => again.close());
    for (let key = 0; key < keys; key++) assert.equal((await again.get(`k${key}`))?.value, String(key).padEnd(1_000_000, "-"));
  });
});

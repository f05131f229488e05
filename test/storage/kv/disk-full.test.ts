import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { StorageUnavailable } from "../../../engine/kernel/kv.ts";
import { openEmbeddedKv } from "../../../storage/kv/embedded.ts";
import { eventually } from "../../support/within.ts";
import { atEnd, directoryOf } from "./world.ts";

/** A disk that can be filled and freed. */
interface SmallDisk {
  path: string;
  free(): Promise<void>;
}

describe("the embedded store on a full disk", () => {
  it("refuses what it cannot write, goes on when there is room, and keeps all that it acknowledged", async (test) => {
    const disk = (await mountedDisk(test)) ?? (await limitedFiles(test));
    if (disk === null) {
      const reason = "neither a small filesystem can be mounted nor file sizes be limited here";
      assert.ok(process.env["CI"] === undefined || process.getuid?.() !== 0, reason);
      test.skip(reason);
      return;
    }
    const failures: unknown[] = [];
    const kv = await openEmbeddedKv({
      directory: join(disk.path, "data"),
      nowMs: Date.now,
      onFailure: (error) => failures.push(error),
    });
    atEnd(test, () => kv.close());

    const acknowledged: string[] = [];
    const write = async (n: number): Promise<void> => {
      const key = `k/${String(n).padStart(6, "0")}`;
      const value = `${key} ${randomBytes(8_000).toString("hex")}`;
      const result = await kv.commit({ checks: [{ key, version: 0 }], operations: [{ type: "put", key, value }] });
      assert.equal(result.type, "committed");
      acknowledged.push(key);
    };
    const claimed: Promise<unknown>[] = [];
    let n = 0;
    const fill = async (): Promise<void> => {
      for (; n < 10_000; ) {
        const writing = write(n++);
        // Another claim of the same key in the same turn: its conflict stands only if the first one is written.
        const key = `k/${String(n - 1).padStart(6, "0")}`;
        claimed.push(kv.commit({ checks: [{ key, version: 0 }], operations: [] }).catch((error: unknown) => error));
        await writing;
      }
    };
    await assert.rejects(fill(), StorageUnavailable);
    assert.ok(acknowledged.length > 0 && failures.length > 0);
    assert.equal(kv.stats().state, "reopening");
    assert.ok((await claimed.at(-1)) instanceof StorageUnavailable);
    await assert.rejects(kv.get("k/000000"), StorageUnavailable);
    await assert.rejects(write(n++), StorageUnavailable);

    await disk.free();
    await eventually(() => assert.equal(kv.stats().state, "open", "it did not open again"), 15_000);
    for (let more = 0; more < 10; more++) await write(n++);
    for (const key of acknowledged) assert.ok((await kv.get(key))?.value.startsWith(`${key} `), `${key} is lost`);
  });
});

/** A file system of 4 MB in memory, half of it taken by a file that `free` removes. */
async function mountedDisk(test: TestContext): Promise<SmallDisk | null> {
  const path = await directoryOf(test);
  if (process.getuid?.() !== 0) return null;
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", path]).status !== 0) return null;
  atEnd(test, () => assert.equal(spawnSync("umount", ["-l", path]).status, 0));
  const ballast = join(path, "ballast");
  await writeFile(ballast, Buffer.alloc(2_097_152));
  return { path, free: () => rm(ballast) };
}

/** No file of this process may pass 1 MB until `free` is called. */
async function limitedFiles(test: TestContext): Promise<SmallDisk | null> {
  const path = await directoryOf(test);
  const limit = (size: string): boolean => spawnSync("prlimit", ["--pid", String(process.pid), `--fsize=${size}:`]).status === 0;
  if (!limit("1048576")) return null;
  atEnd(test, () => limit("unlimited"));
  return { path, free: async () => assert.ok(limit("unlimited")) };
}

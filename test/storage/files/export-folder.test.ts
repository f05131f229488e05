import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { createExportFolder } from "../../../storage/files/export-folder.ts";
import { directoryOf } from "../kv/world.ts";

const QUIET_MS = 3_600_000;

async function folder(test: TestContext, freeBytesMin = 0) {
  const path = join(await directoryOf(test), "exports", "installation");
  const files = createExportFolder({ directory: path, quietMs: QUIET_MS, nowMs: () => Date.now(), freeBytesMin });
  return { files, path, names: () => readdir(path) };
}

async function read(pieces: AsyncIterable<Uint8Array> | null): Promise<Buffer> {
  assert.ok(pieces !== null);
  const found: Uint8Array[] = [];
  for await (const piece of pieces) found.push(piece);
  return Buffer.concat(found);
}

describe("the folder of exports", () => {
  it("keeps what was written, for its owner alone, under a name that nobody can guess", async (test) => {
    const { files, path, names } = await folder(test);
    await mkdir(path, { recursive: true, mode: 0o755 });
    const bytes = randomBytes(3_000_000);
    const file = await files.create();
    for (let start = 0; start < bytes.byteLength; start += 700_000) await file.write(bytes.subarray(start, start + 700_000));
    assert.equal(await files.bytes(), bytes.byteLength, "what is being written counts");
    const name = await file.keep();
    assert.match(name, /^export-[0-9a-f]{32}$/);
    assert.deepEqual(await names(), [name]);
    assert.equal((await stat(path)).mode & 0o777, 0o700);
    assert.equal((await stat(join(path, name))).mode & 0o777, 0o600);
    assert.ok((await read(await files.open(name))).equals(bytes), "other bytes");
    await files.remove(name);
    assert.equal(await files.open(name), null);
    await files.remove(name);
    assert.equal(await files.bytes(), 0);
  });

  it("leaves nothing of what is discarded, and what is kept although it is discarded afterwards", async (test) => {
    const { files, names } = await folder(test);
    const discarded = await files.create();
    await discarded.write(randomBytes(10));
    await discarded.discard();
    await discarded.discard();
    assert.deepEqual(await names(), []);
    const kept = await files.create();
    const name = await kept.keep();
    await kept.discard();
    assert.deepEqual(await names(), [name]);
  });

  it("opens and removes its own files only", async (test) => {
    const { files, path } = await folder(test);
    const file = await files.create();
    const name = await file.keep();
    await writeFile(join(path, "other.txt"), "not mine");
    await writeFile(join(path, "..", "secret"), "not mine");
    for (const other of ["other.txt", "../secret", "..", ".", "", `../installation/${name}`, `${name}/`, "export-0", name.toUpperCase()]) {
      assert.equal(await files.open(other), null, other);
      await files.remove(other);
    }
    assert.deepEqual((await readdir(path)).sort(), [name, "other.txt"].sort());
    assert.deepEqual((await readdir(join(path, ".."))).sort(), ["installation", "secret"]);
  });

  it("gives a file back that nobody reads to its end", async (test) => {
    const { files } = await folder(test);
    const file = await files.create();
    await file.write(randomBytes(200_000));
    const name = await file.keep();
    const unread = await files.open(name);
    await unread?.[Symbol.asyncIterator]().return?.();
    const begun = (await files.open(name))?.[Symbol.asyncIterator]();
    assert.equal((await begun?.next())?.done, false);
    await begun?.return?.();
    assert.equal((await begun?.next())?.done, true);
  });

  it("sweeps what no export has and nobody writes to", async (test) => {
    const { files, path, names } = await folder(test);
    const [known, unknown] = [await (await files.create()).keep(), await (await files.create()).keep()];
    const making = await files.create();
    await writeFile(join(path, "other.txt"), "not mine");
    assert.equal(await files.sweep(new Set([known])), 0, "they are new");
    const before = new Date(Date.now() - QUIET_MS - 1_000);
    for (const name of await names()) await utimes(join(path, name), before, before);
    const fresh = await files.create();
    assert.equal(await files.sweep(new Set([known])), 2);
    assert.equal(await files.open(unknown), null);
    assert.equal((await names()).filter((name) => name.startsWith(".making-")).length, 1);
    assert.ok((await names()).includes(known) && (await names()).includes("other.txt"));
    await fresh.discard();
    await making.discard();
  });

  it("refuses what would leave the disk too little, for those who have more urgent things to write", async (test) => {
    const { files, names } = await folder(test, Number.MAX_SAFE_INTEGER);
    const large = await files.create();
    await assert.rejects(large.write(randomBytes(2_000_000)), { name: "ExportRefused", failure: "no_room" });
    await large.discard();
    assert.deepEqual(await names(), []);
    const small = await files.create();
    await small.write(randomBytes(1_000));
    assert.match(await small.keep(), /^export-/);
  });

  it("says of a full disk that there is no room, so that nobody fills it once more", async (test) => {
    const { files, path, names } = await folder(test);
    const file = await files.create();
    const probe = await open(join(path, "probe"), "w");
    const full = () => Promise.reject(Object.assign(new Error("no space left on device"), { code: "ENOSPC" }));
    test.mock.method(Object.getPrototypeOf(probe), "write", full);
    await probe.close();
    await assert.rejects(file.write(randomBytes(10)), { name: "ExportRefused", failure: "no_room" });
    test.mock.restoreAll();
    await file.discard();
    assert.deepEqual(await names(), ["probe"]);
  });

  it("is empty before its first file", async (test) => {
    const { files } = await folder(test);
    assert.equal(await files.bytes(), 0);
    assert.equal(await files.sweep(new Set()), 0);
  });
});

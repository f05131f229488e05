import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import type { PackageStore } from "../../../engine/apps/package-store.ts";
import { createPackageFolder } from "../../../storage/packages/package-folder.ts";
import { directoryOf } from "../kv/world.ts";

const NAME = "app-42-5b0c8a3e-6f0f-4a53-9d2c-0b8b6f0f7f11.apk";

async function folder(test: TestContext, quietMs = 0): Promise<{ store: PackageStore; path: string; names(): Promise<string[]> }> {
  const path = join(await directoryOf(test), "packages");
  const store = createPackageFolder({ directory: path, quietMs, nowMs: () => Date.now() });
  return { store, path, names: () => readdir(path) };
}

function receive(store: PackageStore, ...pieces: Uint8Array[]) {
  return store.receive(async (take) => {
    for (const piece of pieces) await take(piece);
  });
}

describe("the folder of packages", () => {
  it("keeps what it received, with its MD5 and size", async (test) => {
    const { store, path, names } = await folder(test);
    const bytes = randomBytes(20_000_000);
    const staged = await receive(store, bytes.subarray(0, 7), bytes.subarray(7, 12_000_000), bytes.subarray(12_000_000));
    assert.deepEqual([staged.md5, staged.bytes], [createHash("md5").update(bytes).digest("hex"), 20_000_000]);
    await staged.keep(NAME);
    assert.deepEqual(await names(), [NAME]);
    assert.ok((await readFile(join(path, NAME))).equals(bytes), "other bytes");
    const open = await store.open(NAME);
    assert.ok(open, "it is not there");
    const part = Buffer.alloc(100);
    assert.equal(await open.read(part, 19_999_950), 50);
    assert.ok(part.subarray(0, 50).equals(bytes.subarray(-50)), "another part");
    await open.close();
  });

  it("leaves nothing of what breaks off or is discarded", async (test) => {
    const { store, names } = await folder(test);
    const broken = store.receive(async (take) => {
      await take(randomBytes(1_000));
      throw new Error("gone");
    });
    await assert.rejects(broken, /gone/);
    await (await receive(store, randomBytes(10))).discard();
    assert.deepEqual(await names(), []);
  });

  it("opens and removes only packages", async (test) => {
    const { store, path } = await folder(test);
    await (await receive(store, randomBytes(10))).keep(NAME);
    await writeFile(join(path, "other.txt"), "not mine");
    await writeFile(join(path, "..", "secret"), "not mine");
    for (const name of ["other.txt", "../secret", "..", ".", "", "app-1.apk", `../packages/${NAME}`, `${NAME}/`, "app-42-0.apk"]) {
      assert.equal(await store.open(name), null, name);
      await store.remove(name);
    }
    await store.remove(NAME.replace("42", "43"));
    assert.deepEqual((await readdir(path)).sort(), [NAME, "other.txt"]);
    assert.equal(await readFile(join(path, "..", "secret"), "utf8"), "not mine");
    await assert.rejects(async () => (await receive(store, randomBytes(1))).keep("../x"), /cannot be the name/);
  });

  it("sweeps what no version names, and nothing that is not its own", async (test) => {
    const { store, path } = await folder(test);
    assert.equal(await store.sweep(new Set()), 0);
    const [known, orphan] = [NAME, NAME.replace("42", "41")];
    for (const name of [known, orphan]) await (await receive(store, randomBytes(10))).keep(name);
    await writeFile(join(path, ".upload-0123456789abcdef"), "half");
    await writeFile(join(path, "README"), "an operator's");
    assert.equal(await store.sweep(new Set([known])), 2);
    assert.deepEqual((await readdir(path)).sort(), ["README", known].sort());
  });

  it("leaves alone what another node may be writing", async (test) => {
    const { store, path } = await folder(test, 60_000);
    await (await receive(store, randomBytes(10))).discard();
    const [fresh, old] = [join(path, ".upload-0123456789abcdef"), join(path, ".upload-0123456789abcde0")];
    for (const file of [fresh, old]) await writeFile(file, "half");
    const longAgo = new Date(Date.now() - 120_000);
    await utimes(old, longAgo, longAgo);
    assert.equal(await store.sweep(new Set()), 1);
    assert.deepEqual(await readdir(path), [".upload-0123456789abcdef"]);
  });

  it("says when it cannot be used", async (test) => {
    const { store, path } = await folder(test);
    await writeFile(path, "a file where the folder should be");
    const unusable = { code: "unavailable", message: "The package folder cannot be used" };
    await assert.rejects(receive(store, randomBytes(1)), unusable);
    await assert.rejects(store.sweep(new Set()), unusable);
  });
});

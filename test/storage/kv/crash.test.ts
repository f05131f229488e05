import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, readdir, readFile, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type Kv, StorageUnavailable } from "../../../engine/kernel/kv.ts";
import { openEmbeddedKv } from "../../../storage/kv/embedded.ts";
import { DirectoryRefused } from "../../../storage/kv/embedded-directory.ts";
import { seededRandom } from "./random.ts";
import { atEnd, directoryOf } from "./world.ts";

const KILLS = 5;
const CUTS = 40;

describe("the embedded store after a crash", () => {
  it("has every acknowledged commit, whole, when its process was killed under load", async (test) => {
    const random = seededRandom(test);
    const directory = await directoryOf(test);
    const acknowledgedFile = join(await directoryOf(test), "acknowledged");
    for (let round = 0; round < KILLS; round++) await killUnderLoad(directory, acknowledgedFile, 50 + random(250));
    const acknowledged = (await readFile(acknowledgedFile, "utf8")).trimEnd().split("\n");
    test.diagnostic(`${acknowledged.length} commits acknowledged in ${KILLS} lives`);
    assert.ok(acknowledged.length > KILLS);

    const kv = await openEmbeddedKv({ directory, nowMs: Date.now });
    atEnd(test, () => kv.close());
    const records = await all(kv, "record/");
    for (const key of acknowledged) assert.ok(records.has(key), `${key} is lost`);
    const counts = new Map<string, number[]>();
    for (const value of records.values()) {
      const [lane = "", count] = value.split(" ");
      counts.set(lane, [...(counts.get(lane) ?? []), Number(count)]);
    }
    for (const [counterKey, value] of await all(kv, "counter/")) {
      const lane = (counts.get(counterKey.slice("counter/".length)) ?? []).sort((a, b) => a - b);
      assert.deepEqual(
        lane,
        Array.from({ length: Number(value) }, (_, index) => index + 1),
        `${counterKey} and its records differ`,
      );
    }
  });

  it("opens, or refuses clearly, and answers nothing that was never written, when its files were cut", async (test) => {
    const random = seededRandom(test);
    const original = await directoryOf(test);
    const written = await writeSeveralLives(original);
    let refused = 0;
    let unavailable = 0;
    for (let round = 0; round < CUTS; round++) {
      const copy = join(await directoryOf(test), "copy");
      await cp(original, copy, { recursive: true });
      const cut = await cutNewest(copy, random);
      try {
        await readsOnlyWhatWasWritten(copy, written);
      } catch (error) {
        if (error instanceof DirectoryRefused) {
          assert.equal(error.reason, "corrupted", cut);
          assert.ok(error.message.includes(copy));
          refused++;
        } else if (error instanceof StorageUnavailable) unavailable++;
        else throw new Error(`after the cut of ${cut}`, { cause: error });
      }
    }
    test.diagnostic(`of ${CUTS} directories ${refused} were refused and ${unavailable} could not be read whole`);
  });
});

/** Lets a process commit for a while, and kills it. */
async function killUnderLoad(directory: string, acknowledgedFile: string, forMs: number): Promise<void> {
  const script = join(import.meta.dirname, "commit-under-load.ts");
  const child = spawn(process.execPath, ["--import", "tsx", script, directory, acknowledgedFile], { stdio: ["ignore", "pipe", "inherit"] });
  const closed = once(child, "close");
  await Promise.race([once(child.stdout, "data"), closed]);
  const timer = setTimeout(() => child.kill("SIGKILL"), forMs);
  const [code, signal] = await closed;
  clearTimeout(timer);
  assert.equal(signal, "SIGKILL", `the process ended by itself with ${code}`);
}

async function all(kv: Kv, prefix: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (let from = prefix; ; ) {
    const page = await kv.scan({ from, to: `${prefix}\u{7f}`, limit: 10_000 });
    for (const { key, value } of page) found.set(key, value);
    const last = page.at(-1);
    if (last === undefined) return found;
    from = `${last.key} `;
  }
}

/** Opens and closes several times, so that there are tables, a manifest with history and a log; answers every value ever written. */
async function writeSeveralLives(directory: string): Promise<Set<string>> {
  const written = new Set<string>();
  for (let life = 0; life < 4; life++) {
    const kv = await openEmbeddedKv({ directory, nowMs: Date.now });
    for (let batch = 0; batch < 40; batch++) {
      const operations = Array.from({ length: 5 }, (_, n) => {
        const key = `k/${(batch * 7 + n * 13 + life) % 120}`;
        const value = `${key} ${life} ${batch} ${String.fromCharCode(97 + n).repeat(200)}`;
        return { type: "put" as const, key, value };
      });
      const result = await kv.commit({ checks: [], operations });
      assert.ok(result.type === "committed");
      for (const { key, value } of operations) written.add(`${key} ${result.version} ${value}`);
    }
    await kv.close();
  }
  return written;
}

async function cutNewest(directory: string, random: (below: number) => number): Promise<string> {
  const files = (await readdir(directory)).filter((file) => /^(CURRENT|MANIFEST-\d+|\d+\.(log|ldb))$/.test(file));
  const described: string[] = [];
  for (let cuts = 1 + random(2); cuts > 0; cuts--) {
    const file = files[random(files.length)] ?? "CURRENT";
    const { size } = await stat(join(directory, file));
    const length = random(size + 1);
    await truncate(join(directory, file), length);
    described.push(`${file} at ${length} of ${size}`);
  }
  return described.join(", ");
}

async function readsOnlyWhatWasWritten(directory: string, written: ReadonlySet<string>): Promise<void> {
  const kv = await openEmbeddedKv({ directory, nowMs: Date.now });
  try {
    for (let n = 0; n < 120; n++) {
      const entry = await kv.get(`k/${n}`);
      if (entry !== null) assert.ok(written.has(`${entry.key} ${entry.version} ${entry.value}`), `garbage under ${entry.key}`);
    }
    for (const entry of await kv.scan({ from: "", to: "\u{7f}", limit: 10_000 })) {
      assert.ok(written.has(`${entry.key} ${entry.version} ${entry.value}`), `garbage under ${entry.key}`);
    }
    const result = await kv.commit({ checks: [], operations: [{ type: "put", key: "after", value: "1" }] });
    assert.ok(result.type === "committed");
    assert.equal((await kv.get("after"))?.version, result.version);
  } finally {
    await kv.close();
  }
}

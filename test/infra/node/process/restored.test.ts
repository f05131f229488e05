import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { machineTimers } from "../../../../infra/node/boot/machine-timers.ts";
import { keepWitness, readWitness } from "../../../../infra/node/boot/witness-file.ts";
import { assessStore, type Evidence, type StoreAssessment } from "../../../../infra/node/process/restored.ts";
import { atEnd, directoryOf } from "../../../storage/kv/world.ts";
import { eventually } from "../../../support/within.ts";

const NOW_MS = 1_800_000_000_000;
const PER_MS = 1_024;
const LAST = (NOW_MS - 60_000) * PER_MS;

const file = (storeId: string, version: number) => ({ storeId, version, atMs: version / PER_MS });

/** A store that has been there before, where it was before. */
const USED: Evidence = {
  lastVersion: LAST,
  versionsPerMs: PER_MS,
  identity: { storeId: "own", place: "7" },
  place: "7",
  file: file("own", LAST),
  fed: { storeVersion: LAST - 5, formerMs: 0 },
};
/** One that nothing was ever written to. */
const NEW: Evidence = { ...USED, lastVersion: 0, identity: null, file: null, fed: null };

function told(assessment: StoreAssessment): string {
  if (assessment.type === "as it was") return assessment.type;
  return `${assessment.certain ? "restored" : "likely"}${assessment.isFed ? ", fed" : ""}`;
}

const CASES: readonly [what: string, evidence: Evidence, told: string][] = [
  ["a store that its witnesses agree with", USED, "as it was"],
  ["one that is ahead of its witness, which is written later", { ...USED, file: file("own", LAST - 1_000) }, "as it was"],
  ["one that its file is ahead of, by a single commit", { ...USED, file: file("own", LAST + 1) }, "restored"],
  ["one that ClickHouse is ahead of", { ...USED, fed: { storeVersion: LAST + 1, formerMs: 0 } }, "restored, fed"],
  [
    "one that ClickHouse is ahead of, without a file",
    { ...USED, file: null, fed: { storeVersion: LAST + 1, formerMs: 0 } },
    "restored, fed",
  ],
  ["rows of a former release from afterwards", { ...USED, fed: { storeVersion: 0, formerMs: NOW_MS + 30_000 } }, "restored, fed"],
  ["rows of a former release from a clock a little ahead", { ...USED, fed: { storeVersion: 0, formerMs: NOW_MS - 30_000 } }, "as it was"],
  ["another folder with its witness", { ...USED, place: "8" }, "as it was"],
  ["another folder without a witness", { ...USED, place: "8", file: null }, "likely"],
  ["another folder beside another store's older witness", { ...USED, place: "8", file: file("other", LAST - 1_000) }, "likely"],
  ["the same folder without a witness", { ...USED, file: null }, "as it was"],
  ["a store of a former release, which says nothing of itself", { ...USED, identity: null, file: null, fed: null }, "as it was"],
  ["a store without a place", { ...USED, place: null, identity: { storeId: "own", place: null }, file: null }, "as it was"],
  ["another store that was used later", { ...USED, file: file("other", LAST + PER_MS) }, "restored"],
  ["a new store", NEW, "as it was"],
  ["an empty store beside a witness", { ...NEW, file: file("gone", LAST) }, "restored"],
  ["an empty store beside a full ClickHouse", { ...NEW, fed: { storeVersion: LAST, formerMs: 0 } }, "restored, fed"],
  ["a file that says what cannot be", { ...USED, file: file("own", (NOW_MS + 1_000 * 86_400_000) * PER_MS) }, "as it was"],
];

describe("a store at its start is judged by its witnesses", () => {
  for (const [what, evidence, expected] of CASES)
    it(`${what}: ${expected}`, () => assert.equal(told(assessStore(evidence, NOW_MS)), expected));

  it("goes on above every version that is known to have been given", () => {
    const assessment = assessStore({ ...USED, file: file("own", LAST + 7), fed: { storeVersion: LAST + 3, formerMs: 0 } }, NOW_MS);
    assert.ok(assessment.type === "restored");
    assert.equal(assessment.aboveVersion, LAST + 7);
  });
});

describe("the witness file", () => {
  it("says how far the store is, soon after it and at its end", async (test) => {
    const path = join(await directoryOf(test), "beside", "witness");
    let version = 1_024;
    const failures: unknown[] = [];
    const witness = keepWitness({
      ...{ file: path, storeId: "own", versionsPerMs: PER_MS, timers: machineTimers },
      lastVersion: async () => version,
      failed: (error) => failures.push(error),
    });
    atEnd(test, () => witness.stop());
    assert.equal(await readWitness(path), null);
    await eventually(async () => assert.deepEqual(await readWitness(path), { storeId: "own", version: 1_024, atMs: 1 }));
    version = 2_048;
    await witness.stop();
    assert.deepEqual(await readWitness(path), { storeId: "own", version: 2_048, atMs: 2 });
    assert.deepEqual(failures, []);
  });

  it("that a power cut has emptied, or that is another's, is none", async (test) => {
    const path = join(await directoryOf(test), "witness");
    for (const text of [
      "",
      "{}",
      "null",
      '{"schema":1,"storeId":"a","version":1.5,"atMs":1}',
      '{"schema":2,"storeId":"a","version":1,"atMs":1}',
    ]) {
      await writeFile(path, text);
      assert.equal(await readWitness(path), null, text);
    }
  });

  it("that cannot be written is told of once", async (test) => {
    const directory = await directoryOf(test);
    await writeFile(join(directory, "file"), "");
    const failures: unknown[] = [];
    let asked = 0;
    const witness = keepWitness({
      ...{ file: join(directory, "file", "witness"), storeId: "own", versionsPerMs: PER_MS, timers: machineTimers },
      lastVersion: async () => {
        asked += 1;
        return asked;
      },
      failed: (error) => failures.push(error),
    });
    await eventually(async () => assert.ok(asked >= 2));
    await witness.stop();
    assert.equal(failures.length, 1);
  });
});

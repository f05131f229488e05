import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, it } from "node:test";
import { failingAfter, isTouched, proofs, SIXTHS, sixthOf, suitesOfSixth } from "./landing.ts";
import { CHECKS, groupOf, LANDING, NIGHTLY, type Suite, VARIANTS } from "./suites.ts";

const suites = [...NIGHTLY, ...VARIANTS];

describe("the sixth of a landing", () => {
  it("comes from the counter, and from CI_SIXTH where that is set", () => {
    assert.deepEqual(
      [0, 1, 5, 6, 13].map((counter) => sixthOf(counter, undefined)),
      [1, 2, 6, 1, 2],
    );
    assert.equal(sixthOf(4, "3"), 3);
    for (const wrong of ["0", "7", "1.5", "two"]) assert.throws(() => sixthOf(0, wrong), /CI_SIXTH is/);
  });

  it("has every suite in exactly one of six, and no sixth costs twice as much as another", () => {
    const secondsOf = (suite: Suite): number => 10 + suite.name.length;
    const dealt = Array.from({ length: SIXTHS }, (_, index) => suitesOfSixth(suites, secondsOf, index + 1));
    assert.deepEqual(
      dealt
        .flat()
        .map(({ name }) => name)
        .sort(),
      suites.map(({ name }) => name).sort(),
    );
    const sums = dealt.map((part) => part.reduce((sum, suite) => sum + secondsOf(suite), 0));
    assert.ok(Math.max(...sums) < 2 * Math.min(...sums), sums.join(" "));
  });
});

describe("a nightly suite", () => {
  it("is on the list of those that failed from its failure until it passes", () => {
    const failed = failingAfter(
      ["b"],
      new Map([
        ["a", false],
        ["c", true],
      ]),
    );
    assert.deepEqual(failed, ["a", "b"]);
    assert.deepEqual(failingAfter(failed, new Map([["a", true]])), ["b"]);
  });

  it("runs where the change touches its subject or the suite itself", () => {
    const suite: Suite = { name: "x", files: ["test/fault/zvt.test.ts"], subject: ["http/zvt/"], isInSixths: true };
    assert.ok(isTouched(suite, ["README.md", "http/zvt/session.ts"]));
    assert.ok(isTouched(suite, ["test/fault/zvt.test.ts"]));
    assert.ok(!isTouched(suite, ["http/server/server.ts", "test/fault/links.test.ts"]));
  });

  it("names files and subjects that exist", () => {
    for (const { name, files, subject } of suites) {
      for (const path of [...files, ...subject]) assert.ok(existsSync(path), `${name}: ${path}`);
    }
    assert.equal(new Set([...suites, ...CHECKS].map(({ name }) => name)).size, suites.length + CHECKS.length, "names are unique");
    for (const folder of LANDING) assert.ok(existsSync(folder), folder);
  });

  it("shares a process with no file of another job", () => {
    for (const { name, files } of NIGHTLY) for (const file of files) assert.ok([null, name].includes(groupOf(file)), file);
  });
});

it("every test that ARCHITECTURE.md names as the proof of a promise runs at every landing", () => {
  const isNightly = (file: string): boolean => NIGHTLY.some(({ files }) => files.includes(file));
  const found = proofs();
  // One is named itself; the other is run through what imports it.
  assert.deepEqual(found.get("test/fault/strace.test.ts"), ["test/fault/strace.test.ts"]);
  assert.ok(found.get("test/scenario/relay/life.ts")?.includes("test/scenario/one-node.test.ts"));
  for (const [path, files] of found) assert.ok(!files.every(isNightly), `${path} is a proof, and runs in no test file of every landing`);
});

import assert from "node:assert/strict";
import { relative } from "node:path";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";

const NIGHTLY_SECONDS = 60;

/** True for `npm run test:nightly`. A landing (`npm test`, continuous integration) plays fewer seeds. */
export const isNightly = process.env["TEST_LEVEL"] === "nightly";

/** Where the fresh seeds begin. `TEST_SEED` repeats a run. */
export const freshSeed = Number(process.env["TEST_SEED"] ?? Math.floor(Math.random() * 1_000_000_000));
assert.ok(Number.isSafeInteger(freshSeed), "TEST_SEED is a whole number");

/** The seeds from 1 to this one. */
export const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

export interface SeededHistory {
  trace: readonly string[];
  /** What is broken, in a sentence each. */
  broken: readonly string[];
  /** Everything that happened. */
  seen: ReadonlySet<string>;
}

export interface Simulation {
  /** `npm test -- WORD` runs this simulation and no other. */
  word: string;
  /** What every history has to show: the title of the tests. */
  promise: string;
  play(seed: number): Promise<SeededHistory>;
  /** Seeds for every landing. Together they see all that `seen` names. */
  chosen: readonly number[];
  /** More seeds for every night. */
  nightly: readonly number[];
  /** What the fixed seeds have to see, because they prove nothing otherwise. */
  seen: readonly string[];
}

/**
 * Declares the tests of a simulation. A landing plays the chosen seeds and one fresh seed. The nightly run plays all fixed seeds, and fresh ones for
 * `TEST_SEEDS_SECONDS` (60 by default). With `TEST_SEED` only that seed is played, with its trace.
 *
 * The histories are played before the first test is declared: Node tracks every promise from then on, and a history takes four times as long.
 */
export async function testSimulation({ word, promise, play, chosen, nightly, seen }: Simulation): Promise<void> {
  const allSeen = new Set<string>();
  /** Plays seeds up to the first that breaks something, and says how to repeat that one. */
  async function failureOf(seeds: Iterable<number>, playOne: Simulation["play"]): Promise<string> {
    for (const seed of seeds) {
      const { broken, seen } = await playOne(seed);
      for (const what of seen) allSeen.add(what);
      if (broken.length > 0) return [`Repeat it with: TEST_SEED=${seed} npm test -- ${word}`, ...broken].join("\n");
    }
    return "";
  }
  const once: Simulation["play"] = async (seed) => {
    try {
      return await play(seed);
    } catch (error) {
      return { trace: [], broken: [`the history throws ${error instanceof Error ? error.stack : error}`], seen: new Set() };
    }
  };
  const twice: Simulation["play"] = async (seed) => {
    const [one, again] = [await once(seed), await once(seed)];
    const isSame = isDeepStrictEqual(one.trace, again.trace);
    return isSame ? one : { ...one, broken: [...one.broken, "the same seed gives another history the second time"] };
  };

  if (process.env["TEST_SEED"] !== undefined) {
    const { trace, broken } = await twice(freshSeed);
    console.log(trace.join("\n"));
    // `npm test` shows only the first lines of a failure.
    const whole = `See its whole trace with: TEST_SEED=${freshSeed} node --import tsx ${relative("", process.argv[1] ?? "")}`;
    test(`${promise}: seed ${freshSeed}`, () => assert.ok(broken.length === 0, [whole, ...broken].join("\n")));
    return;
  }
  const fixed = new Set(isNightly ? [...chosen, ...nightly] : chosen);
  const fixedFailure = await failureOf(fixed, once);
  const unseen = seen.filter((what) => !allSeen.has(what));
  console.log(`${word}: the first fresh seed is ${freshSeed}`);
  const freshFailure = await failureOf(freshSeeds(), twice);

  test(`${promise}: ${fixed.size} fixed seeds`, () => assert.ok(fixedFailure === "", fixedFailure));
  // Seeds after the first failure were not played.
  if (fixedFailure === "") test("the fixed seeds see everything that may happen", () => assert.deepEqual(unseen, []));
  test(`${promise}: fresh seeds, each twice with the same trace`, () => assert.ok(freshFailure === "", freshFailure));
}

function* freshSeeds(): Generator<number> {
  yield freshSeed;
  const untilMs = performance.now() + 1_000 * Number(process.env["TEST_SEEDS_SECONDS"] ?? NIGHTLY_SECONDS);
  for (let seed = freshSeed + 1; isNightly && performance.now() < untilMs; seed += 1) yield seed;
}

/** What a landing runs beside `npm test`: which sixth of the nightly suites, those that failed, and those whose subject the change touches. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { sourcesOfTests } from "./jobs.ts";
import type { Suite } from "./suites.ts";

export const SIXTHS = 6;

const FILE = "test/runner/landing.json";

/** What is committed of the landings. */
export interface Landing {
  /** Each landing raises it by one; its remainder by six chooses the sixth. */
  readonly counter: number;
  /** Names of nightly suites that failed when they ran last: they run at every landing until they pass. */
  readonly failing: readonly string[];
}

export function readLanding(): Landing {
  return JSON.parse(readFileSync(FILE, "utf8")) as Landing;
}

export function writeLanding(landing: Landing): void {
  writeFileSync(FILE, `${JSON.stringify(landing, null, 1)}\n`);
}

/** The sixth of this landing, from 1 to 6: that of the counter, or the given one. */
export function sixthOf(counter: number, given: string | undefined): number {
  if (given === undefined || given === "") return (counter % SIXTHS) + 1;
  const sixth = Number(given);
  if (!Number.isInteger(sixth) || sixth < 1 || sixth > SIXTHS) throw new Error(`CI_SIXTH is ${given}: it is a number from 1 to ${SIXTHS}`);
  return sixth;
}

/** Deals the suites out to the six landings, so that each costs about the same: the dearest first, each to the sixth that has least. */
export function suitesOfSixth(suites: readonly Suite[], secondsOf: (suite: Suite) => number, sixth: number): Suite[] {
  const sums = Array.from({ length: SIXTHS }, () => 0);
  const chosen: Suite[] = [];
  const byCost = [...suites].sort((one, other) => secondsOf(other) - secondsOf(one) || (one.name < other.name ? -1 : 1));
  for (const suite of byCost) {
    const lightest = sums.indexOf(Math.min(...sums));
    sums[lightest] = (sums[lightest] ?? 0) + secondsOf(suite);
    if (lightest === sixth - 1) chosen.push(suite);
  }
  return chosen;
}

/** After a run: suites that failed come onto the list, suites that passed leave it. */
export function failingAfter(failing: readonly string[], outcomes: ReadonlyMap<string, boolean>): string[] {
  const kept = failing.filter((name) => outcomes.get(name) !== true);
  const added = [...outcomes].flatMap(([name, passed]) => (passed ? [] : [name]));
  return [...new Set([...kept, ...added])].sort();
}

/**
 * The files that this landing changes: all since the commit that raised the counter for the landing before. Null where git does not know that commit, as
 * in a copy without the history.
 */
export function changedFiles(): string[] | null {
  const git = (...args: string[]): string => execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  try {
    const [, before] = git("log", "--format=%H", "-G", '"counter"', "-2", "--", FILE).trim().split("\n");
    if (before === undefined) return null;
    return git("diff", "--name-only", before).trim().split("\n");
  } catch {
    return null;
  }
}

/** Whether a change touches what a suite is about, or the suite itself. */
export function isTouched(suite: Suite, changed: readonly string[]): boolean {
  return changed.some((file) => [...suite.subject, ...suite.files].some((prefix) => file.startsWith(prefix)));
}

/** What ARCHITECTURE.md names as proofs of the promises: for each path the test files that run it, which are itself or import it. */
export function proofs(): Map<string, string[]> {
  const text = readFileSync("ARCHITECTURE.md", "utf8");
  const named = [...text.matchAll(/\*Shown in\*([\s\S]*?)\n(?=\d\.|\n)/g)].flatMap(([, list = ""]) =>
    [...list.matchAll(/`(test\/[^`]+)`/g)].flatMap(([, file]) => (file === undefined ? [] : [file])),
  );
  if (named.length === 0) throw new Error("ARCHITECTURE.md names no proof of its promises");
  const imports = importsOfTests();
  return new Map(named.map((file) => [file, testsThatRun(file, imports)]));
}

function testsThatRun(named: string, imports: ReadonlyMap<string, readonly string[]>): string[] {
  const found = new Set([named]);
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const [file, imported] of imports) if (imported.some((one) => found.has(one))) found.add(file);
  }
  return [...found].filter((file) => file.endsWith(".test.ts"));
}

function importsOfTests(): Map<string, string[]> {
  return new Map(
    sourcesOfTests().map((file) => {
      const imported = [...readFileSync(file, "utf8").matchAll(/from "(\.[^"]+)"/g)].map(([, path = ""]) =>
        normalize(join(dirname(file), path)),
      );
      return [file, imported];
    }),
  );
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { playZvt } from "./history.ts";

/** How long fresh seeds are played. */
const FRESH_MS = 15_000;

/** What the fixed seeds must have come by, else they show nothing. */
const SEEN = [
  ...["begin: begun", "begin: reattached", "begin: deliver", "begin: busy", "begin: refused"],
  ...["ends paid", "ends declined", "ends cancelled", "ends unknown", "ends busy"],
  ...["paid", "notPaid", "error", "busy", "repeats beside its old connection"],
  ...["a node died", "a node slept", "the home died"],
];

async function holds(seed: number): Promise<Set<string>> {
  const { broken, trace, seen } = await playZvt(seed);
  assert.deepEqual(broken, [], `seed ${seed}:\n${trace.join("\n")}`);
  return seen;
}

test("the same seed gives the same history", async () => {
  const [one, other] = [await playZvt(7), await playZvt(7)];
  assert.deepEqual(one.trace, other.trace);
});

test("thirty seeds: each sale that a register believes in was charged once, and none twice", { timeout: 300_000 }, async () => {
  const seen = new Set<string>();
  for (let seed = 1; seed <= 30; seed += 1) for (const what of await holds(seed)) seen.add(what);
  assert.deepEqual(
    SEEN.filter((what) => !seen.has(what)),
    [],
    "what no history came by",
  );
});

test("fresh seeds: registers hear the truth or an error", { timeout: 120_000 }, async () => {
  const base = Math.floor(Math.random() * 1_000_000_000);
  console.log(`zvt: the first seed is ${base}`);
  const until = performance.now() + FRESH_MS;
  let seeds = 0;
  for (; performance.now() < until; seeds += 1) await holds(base + seeds);
  console.log(`zvt: ${seeds} seeds`);
});

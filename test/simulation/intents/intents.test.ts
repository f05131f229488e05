import assert from "node:assert/strict";
import { test } from "node:test";
import { playIntents } from "./history.ts";

/** How long fresh seeds are played. */
const FRESH_MS = 15_000;

/** What the fixed seeds must have come by, else they show nothing. */
const SEEN = [
  "confirm: confirmed",
  "confirm: declined",
  "confirm: unavailable",
  "confirm: unsettled",
  "cancel: canceled",
  "cancel: unavailable",
  "capture: captured",
  "refund: refunded",
  "refund: unsettled",
  "ends succeeded",
  "ends canceled",
  "ends requires_capture",
  "ends requires_payment_method",
  "unwanted",
];

async function holds(seed: number): Promise<Set<string>> {
  const { broken, trace, seen } = await playIntents(seed);
  assert.deepEqual(broken, [], `seed ${seed}:\n${trace.join("\n")}`);
  return seen;
}

test("the same seed gives the same history", async () => {
  const [one, other] = [await playIntents(7), await playIntents(7)];
  assert.deepEqual(one.trace, other.trace);
});

test("a hundred and fifty seeds keep the money right, and come by everything that may happen", { timeout: 300_000 }, async () => {
  const seen = new Set<string>();
  for (let seed = 1; seed <= 150; seed += 1) for (const what of await holds(seed)) seen.add(what);
  assert.deepEqual(
    SEEN.filter((what) => !seen.has(what)),
    [],
    "what no history came by",
  );
});

test("fresh seeds keep at most one payment of an intent, none of a canceled one, and tell everything once", {
  timeout: 120_000,
}, async () => {
  const base = Math.floor(Math.random() * 1_000_000_000);
  console.log(`intents: the first seed is ${base}`);
  const until = performance.now() + FRESH_MS;
  let seeds = 0;
  for (; performance.now() < until; seeds += 1) await holds(base + seeds);
  console.log(`intents: ${seeds} seeds`);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { playIntents } from "./history.ts";

/** How long fresh seeds are played. */
const FRESH_MS = 20_000;

/** Seeds that failed once, each with what was mended. */
const FAILED_SEEDS: readonly { seed: number; reason: string }[] = [];

/** What a run must have come by, else it shows nothing. */
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

test("every seed that ever failed keeps the money right", async () => {
  for (const { seed } of FAILED_SEEDS) await holds(seed);
});

test("the same seed gives the same history", async () => {
  const [one, other] = [await playIntents(7), await playIntents(7)];
  assert.deepEqual(one.trace, other.trace);
});

test("fresh seeds keep at most one payment of an intent, none of a canceled one, and tell everything once", {
  timeout: 120_000,
}, async () => {
  const base = Math.floor(Math.random() * 1_000_000_000);
  console.log(`intents: the first seed is ${base}`);
  const seen = new Set<string>();
  const until = performance.now() + FRESH_MS;
  let seeds = 0;
  while (performance.now() < until || seeds < 150) {
    for (const what of await holds(base + seeds)) seen.add(what);
    seeds += 1;
  }
  console.log(`intents: ${seeds} seeds`);
  assert.deepEqual(
    SEEN.filter((what) => !seen.has(what)),
    [],
    "what no history came by",
  );
});

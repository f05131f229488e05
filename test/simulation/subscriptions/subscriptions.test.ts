import assert from "node:assert/strict";
import { test } from "node:test";
import { playSubscriptions } from "./history.ts";

/** How long fresh seeds are played. */
const FRESH_MS = 15_000;

/** Seeds whose histories broke something at some time. */
const FAILED_SEEDS: readonly { seed: number; reason: string }[] = [
  { seed: 377240026, reason: "a link turned up that had been unknown for a day, and operators were told for good that it was not known" },
];

/** What the fixed seeds must have come by, else they show nothing. */
const SEEN = [
  "cancel: cancelled",
  "cancel: not_in_state",
  "end: cancelled",
  "pause: paused",
  "resume: resumed",
  "resume: outcome_unknown",
  "retry: retried",
  "retry: outcome_unknown",
  "retry: too_soon",
  "visit: payable",
  "visit: nothing_due",
  "visit: outcome_unknown",
  "CARD done",
  "CARD failed",
  "CARD failed hard",
  "LINK done",
  "LINK failed",
  "never received",
  "paid late",
  "recovered",
  "ends by merchant",
  "ends by customer",
  "ends by no_first_payment",
  "ends by dunning",
];

async function holds(seed: number): Promise<Set<string>> {
  const { broken, trace, seen } = await playSubscriptions(seed);
  assert.deepEqual(broken, [], `seed ${seed}:\n${trace.join("\n")}`);
  return seen;
}

test("the same seed gives the same history", async () => {
  const [one, other] = [await playSubscriptions(7), await playSubscriptions(7)];
  assert.deepEqual(one.trace, other.trace);
});

test("forty seeds charge no cycle twice, and come by everything that may happen", { timeout: 600_000 }, async () => {
  const seen = new Set<string>();
  for (let seed = 1; seed <= 40; seed += 1) for (const what of await holds(seed)) seen.add(what);
  assert.deepEqual(
    SEEN.filter((what) => !seen.has(what)),
    [],
    "what no history came by",
  );
});

test("every seed that ever failed breaks nothing", async () => {
  for (const { seed } of FAILED_SEEDS) await holds(seed);
});

test("fresh seeds pay each cycle once at most, ask for nothing while an outcome is unknown or after the end, and lose no payment", {
  timeout: 120_000,
}, async () => {
  const base = Math.floor(Math.random() * 1_000_000_000);
  console.log(`subscriptions: the first seed is ${base}`);
  const until = performance.now() + FRESH_MS;
  let seeds = 0;
  for (; performance.now() < until; seeds += 1) await holds(base + seeds);
  console.log(`subscriptions: ${seeds} seeds`);
});

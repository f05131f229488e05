import assert from "node:assert/strict";
import { test } from "node:test";
import { playAgents } from "./history.ts";

/** How long fresh seeds are played. */
const FRESH_MS = 15_000;

/** What the fixed seeds must have come by, else they show nothing. */
const SEEN = [
  "make: created",
  "make: total",
  "make: linksPerHour",
  "make: perDay",
  "make: ended",
  "cancel: cancelled",
  "cancel: not_pending",
  "revoke: REVOKED",
  "ends EXPIRED",
  "ends REVOKED",
  "paid late",
  "used up more than once",
];

async function holds(seed: number): Promise<Set<string>> {
  const { broken, trace, seen } = await playAgents(seed);
  assert.deepEqual(broken, [], `seed ${seed}:\n${trace.join("\n")}`);
  return seen;
}

test("the same seed gives the same history", async () => {
  const [one, other] = [await playAgents(7), await playAgents(7)];
  assert.deepEqual(one.trace, other.trace);
});

test("forty seeds keep credentials and their links the same at every moment, and come by everything that may happen", {
  timeout: 600_000,
}, async () => {
  const seen = new Set<string>();
  for (let seed = 1; seed <= 40; seed += 1) for (const what of await holds(seed)) seen.add(what);
  assert.deepEqual(
    SEEN.filter((what) => !seen.has(what)),
    [],
    "what no history came by",
  );
});

test("fresh seeds never make more than a credential permits, and give back what ended unpaid", { timeout: 120_000 }, async () => {
  const base = Math.floor(Math.random() * 1_000_000_000);
  console.log(`agents: the first seed is ${base}`);
  const until = performance.now() + FRESH_MS;
  let seeds = 0;
  for (; performance.now() < until; seeds += 1) await holds(base + seeds);
  console.log(`agents: ${seeds} seeds`);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { playDisputes } from "./history.ts";

/** How long fresh seeds are played. */
const FRESH_MS = 15_000;

/** What the fixed seeds must have come by, else they show nothing. */
const SEEN = [
  "challenge: submitted",
  "challenge: deadline_passed",
  "challenge: not_open",
  "challenge: no_evidence",
  "accept: accepted",
  "add: added",
  "remove: removed",
  "verdict: done",
  "verdict: refused",
  "refused: done",
  "a dispute ends WON",
  "a dispute ends LOST",
  "a dispute ends EXPIRED",
  "a dispute ends UNDER_REVIEW",
  "a response ends taken",
  "a response ends refused",
  "a response ends undelivered",
  "a file is kept",
  "refund: refunded",
  "refund: outcome_unknown",
  "refund: refused",
  "refund: under_dispute",
  "refund: not_pending",
  "refund: network_refunds",
  "decline: declined",
  "a rule is held: daily_cap",
  "a rule is held: under_dispute",
  "a rule's refund ends done",
  "a rule's refund ends refused",
  "a refund ends done moved",
  "a refund ends done",
  "a refund ends refused",
  "refunded though it ended otherwise",
  "an alert ends REFUNDED",
  "an alert ends DECLINED",
  "an alert ends PREVENTED",
];

async function holds(seed: number): Promise<Set<string>> {
  const { broken, trace, seen } = await playDisputes(seed);
  assert.deepEqual(broken, [], `seed ${seed}:\n${trace.join("\n")}`);
  return seen;
}

test("the same seed gives the same history", async () => {
  const [one, other] = [await playDisputes(7), await playDisputes(7)];
  assert.deepEqual(one.trace, other.trace);
});

test("forty seeds keep every dispute and alert right at every moment, and come by everything that may happen", {
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

test("fresh seeds refund an alert once at most, respond never too late, and tell every step", { timeout: 120_000 }, async () => {
  const base = Math.floor(Math.random() * 1_000_000_000);
  console.log(`disputes: the first seed is ${base}`);
  const until = performance.now() + FRESH_MS;
  let seeds = 0;
  for (; performance.now() < until; seeds += 1) await holds(base + seeds);
  console.log(`disputes: ${seeds} seeds`);
});

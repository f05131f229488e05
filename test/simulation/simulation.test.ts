import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import type { Campaign } from "./campaign.ts";
import { drawPlan } from "./draw-plan.ts";
import { withoutGlobals } from "./globals.ts";
import { playHistory } from "./history.ts";
import { SESSION_OF_A_NODE_THAT_LEFT } from "./kept-plans.ts";
import { KNOWN_FAULTS, knownFaultOf, shows } from "./known-faults.ts";
import { NOTHING_PLANTED } from "./plant.ts";
import { campaignText, historyText } from "./report.ts";
import { FAILED_SEEDS } from "./seeds.ts";
import { shrink } from "./shrink.ts";

/** How long fresh seeds are played. */
const FRESH_MS = 60_000;

const NETWORKS = 100;

/** One more table that a shard loads makes every network of a seed another one; the rarest known fault shows on one in twelve. */
const SHOWN_WITHIN_NETWORKS = 50;

/** What a campaign tells of itself: every violation in a minute of them. */
const OUTPUT_BYTES_MAX = 64 * 1_048_576;

test("in a history time and chance come from the ports alone, and after it the globals are as they were", async () => {
  const forbidden = [
    () => Date.now(),
    () => Math.random(),
    () => performance.now(),
    () => setTimeout(() => {}, 0),
    () => crypto.randomUUID(),
  ];
  await withoutGlobals(async () => {
    for (const call of forbidden) assert.throws(call, /in a history/);
  });
  for (const call of forbidden) assert.doesNotThrow(call);
});

for (const fault of KNOWN_FAULTS) {
  test(`still there: ${fault.name}`, async () => {
    for (let more = 0; more < SHOWN_WITHIN_NETWORKS; more += 1) {
      for (const seed of fault.seeds) {
        const { shape, ...plan } = drawPlan(seed);
        if (shows(await playHistory({ ...plan, shape: { ...shape, salt: shape.salt + more } }), fault)) return;
      }
    }
    assert.fail("none of its histories shows it any more: where it was mended, remove it from the table of known-faults.ts");
  });
}

test("every seed that ever failed breaks nothing but what is known", async () => {
  for (const { seed, reason } of FAILED_SEEDS) {
    const { violations } = await playHistory(drawPlan(seed));
    const unknown = violations.filter((violation) => knownFaultOf(violation) === null);
    assert.deepEqual(unknown, [], `seed ${seed} (${reason})`);
  }
});

test("a plan that failed, and that no seed draws any more, breaks nothing but what is known on a hundred networks", async () => {
  const { shape, ...plan } = SESSION_OF_A_NODE_THAT_LEFT;
  for (let more = 0; more < NETWORKS; more += 1) {
    const { violations } = await playHistory({ ...plan, shape: { ...shape, salt: shape.salt + more } });
    assert.deepEqual(
      violations.filter((violation) => knownFaultOf(violation) === null),
      [],
      `on network ${shape.salt + more}`,
    );
  }
});

test("fresh seeds break nothing but what is known, each twice with the same trace", async () => {
  const base = Date.now() % 1_000_000_000;
  console.log(`simulation: the first seed is ${base}`);
  const fresh = [resolve("test/simulation/fresh.ts"), String(base), String(FRESH_MS)];
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", ...fresh], { maxBuffer: OUTPUT_BYTES_MAX });
  const campaign: Campaign = JSON.parse(stdout);
  console.log(campaignText(campaign));
  for (const fault of KNOWN_FAULTS) {
    const seeds = new Set(campaign.violations.filter(({ violation }) => knownFaultOf(violation) === fault).map(({ seed }) => seed));
    const part = fault.part === null ? "" : ` (part ${fault.part})`;
    console.log(`known${part}: ${fault.name}: ${seeds.size} seeds`);
  }
  assert.deepEqual(campaign.unequal, [], "seeds that gave another trace the second time");
  const unknown = campaign.violations.find(({ violation }) => knownFaultOf(violation) === null);
  if (unknown !== undefined) {
    const { seed, violation } = unknown;
    const short = await shrink(drawPlan(seed), violation.invariant, () => NOTHING_PLANTED);
    console.log(`seed ${seed} breaks "${violation.invariant}"; as short as it gets:\n${historyText(await playHistory(short))}`);
    assert.fail(`seed ${seed} breaks "${violation.invariant}": ${violation.what}. Mend it, and add the seed to seeds.ts`);
  }
  assert.ok(campaign.medianEvents >= 100, "the median history has at least 100 events");
  assert.ok(campaign.medianFaults >= 3, "the median history has at least 3 faults");
});

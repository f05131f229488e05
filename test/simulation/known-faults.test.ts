import assert from "node:assert/strict";
import { test } from "node:test";
import { drawPlan } from "./draw-plan.ts";
import { type Outcome, playHistory } from "./history.ts";
import type { Violation } from "./invariants/judge.ts";
import { SESSION_OF_A_NODE_THAT_LEFT } from "./kept-plans.ts";
import { KNOWN_FAULTS, type KnownFault, shows, unknownIn } from "./known-faults.ts";
import type { Plan } from "./plan.ts";
import { isNightly } from "./seed-plan.ts";

/** The first is the network on which it failed. */
const NETWORKS = isNightly ? 100 : 10;

/** Each table that a shard loads changes the network of every seed, and a rare fault then shows on another one. */
const SHOWN_WITHIN_NETWORKS = 50;

const onOtherNetwork = ({ shape, ...plan }: Plan, more: number): Promise<Outcome> =>
  playHistory({ ...plan, shape: { ...shape, salt: shape.salt + more } });

async function isShown(fault: KnownFault): Promise<boolean> {
  for (let more = 0; more < SHOWN_WITHIN_NETWORKS; more += 1) {
    for (const seed of fault.seeds) if (shows(await onOtherNetwork(drawPlan(seed), more), fault)) return true;
  }
  return false;
}

// The histories are played before the first test is declared, for the reason that testSimulation gives.
const shown = new Set<KnownFault>();
for (const fault of KNOWN_FAULTS) if (await isShown(fault)) shown.add(fault);
const ofKeptPlan: Violation[] = [];
for (let more = 0; more < NETWORKS; more += 1) ofKeptPlan.push(...unknownIn(await onOtherNetwork(SESSION_OF_A_NODE_THAT_LEFT, more)));

for (const fault of KNOWN_FAULTS) {
  test(`still there: ${fault.name}`, () => {
    assert.ok(shown.has(fault), "none of its histories shows it any more: if it was repaired, remove it from the table of known-faults.ts");
  });
}

test(`a plan that failed, and that no seed draws any more, breaks nothing but what is known on ${NETWORKS} networks`, () => {
  assert.deepEqual(ofKeptPlan, []);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { drawPlan } from "./draw-plan.ts";
import { playHistory } from "./history.ts";
import { unknownIn } from "./known-faults.ts";
import { PLANTED_FAULTS, type PlantedFault } from "./planted-faults.ts";
import { freshSeed, isNightly } from "./seed-plan.ts";

/** The seed that a fault names shows it at once; the others are for the day when a change of the relay has moved what that seed does. */
const HISTORIES_MAX = isNightly ? 2_000 : 50;

async function isFound({ breaks, shownBy, plant }: PlantedFault): Promise<boolean> {
  const base = isNightly ? freshSeed : shownBy;
  for (let seed = base; seed < base + HISTORIES_MAX; seed += 1) {
    const unknown = unknownIn(await playHistory(drawPlan(seed), plant()));
    if (unknown.some(({ invariant }) => breaks.includes(invariant))) return true;
  }
  return false;
}

// The histories are played before the first test is declared, for the reason that testSimulation gives.
const found = new Set<PlantedFault>();
for (const fault of PLANTED_FAULTS) if (await isFound(fault)) found.add(fault);

for (const fault of PLANTED_FAULTS) {
  test(`finds within ${HISTORIES_MAX} histories that ${fault.name}`, () => {
    assert.ok(
      found.has(fault),
      `Repeat it with: ${isNightly ? `TEST_LEVEL=nightly TEST_SEED=${freshSeed} ` : ""}npm test -- simulation/planted-faults`,
    );
  });
}

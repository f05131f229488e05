import assert from "node:assert/strict";
import { test } from "node:test";
import { runCampaign } from "./campaign.ts";
import { withoutGlobals } from "./globals.ts";

// The histories are played before the first test is declared, for the reason that testSimulation gives.
const { medianEvents, medianFaults } = await runCampaign(1, 15);

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

test("the median history has at least 100 events and 3 faults", () => {
  assert.ok(medianEvents >= 100, `${medianEvents} events`);
  assert.ok(medianFaults >= 3, `${medianFaults} faults`);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { runCampaign } from "./campaign.ts";
import type { Violation } from "./invariants/judge.ts";
import { knownFaultOf } from "./known-faults.ts";
import { PLANTED_FAULTS } from "./planted-faults.ts";

const FOUND_WITHIN_MS = 60_000;

for (const { name, breaks, plant } of PLANTED_FAULTS) {
  test(`finds within a minute that ${name}`, async () => {
    const base = Date.now() % 1_000_000_000;
    let found: Violation | null = null;
    const { seeds } = await runCampaign({
      base,
      forMs: FOUND_WITHIN_MS,
      historiesMax: Number.POSITIVE_INFINITY,
      twice: false,
      plant,
      played: ({ violations }) => {
        found = violations.find((violation) => breaks.includes(violation.invariant) && knownFaultOf(violation) === null) ?? null;
        return found !== null;
      },
    });
    assert.ok(found !== null, `${seeds} seeds from ${base} on found nothing`);
  });
}

import { drawPlan } from "./draw-plan.ts";
import { playHistory } from "./history.ts";
import type { Violation } from "./invariants/judge.ts";

export interface Campaign {
  histories: number;
  durationMs: number;
  medianEvents: number;
  medianFaults: number;
  counts: { readonly [what: string]: number };
  /** By seed, what was broken. */
  violations: { seed: number; violation: Violation }[];
}

/** Plays the histories of the seeds from `base` on. */
export async function runCampaign(base: number, count: number): Promise<Campaign> {
  const startedAtMs = performance.now();
  const counts = new Map<string, number>();
  const violations: Campaign["violations"] = [];
  const [events, faults]: [number[], number[]] = [[], []];
  for (let seed = base; seed < base + count; seed += 1) {
    const outcome = await playHistory(drawPlan(seed));
    for (const [what, times] of outcome.counts) counts.set(what, (counts.get(what) ?? 0) + times);
    for (const violation of outcome.violations) violations.push({ seed, violation });
    events.push(outcome.events);
    faults.push(outcome.plan.faults.length + outcome.plan.mishaps.length);
  }
  return {
    histories: count,
    durationMs: performance.now() - startedAtMs,
    medianEvents: median(events),
    medianFaults: median(faults),
    counts: Object.fromEntries(counts),
    violations,
  };
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((one, other) => one - other)[numbers.length >> 1] ?? 0;
}

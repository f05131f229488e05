import { drawPlan } from "./draw-plan.ts";
import { type Outcome, playHistory } from "./history.ts";
import type { Violation } from "./invariants/judge.ts";
import { NOTHING_PLANTED, type Plant } from "./plant.ts";

export interface CampaignOptions {
  /** The first seed; the others follow it. */
  base: number;
  /** Ends after so long on the machine's clock, or after so many histories. */
  forMs: number;
  historiesMax: number;
  /** What is planted, made anew for each history. */
  plant?(): Plant;
  /** True: each seed is played twice, and both have to give the same trace. */
  twice: boolean;
  /** Answers true where the campaign may end. */
  played?(outcome: Outcome): boolean;
}

export interface Campaign {
  seeds: number;
  /** Histories played, repetitions among them. */
  histories: number;
  durationMs: number;
  medianEvents: number;
  medianFaults: number;
  counts: { readonly [what: string]: number };
  /** By seed, what was broken. */
  violations: { seed: number; violation: Violation }[];
  /** Seeds of which two runs gave different traces. */
  unequal: number[];
}

/** Plays the histories of one seed after the other. */
export async function runCampaign(options: CampaignOptions): Promise<Campaign> {
  const { base, forMs, historiesMax, plant = () => NOTHING_PLANTED, twice, played = () => false } = options;
  const startedAtMs = performance.now();
  const counts = new Map<string, number>();
  const violations: Campaign["violations"] = [];
  const unequal: number[] = [];
  const [events, faults]: [number[], number[]] = [[], []];
  let histories = 0;
  let seed = base;
  for (; histories < historiesMax && performance.now() - startedAtMs < forMs; seed += 1) {
    const outcome = await playHistory(drawPlan(seed), plant());
    histories += 1;
    if (twice) {
      const again = await playHistory(drawPlan(seed), plant());
      histories += 1;
      if (again.hash !== outcome.hash) unequal.push(seed);
    }
    for (const [what, count] of outcome.counts) counts.set(what, (counts.get(what) ?? 0) + count);
    for (const violation of outcome.violations) violations.push({ seed, violation });
    events.push(outcome.events);
    faults.push(outcome.plan.faults.length + outcome.plan.mishaps.length);
    if (played(outcome)) {
      seed += 1;
      break;
    }
  }
  return {
    seeds: seed - base,
    histories,
    durationMs: performance.now() - startedAtMs,
    medianEvents: median(events),
    medianFaults: median(faults),
    counts: Object.fromEntries(counts),
    violations,
    unequal,
  };
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((one, other) => one - other)[numbers.length >> 1] ?? 0;
}

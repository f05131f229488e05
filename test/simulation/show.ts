/**
 * Plays one seed and prints its trace, and what it breaks:
 *
 *   node --import tsx test/simulation/show.ts SEED                     (or SEED/SALT)
 *   node --import tsx test/simulation/show.ts SEED "handed out once"   as short as it gets while it breaks that
 *   node --import tsx test/simulation/show.ts many BASE COUNT          what the seeds from BASE on break, and how many a minute that is
 */
import { runCampaign } from "./campaign.ts";
import { drawPlan, type Seed } from "./draw-plan.ts";
import { playHistory } from "./history.ts";
import { NOTHING_PLANTED } from "./plant.ts";
import { campaignText, historyText } from "./report.ts";
import { shrink } from "./shrink.ts";

const [what = "1", second, third] = process.argv.slice(2);
if (what === "many") await showMany(Number(second ?? "1"), Number(third ?? "500"));
else if (second === undefined) console.log(historyText(await playHistory(drawPlan(what))));
else await showShrunk(what, second);

async function showShrunk(seed: Seed, invariant: string): Promise<void> {
  const { plan, violations } = await playHistory(drawPlan(seed));
  const broken = violations.find((violation) => violation.invariant === invariant);
  if (broken === undefined) throw new Error(`seed ${seed} does not break "${invariant}"`);
  const short = await shrink(plan, broken.invariant, () => NOTHING_PLANTED);
  console.log(JSON.stringify(short, null, 1));
  console.log(historyText(await playHistory(short)));
}

async function showMany(base: number, count: number): Promise<void> {
  const campaign = await runCampaign(base, count);
  console.log(campaignText(campaign));
  const seedsOf = new Map<string, Set<number>>();
  for (const { seed, violation } of campaign.violations) {
    const { invariant, what: told } = violation;
    const name = invariant === "no defects" ? `${invariant}: ${told.replaceAll(/[0-9a-fA-F-]{36}/g, "...")}` : invariant;
    seedsOf.set(name, (seedsOf.get(name) ?? new Set()).add(seed));
  }
  for (const [name, seeds] of seedsOf) console.log(`BROKEN ${name}: by ${seeds.size} seeds (${[...seeds].slice(0, 12).join(" ")})`);
}

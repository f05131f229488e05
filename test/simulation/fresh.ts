/**
 * Plays fresh seeds, each twice, and prints the campaign as JSON: `node --import tsx test/simulation/fresh.ts BASE MILLISECONDS`. It ends at the first
 * seed that breaks what is not known. A process of its own, because the test runner watches every promise, which makes them take twice as long.
 */
import { runCampaign } from "./campaign.ts";
import { knownFaultOf } from "./known-faults.ts";

const [base = 1, forMs = 60_000] = process.argv.slice(2).map(Number);
const campaign = await runCampaign({
  base,
  forMs,
  historiesMax: Number.POSITIVE_INFINITY,
  twice: true,
  played: ({ violations }) => violations.some((violation) => knownFaultOf(violation) === null),
});
process.stdout.write(JSON.stringify(campaign));

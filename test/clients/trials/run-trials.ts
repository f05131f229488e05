import { after, describe, it } from "node:test";
import { skipReason } from "../../support/node/server-process.ts";
import { stopShared } from "./shared.ts";
import { type ClientTrial, TRIAL_GROUPS, type TrialGroup } from "./trial.ts";

/** Most of the time of an installation goes to the registries. */
const INSTALL_SIDE_BY_SIDE = 4;
const GROUPS_SIDE_BY_SIDE = 2;
/**
 * Of one group. They share a relay, which limits what one address asks for. Terminals have one address each for those that pay on them, and mostly let heart-beats
 * pass.
 */
const TRIALS_SIDE_BY_SIDE: { readonly [group in TrialGroup]: number } = {
  ClickHouse: 1,
  STOMP: 4,
  HTTP: 1,
  "HTTP signatures": 1,
  "OpenAPI generators": 1,
  "Model Context Protocol": 1,
};
/** The slowest takes a tenth of it on a quiet machine. */
const TRIAL_MS = 180_000;

type Preparation = { type: "installed" } | { type: "missing"; reason: string } | { type: "failed"; error: unknown };

export interface PreparedTrial {
  readonly trial: ClientTrial;
  readonly preparation: Preparation;
}

/** What a word on the command line is looked for in. */
export function nameOf({ group, client, version }: ClientTrial): string {
  return `${group} ${client} ${version}`.toLowerCase();
}

/** Installs what the trials need, several at once. Says how long each took that was not there yet. */
export async function prepareTrials(trials: readonly ClientTrial[]): Promise<PreparedTrial[]> {
  const prepared: PreparedTrial[] = [];
  const waiting = trials.entries();
  async function prepareNext(): Promise<void> {
    for (const [index, trial] of waiting) {
      const startedAtMs = performance.now();
      prepared[index] = { trial, preparation: await preparationOf(trial) };
      const seconds = Math.round((performance.now() - startedAtMs) / 1_000);
      if (seconds > 0) console.log(`# ${trial.client} ${trial.version} was prepared in ${seconds} s`);
    }
  }
  await Promise.all(Array.from({ length: INSTALL_SIDE_BY_SIDE }, prepareNext));
  return prepared;
}

async function preparationOf(trial: ClientTrial): Promise<Preparation> {
  try {
    const reason = await trial.prepare();
    return reason === null ? { type: "installed" } : { type: "missing", reason: `${trial.client} ${trial.version}: ${reason}` };
  } catch (error) {
    return { type: "failed", error };
  }
}

/** Tries it. Why it was not tried, where that is so on this machine; in CI that is a failure. */
export async function runTrial({ trial, preparation }: PreparedTrial): Promise<string | false> {
  if (preparation.type === "failed") throw preparation.error;
  const skip = skipReason(preparation);
  if (skip === false) await trial.run();
  return skip;
}

/** A test for each. One that cannot be tried on this machine is skipped with the reason, but fails in CI. */
export function describeTrials(prepared: readonly PreparedTrial[]): void {
  describe("clients of others, as infra/docs/clients.md lists them", { concurrency: GROUPS_SIDE_BY_SIDE }, () => {
    after(stopShared);
    for (const group of TRIAL_GROUPS) {
      const rows = prepared.filter(({ trial }) => trial.group === group);
      if (rows.length === 0) continue;
      describe(group, { concurrency: TRIALS_SIDE_BY_SIDE[group] }, () => {
        for (const { trial, preparation } of rows) {
          it(`${trial.client} ${trial.version}: ${trial.tried}`, { timeout: TRIAL_MS }, async (test) => {
            const skip = await runTrial({ trial, preparation });
            if (skip !== false) test.skip(skip);
          });
        }
      });
    }
  });
}

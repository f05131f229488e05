import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { type Installed, installDebianPackage } from "../../../infra/local/debian-package.ts";
import { skipReason } from "../../support/node/server-process.ts";
import { ALERTS } from "./rules.ts";

const TIMEOUT_MS = 60_000;

/** Minutes for which what was scraped last is repeated: longer than the longest `for` of a rule that tests ask for. */
const REPEATED_MINUTES = 15;

/** A line of the text format: the series as it is, and its value. */
const SAMPLE = /^([a-z_]\w*(?:\{.*\})?) (\S+)$/;

/** Samples of Prometheus that are times; promtool's clock begins at zero. */
const IS_TIME = /^\w+_timestamp_seconds\b/;

const run = promisify(execFile);

export async function installPromtool(): Promise<Installed<string>> {
  return installDebianPackage("promtool", ["--version"], "prometheus");
}

/** Why rules cannot be tested here, or false. */
export async function promtoolMissing(): Promise<string | false> {
  return skipReason(await installPromtool());
}

/** Rejects with what promtool says where it finds a fault. */
export async function promtool(...args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await run("promtool", [...args], { timeout: TIMEOUT_MS });
  return `${stdout}${stderr}`;
}

/**
 * Whether an alert fires where a node has answered these texts at `/metrics`, one a minute, and the last one for a quarter of an hour more. `nowMs` is when they
 * were scraped. Rejects where promtool finds a fault.
 */
export async function fires(alert: string, scrapes: readonly string[], nowMs: number): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "relay-rules-"));
  const file = join(folder, "test.yml");
  try {
    for (const expected of [1, 0]) {
      await writeFile(file, JSON.stringify(ruleTest(alert, seriesOf(scrapes, nowMs), expected)));
      const passed = await promtool("test", "rules", file).then(
        () => true,
        (error: unknown) => {
          // What else may be wrong is no answer.
          if (!String(error).includes("FAILED")) throw error;
          return false;
        },
      );
      if (passed) return expected === 1;
    }
    throw new Error(`${alert}: promtool finds it neither firing nor quiet`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Every series with its values over the scrapes, `_` where one has none. */
function seriesOf(scrapes: readonly string[], nowMs: number): { series: string; values: string }[] {
  const values = new Map<string, string[]>();
  for (const [index, text] of scrapes.entries()) {
    for (const line of text.split("\n")) {
      const [, series, value] = SAMPLE.exec(line) ?? [];
      if (series === undefined || value === undefined) continue;
      const known = values.get(series) ?? new Array<string>(scrapes.length).fill("_");
      known[index] = IS_TIME.test(series) ? String(Math.round(Number(value) - nowMs / 1_000)) : numberOf(value);
      values.set(series, known);
    }
  }
  return [...values].map(([series, known]) => {
    const last = known.at(-1) ?? "_";
    return { series: withJob(series), values: `${known.join(" ")} ${last}x${REPEATED_MINUTES}` };
  });
}

/** promtool's series have no exponents. */
function numberOf(value: string): string {
  return Number.isFinite(Number(value)) ? Number(value).toFixed(6) : "_";
}

/** As Prometheus has them by its scrape configuration. */
function withJob(series: string): string {
  return series.endsWith("}") ? `${series.slice(0, -1)},job="relay",instance="node"}` : `${series}{job="relay",instance="node"}`;
}

function ruleTest(alert: string, series: readonly { series: string; values: string }[], expected: number): object {
  return {
    rule_files: [resolve(ALERTS)],
    evaluation_interval: "30s",
    tests: [
      {
        interval: "1m",
        input_series: series,
        promql_expr_test: [
          {
            expr: `count(ALERTS{alertname="${alert}",alertstate="firing"}) or vector(0)`,
            eval_time: `${REPEATED_MINUTES}m`,
            exp_samples: [{ labels: "{}", value: expected }],
          },
        ],
      },
    ],
  };
}

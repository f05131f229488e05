/**
 * Runs the tests.
 *
 * - `npm test`: what a contributor runs. `npm test -- kv stomp` runs every file whose path contains one of the words, `npm test -- http '!http/web'` those
 *   without the second one.
 * - `npm run test:landing`: what `.ci/run` runs after the installation: the same, the checks of test/runner/suites.ts, and a sixth of the nightly suites.
 * - `npm run test:nightly`: everything, without a time limit.
 *
 * `--measure` writes what each job took into test/runner/costs.json, by which the jobs are put in order.
 */
import { mkdtemp } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { commandLine } from "../infra/command-line.ts";
import { type Cost, costOf, type Job, jobsOf, readCosts, sourcesOfTests, writeCosts } from "./runner/jobs.ts";
import { changedFiles, failingAfter, isTouched, readLanding, sixthOf, suitesOfSixth, writeLanding } from "./runner/landing.ts";
import { idleSeconds, reportAll, reportJob } from "./runner/report.ts";
import { type JobResult, runJob } from "./runner/run-job.ts";
import { runInOrder } from "./runner/schedule.ts";
import { CHECKS, groupOf, LANDING, NIGHTLY, type Suite, VARIANTS } from "./runner/suites.ts";
import { build, removeBuild } from "./support/node/build.ts";

type Level = "test" | "landing" | "nightly";

const command = commandLine("test")
  .description("Runs the tests.")
  .argument("[words...]", "only the files whose path contains one of them; !word leaves out those that contain it")
  .option("--landing", "what .ci/run runs")
  .option("--nightly", "everything")
  .option("--measure", "write what each job took into test/runner/costs.json")
  .parse();
const given = command.args;
const options = command.opts<{ landing?: boolean; nightly?: boolean; measure?: boolean }>();
const words = given.filter((word) => !word.startsWith("!"));
const without = given.filter((word) => word.startsWith("!")).map((word) => word.slice(1));
const level: Level = options.nightly ? "nightly" : options.landing ? "landing" : "test";

const costs = readCosts();
const files = sourcesOfTests()
  .filter((file) => file.endsWith(".test.ts"))
  .sort();
const suites = [...NIGHTLY, ...VARIANTS];
const jobs = words.length > 0 || without.length > 0 ? jobsOfWords() : jobsOfLevel(level);
if (jobs.length === 0) {
  console.error(`no test file matches: ${given.join(" ")}`);
  process.exit(1);
}
console.log(`# Node ${process.version}`);
process.exitCode = await runAll(jobs);

/** Words choose among all files, whatever their level is. */
function jobsOfWords(): Job[] {
  const chosen = files
    .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
    .filter((file) => !without.some((word) => file.includes(word)));
  return jobsOf(chosen, groupOf);
}

function jobsOfLevel(asked: Level): Job[] {
  const ofLanding = (file: string): boolean => LANDING.some((folder) => file.startsWith(folder));
  const usual = files.filter((file) => !NIGHTLY.some((suite) => suite.files.includes(file)));
  if (asked === "test")
    return jobsOf(
      usual.filter((file) => !ofLanding(file)),
      groupOf,
    );
  return [...jobsOf(usual, groupOf), ...CHECKS, ...(asked === "nightly" ? suites : nightlySuitesOfLanding())];
}

function nightlySuitesOfLanding(): Suite[] {
  const { counter, failing } = readLanding();
  const sixth = sixthOf(counter, process.env["CI_SIXTH"]);
  const dealt = new Set(
    suitesOfSixth(
      suites.filter((suite) => suite.isInSixths),
      (suite) => costOf(costs, suite).processorSeconds,
      sixth,
    ),
  );
  const changed = changedFiles();
  if (changed === null) console.log("# the history has no landing before this one: no suite runs because of what the change touches");
  const chosen = suites.flatMap((suite) => {
    if (dealt.has(suite)) return [{ suite, reason: `sixth ${sixth} of 6` }];
    if (failing.includes(suite.name)) return [{ suite, reason: "it failed when it ran last" }];
    if (changed !== null && isTouched(suite, changed)) return [{ suite, reason: "the change touches its subject" }];
    return [];
  });
  for (const { suite, reason } of chosen) console.log(`# nightly suite ${suite.name}: ${reason}`);
  return chosen.map(({ suite }) => suite);
}

/** Resolves with the exit code. */
async function runAll(chosen: readonly Job[]): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "relay-test-"));
  const abort = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => abort.abort());
  const [startedAt, idleAtStart] = [performance.now(), idleSeconds()];
  const results: JobResult[] = [];
  try {
    const environment = {
      ...process.env,
      // The landings, which run the simulations in turn, have less time than the night.
      TEST_SEEDS_SECONDS: process.env["TEST_SEEDS_SECONDS"] ?? (level === "nightly" ? "60" : "15"),
      ...(process.env["CI"] === undefined ? { TEST_INSTALLS_NOTHING: "1" } : {}),
      ...(chosen.some(startsNodes) ? { TEST_BUILD: await build(folder) } : {}),
    };
    await runInOrder(chosen, costs, cpus().length, abort.signal, async (job) => {
      const result = await runJob(job, environment, abort.signal);
      results.push(result);
      reportJob(result);
    });
  } finally {
    await removeBuild(folder);
  }
  const passed = (result: JobResult): boolean => result.failures.length === 0;
  const outcomes = new Map(
    results.filter(({ job }) => suites.some(({ name }) => name === job.name)).map((result) => [result.job.name, passed(result)]),
  );
  const landing = readLanding();
  const failing = failingAfter(landing.failing, outcomes);
  if (!abort.signal.aborted && failing.join() !== landing.failing.join()) writeLanding({ ...landing, failing });
  if (options.measure) {
    const measured = new Map<string, Cost>(results.filter(passed).map((result) => [result.job.name, result]));
    writeCosts(measured, costs, new Set([...jobsOf(files, groupOf), ...CHECKS, ...suites].map(({ name }) => name)));
  }
  reportAll(results, (performance.now() - startedAt) / 1_000, idleSeconds() - idleAtStart);
  return results.every(passed) && !abort.signal.aborted ? 0 : 1;
}

/** Suites that start hundreds of nodes and threads: from a build each takes a quarter of the time. */
function startsNodes({ files: own }: Job): boolean {
  return own.some((file) => /^test\/(clients|cluster|doors|fault|portal|proxies|scenario|secrets|tenancy|zvt)\//.test(file));
}

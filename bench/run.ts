import { mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCluster, runOnlyFeed } from "./cluster/run.ts";
import { forkChild } from "./load/child.ts";
import { collectionsEnvironment } from "./load/collections.ts";
import { startRelay } from "./load/relay.ts";
import { type RawPeer, type Round, runRound } from "./load/scenario.ts";
import { watchStolenTime } from "./load/stolen-time.ts";
import { copyStore, storeUuids } from "./load/stored-uuids.ts";
import type { LoadAnswer, LoadResult, LoadTask, StepsAnswer, StepsTask } from "./load/task.ts";
import { type BenchOptions, readOptions } from "./options.ts";
import { checkPeers } from "./peers/check.ts";
import { type ComparedRound, compareOnce } from "./peers/compare.ts";
import { prepareContenders } from "./peers/contenders.ts";
import { foreignCores, summarizeCompared, usageOfOne } from "./peers/summary.ts";
import { table, writeResults } from "./report.ts";
import { GOALS, summarize } from "./summary.ts";

async function main(options: BenchOptions): Promise<void> {
  if (options.onlyFeed) {
    const files = await runOnlyFeed(options, note);
    console.log(`\nwritten to ${files.join(" and ")}`);
    return;
  }
  if (options.cluster) {
    const files = await runCluster(options, note);
    console.log(`\nwritten to ${files.join(" and ")}`);
    return;
  }
  if (options.checkPeers) {
    await checkPeers(options.peers, note);
    return;
  }
  // Only this part needs the packages of bench/, so options are checked without them.
  const micro = options.micro ? await (await import("./micro/run.ts")).runMicro((name) => note(`micro: ${name}`)) : [];
  const stolen = watchStolenTime();
  const { rounds, compared } = options.load || options.compare ? await withStore(options) : { rounds: [], compared: [] };
  const results = { options, rounds, compared, micro, stolenShare: stolen() };
  console.log(table(summarize(rounds), summarizeCompared(compared), micro));
  const files = await writeResults(results);
  console.log(`\nwritten to ${files.join(" and ")}`);
}

/** Both kinds of load, on copies of one store. */
async function withStore(options: BenchOptions): Promise<{ rounds: Round[]; compared: ComparedRound[] }> {
  const work = await mkdtemp(join(tmpdir(), "relay-bench-"));
  const raw = forkChild<never, { port: number }>("peers/raw-uws.ts");
  try {
    const { port } = await raw.next();
    const store = options.storeDirectory ?? join(work, "stored");
    await fill(store, options.stored);
    const place = { options, work, store, raw: { pid: raw.pid, port } };
    return { rounds: options.load ? await runLoad(place) : [], compared: options.compare ? await runCompared(place) : [] };
  } finally {
    await raw.stop();
    await rm(work, { recursive: true, force: true });
  }
}

interface Place {
  options: BenchOptions;
  work: string;
  store: string;
  raw: RawPeer;
}

async function runCompared({ options, work, store, raw }: Place): Promise<ComparedRound[]> {
  const { peers, stored, seconds } = options;
  const contenders = await prepareContenders({ peers, work, filled: { store, stored }, note });
  const generator = forkChild<LoadTask, LoadAnswer>("load/generator.ts");
  const stepsGenerator = forkChild<StepsTask, StepsAnswer>("load/steps-generator.ts");
  try {
    const rounds: ComparedRound[] = [];
    for (let round = 1; round <= options.rounds; round += 1) {
      note(`round ${round} of ${options.rounds} of the relay and its peers`);
      const comparing = compareOnce({ contenders, raw, generator, stepsGenerator, work, round, seconds, progress: noteResult, note });
      // The others took minutes each; how many there were stands in the table.
      const compared = await comparing.catch((error: unknown) => note(`round ${round} is left out, it broke: ${String(error)}`));
      if (compared !== undefined) rounds.push(compared);
    }
    if (rounds.length === 0) throw new Error("no round of the relay and its peers came to its end");
    return rounds;
  } finally {
    await Promise.all([generator.stop(), stepsGenerator.stop()]);
  }
}

async function runLoad({ options, work, store, raw }: Place): Promise<Round[]> {
  const generator = forkChild<LoadTask, LoadAnswer>("load/generator.ts");
  try {
    const rounds: Round[] = [];
    for (let number = 1; number <= options.rounds; number += 1) {
      note(`round ${number} of ${options.rounds}: starting a relay`);
      rounds.push(await freshRound(join(work, `round-${number}`), store));
    }
    return rounds;

    async function freshRound(directory: string, filled: string): Promise<Round> {
      await copyStore(filled, join(directory, "state"));
      const collectionsFile = join(directory, "collections");
      const relay = await startRelay(directory, collectionsEnvironment(collectionsFile));
      try {
        const { seconds } = options;
        return await runRound({
          generator,
          raw,
          relay,
          directory,
          collectionsFile,
          slowPushMs: GOALS.pushP99Ms,
          seconds,
          progress: noteResult,
        });
      } finally {
        await relay.stop();
        await rm(directory, { recursive: true, force: true });
      }
    }
  } finally {
    await generator.stop();
  }
}

async function fill(directory: string, count: number): Promise<void> {
  const filled = await stat(directory).then(
    () => true,
    () => false,
  );
  if (filled) return;
  await mkdir(directory, { recursive: true });
  let shown = 0;
  await storeUuids(directory, count, (stored) => {
    const tenth = Math.floor((stored / count) * 10);
    if (tenth > shown) note(`storing random uuids: ${stored} of ${count}`);
    shown = tenth;
  });
}

function noteResult(what: string, result: LoadResult): void {
  const pushed = result.push === null ? "" : `, pushes p50 ${result.push.p50} ms p99 ${result.push.p99} ms`;
  const other = Object.keys(result.unexpected).length + result.missingPushes;
  const odd = other === 0 ? "" : `, unexpected: ${JSON.stringify({ ...result.unexpected, missingPushes: result.missingPushes })}`;
  const busy = result.server === null ? "" : `, serving thread ${percent(result.server.servingShare)} busy`;
  const { use, requests } = result;
  const servers = use === undefined ? null : usageOfOne(use, requests);
  const all =
    servers === null ? "" : `, ${servers.cpuMicros.toFixed(1)} µs of all processes, others ${percent(foreignCores(use))} of a core`;
  note(
    `${what}: ${Math.round(result.perSecond)}/s, p50 ${result.answer.p50} ms p99 ${result.answer.p99} ms${pushed}${busy}${all}, generator ${percent(result.generatorShare)}${odd}`,
  );
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}

/** Progress goes to standard error, the table to standard output. */
function note(text: string): void {
  console.error(text);
}

const startedMs = performance.now();
await main(readOptions(process.argv));
note(`took ${Math.round((performance.now() - startedMs) / 1_000)} s`);

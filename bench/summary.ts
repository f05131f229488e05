import type { Pair, Round } from "./load/scenario.ts";
import type { SlowPushes } from "./load/slow-pushes.ts";
import type { LoadResult } from "./load/task.ts";

/** Goals of the first benchmark. They are shown as met or not; nothing fails by them. */
export const GOALS = { getRatio: 0.6, payRatio: 0.25, pushP99Ms: 10 };

/** A kind of request on the relay and on the raw peer: medians over all rounds. */
export interface PairSummary {
  name: string;
  rawPerSecond: number;
  relayPerSecond: number;
  /** Median of the rounds' own ratios. */
  ratio: number;
  /** Time on a core that one request takes of the serving thread, raw to relay; holds on a busy machine too. Null where the system does not tell. */
  cpuRatio: number | null;
  rawCpuMicros: number | null;
  relayCpuMicros: number | null;
  p50Ms: number;
  p99Ms: number;
  /** Share of a core that the generator used against the raw peer: near 1 means that the peer could do more than is shown. */
  rawGeneratorShare: number;
  unexpected: number;
  /** Null where none was set. */
  goal: number | null;
  met: boolean | null;
}

export interface PushSummary {
  ratePerSecond: number;
  /** What was really answered each second: below the rate means that the relay did not keep up. */
  answeredPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  p999Ms: number;
  /** With what the generator itself was late. */
  fromDueP99Ms: number;
  answerP50Ms: number;
  answerP99Ms: number;
  latenessP99Ms: number;
  /** Of the disk by itself: one sync, of which a payment waits for one or two. */
  diskP50Ms: number;
  diskP99Ms: number;
  unexpected: number;
  goalP99Ms: number;
  met: boolean;
}

/** Of all rounds together; the first is a share of the pushes, the next four are shares of those that were slow (0 where none was). */
export interface SlowPushSummary {
  slow: number;
  besideCollection: number;
  besideStoreWork: number;
  besideBoth: number;
  besideNeither: number;
  collectionsPerSecond: number;
  meanCollectionMs: number;
  /** Share of the time. */
  storeWork: number;
}

export interface Summary {
  pairs: PairSummary[];
  push: PushSummary;
  slowPushes: SlowPushSummary;
}

/** Medians over rounds; null without rounds. */
export function summarize(rounds: readonly Round[]): Summary | null {
  if (rounds.length === 0) return null;
  const pair = (name: string, goal: number | null, of: (round: Round) => Pair) => summarizePair(name, goal, rounds.map(of));
  return {
    pairs: [
      pair("get, nothing waits, 64 connections", GOALS.getRatio, (round) => round.get),
      pair("get, the same of 100,000 terminals", null, (round) => round.fleet),
      pair("pay, 64 connections", GOALS.payRatio, (round) => round.pay[64]),
      pair("pay, 256 connections", GOALS.payRatio, (round) => round.pay[256]),
    ],
    push: summarizePush(rounds),
    slowPushes: summarizeSlowPushes(rounds.map(({ slowPushes }) => slowPushes)),
  };
}

function summarizePair(name: string, goal: number | null, pairs: readonly Pair[]): PairSummary {
  const ratio = median(pairs.map(({ raw, relay }) => relay.perSecond / raw.perSecond));
  const [rawCpuMicros, relayCpuMicros] = [cpuMicros(pairs.map(({ raw }) => raw)), cpuMicros(pairs.map(({ relay }) => relay))];
  return {
    name,
    rawPerSecond: median(pairs.map(({ raw }) => raw.perSecond)),
    relayPerSecond: median(pairs.map(({ relay }) => relay.perSecond)),
    ratio,
    cpuRatio: rawCpuMicros === null || relayCpuMicros === null ? null : rawCpuMicros / relayCpuMicros,
    rawCpuMicros,
    relayCpuMicros,
    p50Ms: median(pairs.map(({ relay }) => relay.answer.p50)),
    p99Ms: median(pairs.map(({ relay }) => relay.answer.p99)),
    rawGeneratorShare: median(pairs.map(({ raw }) => raw.generatorShare)),
    unexpected: sum(pairs.flatMap(({ raw, relay }) => [unexpectedOf(raw), unexpectedOf(relay)])),
    goal,
    met: goal === null ? null : ratio >= goal,
  };
}

function summarizePush(rounds: readonly Round[]): PushSummary {
  const push = (of: (result: LoadResult) => number) => median(rounds.map((round) => of(round.push)));
  const p99Ms = push((result) => result.push?.p99 ?? 0);
  return {
    ratePerSecond: median(rounds.map((round) => round.pushRatePerSecond)),
    answeredPerSecond: push((result) => result.perSecond),
    p50Ms: push((result) => result.push?.p50 ?? 0),
    p99Ms,
    p999Ms: push((result) => result.push?.p999 ?? 0),
    fromDueP99Ms: push((result) => result.pushFromDue?.p99 ?? 0),
    answerP50Ms: push((result) => result.answer.p50),
    answerP99Ms: push((result) => result.answer.p99),
    latenessP99Ms: push((result) => result.lateness?.p99 ?? 0),
    diskP50Ms: median(rounds.map(({ diskSync }) => diskSync.p50)),
    diskP99Ms: median(rounds.map(({ diskSync }) => diskSync.p99)),
    unexpected: sum(rounds.map((round) => unexpectedOf(round.push))),
    goalP99Ms: GOALS.pushP99Ms,
    met: p99Ms <= GOALS.pushP99Ms,
  };
}

/** Of all rounds together: there are few in each. */
export function summarizeSlowPushes(rounds: readonly SlowPushes[]): SlowPushSummary {
  const total = (of: (round: SlowPushes) => number) => sum(rounds.map(of));
  const slow = total(({ besideCollection, besideStoreWork, besideBoth, besideNeither }) =>
    sum([besideCollection, besideStoreWork, besideBoth, besideNeither]),
  );
  const ofSlow = (of: (round: SlowPushes) => number) => share(total(of), slow);
  const [seconds, collections] = [total((round) => round.seconds), total((round) => round.collections)];
  return {
    slow: share(
      slow,
      total(({ pushes }) => pushes),
    ),
    besideCollection: ofSlow((round) => round.besideCollection),
    besideStoreWork: ofSlow((round) => round.besideStoreWork),
    besideBoth: ofSlow((round) => round.besideBoth),
    besideNeither: ofSlow((round) => round.besideNeither),
    collectionsPerSecond: share(collections, seconds),
    meanCollectionMs: share(
      total((round) => round.collectionMs),
      collections,
    ),
    storeWork: share(
      total((round) => round.storeWorkMs),
      seconds * 1_000,
    ),
  };
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

/** Microseconds of the serving thread for each request. */
function cpuMicros(results: readonly LoadResult[]): number | null {
  const micros: number[] = [];
  for (const { server, perSecond } of results) {
    if (server === null) return null;
    micros.push((server.servingShare / perSecond) * 1e6);
  }
  return median(micros);
}

function unexpectedOf(result: LoadResult): number {
  return sum(Object.values(result.unexpected)) + result.missingPushes;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The middle value, or the mean of the two in the middle. */
export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = Number.NaN, high = Number.NaN] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}

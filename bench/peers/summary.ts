import { type TreesUse, WATCHER } from "../load/process-trees.ts";
import { LIFE_STEPS, type LoadResult, type StepResult } from "../load/task.ts";
import { median } from "../summary.ts";
import type { CaseName, ComparedRound, ContenderRound, Steps } from "./compare.ts";
import { type ContenderName, PEERS, RELAYS, relayLike } from "./names.ts";

/** Of the relay to the peer of that name, or of the relay by itself. They are shown as met or not; nothing fails by them. */
export const PEER_GOALS = {
  /** It does the same job as the relay. */
  beside: "fastify-rows",
  cpuRatio: 0.8,
  lifeP99Ratio: 1,
  lifeBytes: 3_000,
  pacedPayMicros: 150,
  startMs: 600,
} as const;

/** A measurement beside which something else ran for more of a core is left out, where there are others. */
export const FOREIGN_CORES_MAX = 0.1;

/** A kind of load on one contender: medians over its clean rounds. */
export interface CaseSummary {
  name: ContenderName;
  case: CaseName;
  rounds: number;
  /** Rounds beside which nothing else ran; where there is none, all are taken. */
  clean: number;
  perSecond: number;
  /** Time on a core of all its processes for one request, or life; null where the system does not tell. */
  cpuMicros: number | null;
  cpuMicrosByProcess: { [process: string]: number };
  bytes: number | null;
  p50Ms: number;
  p99Ms: number;
  /** Of lives, each step. */
  stepP99Ms: { [step: string]: number };
  /** Of the relay to this one, in the same round: medians. Null for the relay itself, and where the system does not tell. */
  relayCpuRatio: number | null;
  /**
   * The same ratio for the relay that does this contender's job, with rows in ClickHouse or without. It is null for relays, and if that relay was not measured.
   */
  sameJobCpuRatio: number | null;
  /** The longest p99 of a step (of other cases that of the answer), the same way. */
  relayP99Ratio: number | null;
  errors: number;
}

/** A step of lives that were taken step by step. */
export interface StepSummary {
  name: ContenderName;
  load: keyof ContenderRound["steps"];
  /** `pay`, `get`, `receipt`; `later` is what was done after the last one. */
  step: string;
  cpuMicros: number | null;
  cpuMicrosByProcess: { [process: string]: number };
  bytes: number | null;
  p99Ms: number | null;
}

export interface StartSummary {
  name: ContenderName;
  startMs: number;
  terminalBytes: number;
  /** Of all rounds. */
  logRewrites: number | null;
  rowsAfterMs: number | null;
}

export interface ComparedSummary {
  raw: { case: "get" | "pay"; perSecond: number; p99Ms: number; cpuMicros: number | null }[];
  cases: CaseSummary[];
  steps: StepSummary[];
  starts: StartSummary[];
  goals: GoalSummary[];
}

export interface GoalSummary {
  what: string;
  /** Null where it was not measured. */
  value: number | null;
  goal: number;
  met: boolean | null;
}

export const LATER = "later";

/** Medians over rounds; null without rounds. */
export function summarizeCompared(rounds: readonly ComparedRound[]): ComparedSummary | null {
  const [first] = rounds;
  if (first === undefined) return null;
  const names = first.contenders.map(({ name }) => name).sort((one, other) => ORDER.indexOf(one) - ORDER.indexOf(other));
  const cases = CASE_ORDER.flatMap((of) => names.map((name) => summarizeCase(rounds, name, of)));
  const starts = names.map((name) => summarizeStart(ofContender(rounds, name)));
  return {
    raw: (["get", "pay"] as const).map((of) =>
      summarizeRaw(
        rounds.map(({ raw }) => raw[of]),
        of,
      ),
    ),
    cases,
    steps: (["full", "paced"] as const).flatMap((load) => names.flatMap((name) => summarizeSteps(ofContender(rounds, name), load))),
    starts,
    goals: goalsOf(cases, starts),
  };
}

const ORDER: readonly ContenderName[] = [...RELAYS, ...PEERS];
const CASE_ORDER: readonly CaseName[] = ["life", "lifePaced", "push", "pushPaced", "pay", "payPaced", "get"];

function ofContender(rounds: readonly ComparedRound[], name: ContenderName): ContenderRound[] {
  return rounds.flatMap(({ contenders }) => contenders.filter((contender) => contender.name === name));
}

function summarizeCase(rounds: readonly ComparedRound[], name: ContenderName, of: CaseName): CaseSummary {
  const all = ofContender(rounds, name).map(({ cases }) => cases[of]);
  const taken = cleanOf(all);
  const uses = taken.map(usageOfResult);
  const ratio = (to: ContenderName, value: (result: LoadResult) => number | null) => {
    const pairs = rounds.flatMap(({ contenders }) => {
      const [relay, other] = [to, name].map((wanted) => contenders.find((contender) => contender.name === wanted)?.cases[of]);
      return relay === undefined || other === undefined || to === name ? [] : [{ relay, other }];
    });
    /** Only rounds that are clean on both sides, where there are some: a ratio is of one round. */
    const clean = pairs.filter(({ relay, other }) => isClean(relay) && isClean(other));
    return medianOf((clean.length > 0 ? clean : pairs).map(({ relay, other }) => quotient(value(relay), value(other))));
  };
  const cpuMicros = (result: LoadResult) => usageOfResult(result)?.cpuMicros ?? null;
  return {
    name,
    case: of,
    rounds: all.length,
    clean: all.filter(isClean).length,
    perSecond: median(taken.map(({ perSecond }) => perSecond)),
    cpuMicros: medianOf(uses.map((use) => use?.cpuMicros ?? null)),
    cpuMicrosByProcess: mediansByName(uses.map((use) => use?.cpuMicrosByProcess ?? {})),
    bytes: medianOf(uses.map((use) => use?.bytes ?? null)),
    p50Ms: median(taken.map(({ answer }) => answer.p50)),
    p99Ms: median(taken.map(({ answer }) => answer.p99)),
    stepP99Ms: mediansByName(taken.map(stepP99s)),
    relayCpuRatio: ratio("relay", cpuMicros),
    sameJobCpuRatio: RELAYS.some((relay) => relay === name) ? null : ratio(relayLike(name), cpuMicros),
    relayP99Ratio: ratio("relay", longestP99),
    errors: all.reduce((sum, result) => sum + errorsOf(result), 0),
  };
}

function summarizeSteps(contenders: readonly ContenderRound[], load: StepSummary["load"]): StepSummary[] {
  const all = contenders.map(({ steps }) => steps[load]);
  const [first] = contenders;
  if (first === undefined) return [];
  const { name } = first;
  const clean = all.filter(({ steps }) => steps.every(({ use }) => foreignCores(use) <= FOREIGN_CORES_MAX));
  const taken = clean.length > 0 ? clean : all;
  const summary = (step: string, of: (steps: Steps) => { use: TreesUse | null; requests: number; p99Ms: number | null }): StepSummary => {
    const measured = taken.map(of);
    const uses = measured.map(({ use, requests }) => usageOfOne(use, requests));
    return {
      name,
      load,
      step,
      cpuMicros: medianOf(uses.map((use) => use?.cpuMicros ?? null)),
      cpuMicrosByProcess: mediansByName(uses.map((use) => use?.cpuMicrosByProcess ?? {})),
      bytes: medianOf(uses.map((use) => use?.bytes ?? null)),
      p99Ms: medianOf(measured.map(({ p99Ms }) => p99Ms)),
    };
  };
  return [
    ...LIFE_STEPS.poll.map((step) =>
      summary(step, ({ steps }) => {
        const { use, requests, answer } = stepOf(steps, step);
        return { use, requests, p99Ms: answer.p99 };
      }),
    ),
    summary(LATER, ({ steps, rest }) => ({ use: rest, requests: stepOf(steps, "receipt").requests, p99Ms: null })),
  ];
}

function summarizeStart(contenders: readonly ContenderRound[]): StartSummary {
  const [first] = contenders;
  if (first === undefined) throw new Error("a contender without rounds");
  const rewrites = contenders.map(({ logRewrites }) => logRewrites);
  return {
    name: first.name,
    startMs: median(contenders.map(({ startMs }) => startMs)),
    terminalBytes: median(contenders.map(({ terminalBytes }) => terminalBytes)),
    logRewrites: rewrites.reduce((sum: number | null, count) => (sum === null || count === null ? null : sum + count), 0),
    rowsAfterMs: medianOf(contenders.map(({ rowsAfterMs }) => rowsAfterMs)),
  };
}

function summarizeRaw(results: readonly LoadResult[], of: "get" | "pay"): ComparedSummary["raw"][number] {
  return {
    case: of,
    perSecond: median(results.map(({ perSecond }) => perSecond)),
    p99Ms: median(results.map(({ answer }) => answer.p99)),
    cpuMicros: medianOf(results.map((result) => usageOfResult(result)?.cpuMicros ?? null)),
  };
}

function goalsOf(cases: readonly CaseSummary[], starts: readonly StartSummary[]): GoalSummary[] {
  const beside = (of: CaseName) => cases.find((summary) => summary.name === PEER_GOALS.beside && summary.case === of);
  const relay = (of: CaseName) => cases.find((summary) => summary.name === "relay" && summary.case === of);
  const goal = (what: string, value: number | null | undefined, most: number): GoalSummary => {
    const measured = value ?? null;
    return { what, value: measured, goal: most, met: measured === null ? null : measured <= most };
  };
  return [
    goal("CPU a life by poll, relay to Fastify with rows", beside("life")?.sameJobCpuRatio, PEER_GOALS.cpuRatio),
    goal("CPU a life by push, relay to Fastify with rows", beside("push")?.sameJobCpuRatio, PEER_GOALS.cpuRatio),
    goal("CPU a payment, relay to Fastify with rows", beside("pay")?.sameJobCpuRatio, PEER_GOALS.cpuRatio),
    goal("p99 of the slowest step, relay to Fastify with rows", beside("life")?.relayP99Ratio, PEER_GOALS.lifeP99Ratio),
    goal("bytes written a life by poll", relay("life")?.bytes, PEER_GOALS.lifeBytes),
    goal("CPU µs a payment at 1,000 a second", relay("payPaced")?.cpuMicros, PEER_GOALS.pacedPayMicros),
    goal("ms from the start to the first payment, from a build", starts.find(({ name }) => name === "relay")?.startMs, PEER_GOALS.startMs),
  ];
}

/** The cores that others than the servers and the generator had meanwhile; 0 where the system does not tell. */
export function foreignCores(use: TreesUse | null | undefined): number {
  if (use === null || use === undefined) return 0;
  const ours = Object.values(use.processes).reduce((sum, { cpuMs }) => sum + cpuMs, 0);
  return (use.machineBusyMs - ours) / (use.seconds * 1_000);
}

export interface UsageOfOne {
  cpuMicros: number;
  cpuMicrosByProcess: { [process: string]: number };
  bytes: number;
}

function usageOfResult({ use, requests }: LoadResult): UsageOfOne | null {
  return usageOfOne(use ?? null, requests);
}

/** Of one request, without the generator. */
export function usageOfOne(use: TreesUse | null, requests: number): UsageOfOne | null {
  if (use === null || requests === 0) return null;
  const servers = Object.entries(use.processes).filter(([name]) => name !== WATCHER);
  const cpuMicrosByProcess = Object.fromEntries(servers.map(([name, { cpuMs }]) => [name, (cpuMs * 1_000) / requests]));
  return {
    cpuMicros: Object.values(cpuMicrosByProcess).reduce((sum, micros) => sum + micros, 0),
    cpuMicrosByProcess,
    bytes: servers.reduce((sum, [, { writtenBytes }]) => sum + writtenBytes, 0) / requests,
  };
}

function isClean({ use }: LoadResult): boolean {
  return foreignCores(use) <= FOREIGN_CORES_MAX;
}

function cleanOf(results: readonly LoadResult[]): readonly LoadResult[] {
  const clean = results.filter(isClean);
  return clean.length > 0 ? clean : results;
}

function stepP99s({ steps = {} }: LoadResult): { [step: string]: number } {
  return Object.fromEntries(Object.entries(steps).map(([step, { p99 }]) => [step, p99]));
}

function longestP99(result: LoadResult): number {
  const steps = Object.values(stepP99s(result));
  return steps.length === 0 ? result.answer.p99 : Math.max(...steps);
}

function stepOf(steps: readonly StepResult[], wanted: string): StepResult {
  const found = steps.find(({ step }) => step === wanted);
  if (found === undefined) throw new Error(`no step ${wanted} was measured`);
  return found;
}

function errorsOf({ unexpected, missingPushes }: LoadResult): number {
  return Object.values(unexpected).reduce((sum, count) => sum + count, missingPushes);
}

function quotient(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one / other;
}

/** Null where one of them is. */
function medianOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length < values.length || known.length === 0 ? null : median(known);
}

function mediansByName(values: readonly { [name: string]: number }[]): { [name: string]: number } {
  const names = new Set(values.flatMap((value) => Object.keys(value)));
  return Object.fromEntries([...names].map((name) => [name, median(values.map((value) => value[name] ?? 0))]));
}

import { PACED_PER_SECOND } from "./compare.ts";
import { CONTENDER_LABELS } from "./names.ts";
import type { CaseSummary, ComparedSummary, StepSummary } from "./summary.ts";

/** What was measured, each table as rows of cells with a head. */
export function comparedTables({ raw, cases, steps, starts, goals }: ComparedSummary): string[][][] {
  const rate = PACED_PER_SECOND.toLocaleString("en");
  const lives = cases.filter(({ case: of }) => LIVES.includes(of));
  const requests = cases.filter(({ case: of }) => !LIVES.includes(of));
  return [
    [LIFE_HEAD, ...lives.map((life) => lifeRow(life, rate))],
    [STEP_HEAD, ...steps.map((step) => stepRow(step, rate))],
    [
      REQUEST_HEAD,
      ...raw.map(({ case: of, perSecond, p99Ms, cpuMicros }) => [
        `${of}: raw uWebSockets.js`,
        whole(perSecond),
        micros(cpuMicros),
        "",
        "",
        "",
        p99Ms.toFixed(2),
        "",
        "",
        "",
        "",
      ]),
      ...requests.map((request) => requestRow(request, rate)),
    ],
    [
      START_HEAD,
      ...starts.map(({ name, startMs, terminalBytes, logRewrites, rowsAfterMs }) => [
        CONTENDER_LABELS[name],
        whole(startMs),
        (terminalBytes / 1_024).toFixed(1),
        rowsAfterMs === null ? "no rows" : whole(rowsAfterMs),
        logRewrites === null ? "" : whole(logRewrites),
      ]),
    ],
    [
      GOAL_HEAD,
      ...goals.map(({ what, value, goal, met }) => [
        what,
        value === null ? "" : value < 10 ? value.toFixed(2) : whole(value),
        `≤ ${goal}`,
        met === null ? "not measured" : met ? "met" : "not met",
      ]),
    ],
  ];
}

const LIVES: readonly string[] = ["life", "lifePaced", "push", "pushPaced"];

const LIFE_HEAD = [
  "a whole life",
  "/s",
  "CPU µs",
  "of it",
  "relay to it",
  "same job",
  "pay p99 ms",
  "get or push p99 ms",
  "receipt p99 ms",
  "slowest step, relay to it",
  "KB written",
  "clean rounds",
  "errors",
];

function lifeRow(life: CaseSummary, rate: string): string[] {
  const { stepP99Ms } = life;
  const p99 = (...names: string[]) => names.map((name) => stepP99Ms[name]?.toFixed(2)).find((text) => text !== undefined) ?? "";
  return [
    `${nameOfCase(life.case, rate)}: ${CONTENDER_LABELS[life.name]}`,
    whole(life.perSecond),
    micros(life.cpuMicros),
    byProcess(life.cpuMicrosByProcess),
    ratio(life.relayCpuRatio),
    ratio(life.sameJobCpuRatio),
    p99("pay"),
    p99("get", "push"),
    p99("receipt"),
    ratio(life.relayP99Ratio),
    kilobytes(life.bytes),
    `${life.clean} of ${life.rounds}`,
    whole(life.errors),
  ];
}

const STEP_HEAD = ["a life step by step", "CPU µs", "of it", "p99 ms", "KB written"];

function stepRow({ name, load, step, cpuMicros, cpuMicrosByProcess, p99Ms, bytes }: StepSummary, rate: string): string[] {
  return [
    `${load === "full" ? "64 connections" : `${rate} a second`}, ${step}: ${CONTENDER_LABELS[name]}`,
    micros(cpuMicros),
    byProcess(cpuMicrosByProcess),
    p99Ms?.toFixed(2) ?? "",
    kilobytes(bytes),
  ];
}

const REQUEST_HEAD = [
  "",
  "/s",
  "CPU µs",
  "of it",
  "relay to it",
  "same job",
  "p99 ms",
  "p99, relay to it",
  "KB written",
  "clean rounds",
  "errors",
];

function requestRow(request: CaseSummary, rate: string): string[] {
  return [
    `${nameOfCase(request.case, rate)}: ${CONTENDER_LABELS[request.name]}`,
    whole(request.perSecond),
    micros(request.cpuMicros),
    byProcess(request.cpuMicrosByProcess),
    ratio(request.relayCpuRatio),
    ratio(request.sameJobCpuRatio),
    request.p99Ms.toFixed(2),
    ratio(request.relayP99Ratio),
    kilobytes(request.bytes),
    `${request.clean} of ${request.rounds}`,
    whole(request.errors),
  ];
}

const START_HEAD = ["", "start to first payment ms", "KB an idle terminal", "rows after ms", "logs written anew"];
const GOAL_HEAD = ["goals", "measured", "goal", ""];

function nameOfCase(of: CaseSummary["case"], rate: string): string {
  return {
    life: "by poll, 64 connections",
    lifePaced: `by poll, ${rate} a second`,
    push: "by push, 64 connections",
    pushPaced: `by push, ${rate} a second`,
    pay: "pay, 64 connections",
    payPaced: `pay, ${rate} a second`,
    get: "get, nothing waits, 64 connections",
  }[of];
}

/** Those that took a tenth of a microsecond at least. */
function byProcess(processes: { [name: string]: number }): string {
  return Object.entries(processes)
    .filter(([, used]) => used >= 0.1)
    .map(([name, used]) => `${name} ${used.toFixed(1)}`)
    .join(" + ");
}

function micros(value: number | null): string {
  return value?.toFixed(1) ?? "";
}

function ratio(value: number | null): string {
  return value?.toFixed(2) ?? "";
}

function kilobytes(bytes: number | null): string {
  return bytes === null ? "" : (bytes / 1_000).toFixed(2);
}

function whole(number: number): string {
  return Math.round(number).toLocaleString("en");
}

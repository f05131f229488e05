import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { runCommand } from "../../infra/local/run-command.ts";
import type { AskedChild } from "../load/child.ts";
import { readTrees, residentBytes, watchTrees } from "../load/process-trees.ts";
import type { LoadAnswer, LoadResult, LoadTask, StepsAnswer, StepsTask } from "../load/task.ts";
import { openSessions, type TerminalSession } from "../load/terminal-session.ts";
import { API_KEY, clientAddress, terminalId } from "../load/terminals.ts";
import type { Contender, ReadyContender } from "./contenders.ts";
import type { ContenderName } from "./names.ts";
import { logRewrites } from "./redis-store.ts";
import { untilRowsAreStored } from "./rows.ts";

/** As fast as it goes, and as a shop of some size asks. */
const CONNECTIONS = 64;
const PACED_CONNECTIONS = 512;
export const PACED_PER_SECOND = 1_000;

/** Terminals that are connected in each measurement that pushes. */
const SESSIONS = 5_000;
const STEPPED_LIVES = 8_000;
const REST_MS = 1_500;

/** Times the length of a measurement. A program that has just started is slow, and one of Java for much longer. */
const FIRST_WARM_UP_FACTOR = { relay: 4, "relay-no-rows": 4, fastify: 4, "fastify-rows": 4, "fastify-redis": 4, spring: 15 };
const WARM_UP_FACTOR = 1;
const PACED_WARM_UP_FACTOR = 0.5;
/** Rare things as a table that is written out have to happen in a measurement as often as they do. */
const LONG_FACTOR = 2;

/** Of terminals that idle: those that are opened first make room that later ones find. */
const FIRST_SESSIONS = 1_000;
const MORE_SESSIONS = 5_000;
const SETTLE_MS = 4_000;
const COLLECT_MS = 20_000;

const FIRST_PAY_MAX_MS = 60_000;
const FIRST_PAY_LOOK_MS = 5;

/** What a start leaves behind is waited for, but not for ever on a busy machine. */
const QUIET_CORES = 0.2;
const QUIET_MAX_MS = 30_000;

export const CASES = ["get", "life", "lifePaced", "push", "pushPaced", "pay", "payPaced"] as const;
export type CaseName = (typeof CASES)[number];

export interface ContenderRound {
  name: ContenderName;
  /** From the start of its processes on an empty folder to the answer of its first payment. */
  startMs: number;
  /** Of all its processes, for each more terminal that is connected and idles. */
  terminalBytes: number;
  cases: Record<CaseName, LoadResult>;
  /** Lives step by step: at full load and on the schedule. */
  steps: { full: Steps; paced: Steps };
  /** Of a Redis; null without one. */
  logRewrites: number | null;
  /** Of a relay: how long after the last life its row was in ClickHouse, at full load; null of others. */
  rowsAfterMs: number | null;
}

export type Steps = Omit<Extract<StepsAnswer, { type: "steps" }>, "type">;

export interface ComparedRound {
  /** One thread of uWebSockets.js, which does nothing with a request. */
  raw: Record<"get" | "pay", LoadResult>;
  contenders: ContenderRound[];
}

export interface CompareOptions {
  contenders: readonly ReadyContender[];
  raw: { pid: number; port: number };
  generator: AskedChild<LoadTask, LoadAnswer>;
  stepsGenerator: AskedChild<StepsTask, StepsAnswer>;
  /** For their data, which is removed. */
  work: string;
  /** Turns the order. */
  round: number;
  seconds: number;
  progress(what: string, result: LoadResult): void;
  note(text: string): void;
}

/** One round: each contender by itself, freshly started, in an order that the round's number turns. */
export async function compareOnce(options: CompareOptions): Promise<ComparedRound> {
  const { contenders, raw, round } = options;
  const rawTree = { port: raw.port, pid: raw.pid, trees: [{ name: "node", pid: raw.pid, children: "node" }] };
  const measureRaw = loadOf(options, { ...rawTree, label: "raw" });
  const ms = options.seconds * 1_000;
  const warm = { connections: CONNECTIONS, warmUpMs: ms * WARM_UP_FACTOR, measureMs: ms };
  const rawResults = {
    get: await measureRaw("get", { kind: "get", sleeps: true, ...warm }),
    pay: await measureRaw("pay", { kind: "pay", ...warm }),
  };
  const results: ContenderRound[] = [];
  for (let turn = 0; turn < contenders.length; turn += 1) {
    const contender = contenders[(turn + round) % contenders.length];
    if (contender !== undefined) results.push(await compareOne(options, contender));
  }
  return { raw: rawResults, contenders: results };
}

async function compareOne(options: CompareOptions, ready: ReadyContender): Promise<ContenderRound> {
  const directory = join(options.work, `${ready.name}-${options.round}`);
  try {
    const idle = await measureStart(join(directory, "empty"), ready);
    options.note(
      `${ready.name}: first payment after ${Math.round(idle.startMs)} ms, ${Math.round(idle.terminalBytes / 102.4) / 10} KB a terminal`,
    );
    const contender = await ready.start(join(directory, "filled"), "filled");
    try {
      await quiet();
      return { name: ready.name, ...idle, ...(await measureLoads(options, contender)) };
    } finally {
      await contender.stop();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function measureStart(directory: string, ready: ReadyContender): Promise<{ startMs: number; terminalBytes: number }> {
  const startedMs = performance.now();
  const contender = await ready.start(directory, "empty");
  const sessions: TerminalSession[] = [];
  let lost: Error | null = null;
  const failed = (error: Error) => {
    lost ??= error;
  };
  try {
    while ((await firstPay(contender.port)) !== 200) {
      if (performance.now() - startedMs > FIRST_PAY_MAX_MS) throw new Error(`${ready.name} takes no payment`);
      await delay(FIRST_PAY_LOOK_MS);
    }
    const startMs = performance.now() - startedMs;
    const ids = Array.from({ length: FIRST_SESSIONS + MORE_SESSIONS }, (_, index) => terminalId("connected", index));
    await openSessions(contender.port, ids.slice(0, FIRST_SESSIONS), sessions, () => ({ pushed: () => {}, failed }));
    const first = await settledBytes(contender);
    await openSessions(contender.port, ids.slice(FIRST_SESSIONS), sessions, () => ({ pushed: () => {}, failed }));
    const all = await settledBytes(contender);
    if (lost !== null) throw lost;
    return { startMs, terminalBytes: (all - first) / MORE_SESSIONS };
  } finally {
    for (const session of sessions) session.close();
    await contender.stop();
  }
}

async function firstPay(port: number): Promise<number> {
  const headers = {
    "API-Key": API_KEY,
    "Content-Type": "application/json",
    "X-Forwarded-For": clientAddress(Math.floor(Math.random() * 1e6)),
  };
  const body = JSON.stringify({ uuid: randomUUID(), amount: 1_000, service: "PAYCC" });
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/Q00000001/pay`, { method: "POST", headers, body }).catch(() => null);
  await response?.arrayBuffer();
  return response?.status ?? 0;
}

async function settledBytes(contender: Contender): Promise<number> {
  await delay(SETTLE_MS);
  // A heap of Java grows as far as it may, whatever is in use of it.
  if (contender.name === "spring") await runCommand("jcmd", [String(contender.pid), "GC.run"], COLLECT_MS);
  return residentBytes(contender.trees);
}

async function measureLoads(
  options: CompareOptions,
  contender: Contender,
): Promise<Omit<ContenderRound, "name" | "startMs" | "terminalBytes">> {
  const ms = options.seconds * 1_000;
  const measure = loadOf(options, { ...contender, label: contender.name });
  const full = { connections: CONNECTIONS, warmUpMs: ms * WARM_UP_FACTOR, measureMs: ms * LONG_FACTOR };
  const paced = { ...full, connections: PACED_CONNECTIONS, warmUpMs: ms * PACED_WARM_UP_FACTOR, ratePerSecond: PACED_PER_SECOND };
  const first = { warmUpMs: ms * FIRST_WARM_UP_FACTOR[contender.name] };
  const byPoll = { kind: "life", channel: "poll" } as const;
  const byPush = { kind: "life", channel: "push", sessions: SESSIONS } as const;
  const pays = { kind: "pay", sessions: SESSIONS } as const;

  const get = await measure("get", { kind: "get", sleeps: true, ...full, measureMs: ms });
  const life = await measure("life by poll", { ...byPoll, ...full, ...first });
  const endedMs = performance.now();
  const rowsAfterMs = contender.name === "relay" ? await untilRowsAreStored(contender.port).then(() => performance.now() - endedMs) : null;
  const fullSteps = await steps(options, contender, { lives: STEPPED_LIVES, connections: CONNECTIONS, ratePerSecond: null });
  const lifePaced = await measure("life by poll, paced", { ...byPoll, ...paced });
  const pacedSteps = await steps(options, contender, {
    lives: PACED_PER_SECOND * Math.ceil(options.seconds),
    connections: CONNECTIONS,
    ratePerSecond: PACED_PER_SECOND,
  });
  const push = await measure("life by push", { ...byPush, ...full });
  const pushPaced = await measure("life by push, paced", { ...byPush, ...paced });
  // Last: what nobody takes expires after a minute, thousands a second.
  const pay = await measure("pay", { ...pays, ...full });
  const payPaced = await measure("pay, paced", { ...pays, ...paced });
  return {
    cases: { get, life, lifePaced, push, pushPaced, pay, payPaced },
    steps: { full: fullSteps, paced: pacedSteps },
    logRewrites: contender.redisPort === null ? null : await logRewrites(contender.redisPort),
    rowsAfterMs,
  };
}

type Measured = Partial<LoadTask> & Pick<LoadTask, "kind" | "connections" | "warmUpMs" | "measureMs">;

/** Tasks of one server, whose phases are counted. */
function loadOf(
  { generator, progress }: CompareOptions,
  { port, pid, trees, label }: Pick<Contender, "port" | "pid" | "trees"> & { label: string },
): (what: string, task: Measured) => Promise<LoadResult> {
  let phase = 0;
  return async (what, task) => {
    phase += 1;
    const answer = await generator.ask({
      port,
      serverPid: pid,
      servingThread: null,
      sessions: 0,
      ratePerSecond: null,
      phase,
      trees,
      ...task,
    });
    if (answer.type === "failed") throw new Error(`${label}, ${what}: ${answer.reason}`);
    progress(`${label} ${what}`, answer.result);
    return answer.result;
  };
}

async function steps(
  { stepsGenerator }: CompareOptions,
  { name, port, trees }: Contender,
  load: Pick<StepsTask, "lives" | "connections" | "ratePerSecond">,
): Promise<Steps> {
  const answer = await stepsGenerator.ask({ port, trees, restMs: REST_MS, ...load });
  if (answer.type === "failed") throw new Error(`${name}, step by step: ${answer.reason}`);
  return { steps: answer.steps, rest: answer.rest };
}

/** Waits until the machine does little, or no longer. */
async function quiet(): Promise<void> {
  const giveUpAt = performance.now() + QUIET_MAX_MS;
  while (readTrees([]) !== null && performance.now() < giveUpAt) {
    const used = watchTrees([]);
    await delay(1_000);
    const use = used();
    if (use === null || use.machineBusyMs / (use.seconds * 1_000) < QUIET_CORES) return;
  }
}

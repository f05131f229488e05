import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AskedChild } from "./child.ts";
import { readCollections } from "./collections.ts";
import { measureDiskSync } from "./disk-sync.ts";
import type { RunningRelay } from "./relay.ts";
import type { LatencySummary } from "./samples.ts";
import { type SlowPushes, sortSlowPushes } from "./slow-pushes.ts";
import { readStoreWork } from "./store-work.ts";
import type { LoadAnswer, LoadResult, LoadTask } from "./task.ts";
import { FLEET_TERMINALS, POLLING_TERMINALS } from "./terminals.ts";

/** Connections of the two saturations: few tills in step, and many that crowd. */
export const CONNECTIONS = [64, 256] as const;
export type Connections = (typeof CONNECTIONS)[number];

/**
 * Terminals that are connected over WebSocket in each measurement of payments. New ones each time, so that few payments wait for a result on one: none of
 * them answers, and a record with a dozen of commands, which no till has, is long to write. With 3,000, each of which then got one a second, a payment
 * cost a tenth more (five runs in turn).
 */
const SESSIONS = 9_000;

/** Connections that are there for payments on a schedule; one that waits holds no other up. */
const PACED_CONNECTIONS = 512;

/**
 * A program that has just started is slow: each kind of request runs so much longer before it is first measured. Payments that are measured second
 * by second take a third less time after nine seconds than after three, when much of their path has not been compiled.
 */
const FIRST_WARM_UP_FACTOR = 3;
const WARM_UP_FACTOR = 0.4;

/** The raw peer and the relay, measured one right after the other, so that their ratio holds while the machine's speed drifts. */
export interface Pair {
  raw: LoadResult;
  relay: LoadResult;
}

export interface Round {
  get: Pair;
  pay: Record<Connections, Pair>;
  /** Payments at half of what the relay has just taken. */
  push: LoadResult;
  pushRatePerSecond: number;
  /** What else the relay did while pushes were slow. */
  slowPushes: SlowPushes;
  /** What the disk by itself takes, right after that. */
  diskSync: LatencySummary;
  /** Polls as before, of more terminals: what a relay keeps of each is no longer near the processor. */
  fleet: Pair;
}

export interface RawPeer {
  pid: number;
  port: number;
}

export interface RoundOptions {
  generator: AskedChild<LoadTask, LoadAnswer>;
  raw: RawPeer;
  relay: RunningRelay;
  /** The relay's data. */
  directory: string;
  /** Where the relay writes when its heap is collected (collections.ts). */
  collectionsFile: string;
  /** Pushes that take longer are slow. */
  slowPushMs: number;
  seconds: number;
  progress(what: string, result: LoadResult): void;
}

/**
 * One round on a relay that has just started. From the first payment to the end are some 50 s: after 60 those that nobody took expire, thousands a second,
 * which is not what any of this measures.
 */
export async function runRound({
  generator,
  raw,
  relay,
  directory,
  collectionsFile,
  slowPushMs,
  seconds,
  progress,
}: RoundOptions): Promise<Round> {
  let phase = 0;
  /** By process: polls keep no thread busy but the one that serves, so the first measurement tells which one that is. */
  const servingThreads = new Map<number, string>();
  async function measure(what: string, target: { pid: number; port: number }, task: Partial<LoadTask> & Pick<LoadTask, "kind">) {
    return (await answerOf(what, target, task)).result;
  }

  async function answerOf(what: string, target: { pid: number; port: number }, task: Partial<LoadTask> & Pick<LoadTask, "kind">) {
    phase += 1;
    const answer = await generator.ask({
      port: target.port,
      serverPid: target.pid,
      servingThread: servingThreads.get(target.pid) ?? null,
      connections: CONNECTIONS[0],
      sessions: 0,
      ratePerSecond: null,
      warmUpMs: seconds * 1_000 * WARM_UP_FACTOR,
      measureMs: seconds * 1_000,
      phase,
      ...task,
    });
    if (answer.type === "failed") throw new Error(`${what}: ${answer.reason}`);
    const { server } = answer.result;
    if (server !== null) servingThreads.set(target.pid, server.thread);
    progress(what, answer.result);
    return answer;
  }
  const firstWarmUpMs = seconds * 1_000 * FIRST_WARM_UP_FACTOR;

  async function pair(kind: LoadTask["kind"], connections: Connections, first: boolean, terminals = POLLING_TERMINALS): Promise<Pair> {
    const warmUp = first ? { warmUpMs: firstWarmUpMs } : {};
    const fleet = terminals === POLLING_TERMINALS ? "" : `, ${terminals} terminals`;
    return {
      raw: await measure(`raw ${kind} ${connections}${fleet}`, raw, { kind, connections, terminals }),
      relay: await measure(`relay ${kind} ${connections}${fleet}`, relay, {
        kind,
        connections,
        terminals,
        ...warmUp,
        sessions: kind === "pay" ? SESSIONS : 0,
      }),
    };
  }

  const get = await pair("get", 64, true);
  const pay = { 64: await pair("pay", 64, true), 256: await pair("pay", 256, false) };
  const ratePerSecond = Math.round(Math.max(pay[64].relay.perSecond, pay[256].relay.perSecond) / 2);
  const pushed = await answerOf("relay pay, half load", relay, {
    kind: "pay",
    connections: PACED_CONNECTIONS,
    sessions: SESSIONS,
    ratePerSecond,
    slowMs: slowPushMs,
    measureMs: seconds * 2_000,
  });
  const diskSync = await measureDiskSync(directory, seconds * 1_000);
  const { result: push, startedAtMs, slowPushes: slow } = pushed;
  const slowPushes = sortSlowPushes(
    { startedAtMs, seconds: push.seconds, pushes: push.push?.count ?? 0, slow },
    await readCollections(collectionsFile),
    readStoreWork(await readFile(join(directory, "state", "LOG"), "utf8")),
  );
  const fleet = await pair("get", 64, true, FLEET_TERMINALS);
  return { get, pay, push, pushRatePerSecond: ratePerSecond, slowPushes, diskSync, fleet };
}

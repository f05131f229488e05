import type { Failed } from "./answer-tasks.ts";
import type { TreeRoot, TreesUse } from "./process-trees.ts";
import type { LatencySummary } from "./samples.ts";
import type { ThreadLoad } from "./thread-load.ts";

/**
 * What a request is: a terminal's poll, or a partner's payment (the raw peer gets the same bytes); or a payment's whole life, which is several requests, each sent
 * when the one before is answered.
 */
export type RequestKind = "get" | "pay" | "life";

/** How a payment comes to its terminal: it asks for it, or is connected over WebSocket. */
export type Channel = "poll" | "push";

/** What a life waits for, in turn: the payment's answer, the command at the terminal, and that its result is stored. */
export const LIFE_STEPS: Record<Channel, readonly string[]> = { poll: ["pay", "get", "receipt"], push: ["pay", "push", "receipt"] };

/** What the load generator is asked to do, one task at a time. */
export interface LoadTask {
  kind: RequestKind;
  port: number;
  /** The server's process, whose threads are watched while it is measured. */
  serverPid: number;
  /** Which of them serves; null until it is known, then the busiest is taken for it. */
  servingThread: string | null;
  /** Of polls: how many terminals poll in turn; POLLING_TERMINALS where absent. */
  terminals?: number;
  /** Keep-alive connections. */
  connections: number;
  /** Terminals that are connected over WebSocket and get a quarter of the payments, or all of them in lives by push; 0 for none. */
  sessions: number;
  /** Of lives. */
  channel?: Channel;
  /** Processes whose use is told; none where absent. */
  trees?: readonly TreeRoot[];
  /** Polls: the generator sleeps while it waits, which leaves its core to servers of two processes. */
  sleeps?: boolean;
  /** Where they are connected, where that is another node. */
  sessionsPort?: number;
  /** Null: each connection sends its next request when it has the answer. Else requests leave on a fixed schedule. */
  ratePerSecond: number | null;
  /** Pushes that take longer than this many milliseconds are told one by one; none are where absent. */
  slowMs?: number;
  warmUpMs: number;
  measureMs: number;
  /** Distinct for all tasks of one relay: terminals that are connected, and uuids, are not used again. */
  phase: number;
}

export interface LoadResult {
  seconds: number;
  /** Answered within the measured time; of lives those that ended. */
  requests: number;
  perSecond: number;
  /** From the moment the request was written, or began to wait for a free connection, to its answer. */
  answer: LatencySummary;
  /** From the same moment to its frame at the terminal; null without sessions. */
  push: LatencySummary | null;
  /** The same from the moment it was due: what the generator itself was late is in it. Null without a schedule. */
  pushFromDue: LatencySummary | null;
  /** Payments to connected terminals that were answered 200 but whose frame did not come. */
  missingPushes: number;
  /** How late requests left against the schedule; null without one. */
  lateness: LatencySummary | null;
  /** Answers other than the expected one, by status. */
  unexpected: { [status: string]: number };
  /** Share of a core that the generator used. */
  generatorShare: number;
  /** Null where the system does not tell. */
  server: ThreadLoad | null;
  /** Of lives, how long each step took. */
  steps?: { [step: string]: LatencySummary };
  /** Of the processes that were asked for; null where the system does not tell. */
  use?: TreesUse | null;
}

/** Lives taken step by step: the first step of all of them, then the second. What a step costs is told apart so. */
export interface StepsTask {
  port: number;
  connections: number;
  /** At most POLLING_TERMINALS: each has a terminal of its own. */
  lives: number;
  ratePerSecond: number | null;
  /** Watched so long after the last step: what a server does later, as rows for ClickHouse. */
  restMs: number;
  trees: readonly TreeRoot[];
}

export interface StepResult {
  step: string;
  requests: number;
  perSecond: number;
  answer: LatencySummary;
  use: TreesUse | null;
  /** Answers other than 200. */
  unexpected: number;
}

/** A push that took longer than asked for. */
export interface SlowPush {
  /** When its payment was written, or began to wait for a free connection; milliseconds since 1970. */
  atMs: number;
  ms: number;
}

/** One kind of load as the generator answers it, or why it could not be measured. */
export type LoadAnswer = { type: "measured"; result: LoadResult; startedAtMs: number; slowPushes: SlowPush[] } | Failed;

export type StepsAnswer = { type: "steps"; steps: StepResult[]; rest: TreesUse | null } | Failed;

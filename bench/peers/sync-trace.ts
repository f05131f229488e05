import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { hasProgram } from "../../infra/local/run-command.ts";
import type { TreeRoot } from "../load/process-trees.ts";

/** What a step comes by, as a system call reads it. The simulated terminal of a relay's sandbox polls between the steps. */
const ARRIVED = /"(?:POST|GET) \/api\/v1\/(?!SIM)|SEND\\ndestination:\/app\//;
/** What tells that a step is done: to the caller, or to the terminal. The RECEIPT of a SUBSCRIBE has no number. */
const ANSWERED = /^(?:write|writev|sendto|sendmsg)\(.*(?:"HTTP\/1\.1 200|RECEIPT\\nreceipt-id:\d|MESSAGE\\n)/;
/** In what was read: the payment that the step is of; a poll is of the one before. */
const UUID_READ = /^(?:read|readv|recvfrom|recvmsg|<\.\.\. \w+ resumed>).*uuid\\":\\"([0-9a-f-]{36})/;
/** The log of LevelDB, or of Redis. */
const LOG_WRITTEN = /^(?:write|pwrite64|writev)\(\d+<([^>]*(?:\/\d+\.log|\.aof))>/;
const SYNC_CALLED = /^f(?:data)?sync\(\d+<([^>]*)>/;
const SYNC_RESUMED = /^<\.\.\. f(?:data)?sync resumed>/;

const CALLS = "read,readv,recvfrom,recvmsg,write,pwrite64,writev,sendto,sendmsg,fdatasync,fsync";
/** Of each call's text: more than any request, or entry of a log. */
const TEXT_BYTES_MAX = 16_384;
const ATTACH_MAX_MS = 20_000;
const LOOK_MS = 50;

export interface SyncedAnswers {
  answers: number;
  /** Of them, how many left before what was written of their payment to the log, since the request came, was synced; or where nothing was. */
  unsynced: number;
}

/** Starts to watch the system calls of these processes; the answer tells them, in their order. Rejects where that is not permitted. */
export async function traceCalls(roots: readonly TreeRoot[], file: string): Promise<() => Promise<string[]>> {
  if (!(await hasProgram("strace", ["-V"]))) throw new Error("strace is not installed");
  const pids = roots.flatMap(({ pid }) => ["-p", String(pid)]);
  const strace = spawn("strace", ["-f", "-y", "-s", String(TEXT_BYTES_MAX), "-e", `trace=${CALLS}`, "-o", file, ...pids], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  strace.stderr.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-4_000);
  });
  const giveUpAt = performance.now() + ATTACH_MAX_MS;
  const isAttached = () => roots.every(({ pid }) => new RegExp(`Process ${pid} attached`).test(said));
  while (!isAttached()) {
    if (strace.exitCode !== null || performance.now() > giveUpAt) throw new Error(`strace could not attach: ${said.trim()}`);
    await delay(LOOK_MS);
  }
  return async () => {
    const ended = once(strace, "exit");
    // It lets the processes go, which go on.
    strace.kill("SIGINT");
    await ended;
    return (await readFile(file, "utf8")).split("\n");
  };
}

/**
 * Reads calls of steps that were asked for one after the other: an answer is synced where, between the request and it, something of its payment was written to the
 * log, and a sync of that log began after that and ended. What is written there meanwhile for other reasons does not count.
 */
export function syncedAnswers(calls: readonly string[]): SyncedAnswers {
  let [answers, unsynced] = [0, 0];
  let uuid: string | null = null;
  let written: string | null = null;
  let isSynced = false;
  /** Syncs that have begun since the log was written, by thread. */
  const syncing = new Set<string>();
  const begin = (log: string | null): void => {
    written = log;
    isSynced = false;
    syncing.clear();
  };
  for (const line of calls) {
    const [, thread = "", call = ""] = /^(\d+) +(.*)$/.exec(line) ?? [];
    if (ANSWERED.test(call)) {
      answers += 1;
      if (!isSynced) unsynced += 1;
      continue;
    }
    if (ARRIVED.test(call)) begin(null);
    uuid = UUID_READ.exec(call)?.[1] ?? uuid;
    const log = LOG_WRITTEN.exec(call)?.[1];
    if (log !== undefined && uuid !== null && call.includes(uuid)) begin(log);
    else if (written !== null && SYNC_CALLED.exec(call)?.[1] === written) {
      if (call.includes("<unfinished")) syncing.add(thread);
      else if (call.endsWith("= 0")) isSynced = true;
    } else if (SYNC_RESUMED.test(call) && syncing.delete(thread) && call.endsWith("= 0")) isSynced = true;
  }
  return { answers, unsynced };
}

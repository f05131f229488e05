import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { ROOT } from "../root.ts";

/** The slowest is a Redis that reads a few million keys. */
const START_MAX_MS = 120_000;
const STOP_MAX_MS = 30_000;

/** A process that this run started; it is ended by its own handle. */
export interface Child {
  readonly pid: number;
  /** Ends it (SIGTERM, and SIGKILL where that takes too long) and waits until it is gone. */
  stop(): Promise<void>;
}

/** A child that answers questions, one at a time. */
export interface AskedChild<Question, Answer> extends Child {
  /** Rejects when the child ends instead of answering. */
  ask(question: Question): Promise<Answer>;
  /** The next message that it sends by itself. */
  next(): Promise<Answer>;
}

/** Forks a TypeScript file of this folder. */
export function forkChild<Question extends object, Answer>(file: string): AskedChild<Question, Answer> {
  const child = fork(`${ROOT}bench/${file}`, { cwd: ROOT, execArgv: ["--import", "tsx"], stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const next = async (): Promise<Answer> => (await orEnd(child, file, once(child, "message")))[0];
  return {
    ...childOf(child),
    next,
    ask: (question) => {
      const answer = next();
      child.send(question);
      return answer;
    },
  };
}

export interface ProgramOptions {
  environment: NodeJS.ProcessEnv;
  /** Of a line of its output: the program is ready. */
  ready: RegExp;
  folder?: string;
}

/** Starts a file of the project (or of another checkout, `root`) under plain node and waits for the first line of its output that matches; answers with the match. */
export function startAndWait(
  file: string,
  { root = ROOT, arguments: more = [], ...options }: Omit<ProgramOptions, "folder"> & { root?: string; arguments?: readonly string[] },
): Promise<{ child: Child; match: RegExpExecArray }> {
  return startProgram(process.execPath, ["--import", "tsx", file, ...more], { ...options, folder: root });
}

/** The same with any program. */
export async function startProgram(
  program: string,
  args: readonly string[],
  { environment, ready, folder = ROOT }: ProgramOptions,
): Promise<{ child: Child; match: RegExpExecArray }> {
  const child = spawn(program, args, { cwd: folder, env: environment, stdio: ["ignore", "pipe", "inherit"] });
  let timer: NodeJS.Timeout | undefined;
  const found = new Promise<RegExpExecArray>((resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${program} was not ready within ${START_MAX_MS / 1_000} s`)), START_MAX_MS);
    // Goes on reading, or the child would wait for room in the pipe.
    createInterface({ input: child.stdout }).on("line", (line) => {
      const match = ready.exec(line);
      if (match !== null) resolve(match);
    });
  });
  try {
    return { match: await orEnd(child, [program, ...args].join(" "), found), child: childOf(child) };
  } catch (error) {
    if (child.pid !== undefined) await childOf(child).stop();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function childOf(child: ChildProcess): Child {
  const { pid } = child;
  if (pid === undefined) throw new Error("a process could not be started");
  return {
    pid,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MAX_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

async function orEnd<T>(child: ChildProcess, name: string, work: Promise<T>): Promise<T> {
  const stop = new AbortController();
  const ended = once(child, "exit", { signal: stop.signal }).then(([code]) => {
    throw new Error(`${name} ended with ${code}`);
  });
  ended.catch(() => {});
  try {
    return await Promise.race([work, ended]);
  } finally {
    stop.abort();
  }
}

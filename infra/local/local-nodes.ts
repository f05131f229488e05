import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const ROOT = resolve(import.meta.dirname, "../..");

/** A drain takes at most 40 s (infra/node/main.ts); then the node ends itself. */
const END_MAX_MS = 60_000;
/** Longer than a node tries to start beside a Redis that keeps it waiting. */
const READY_MAX_MS = 120_000;
const ASK_AGAIN_MS = 100;

export interface LocalNodesOptions {
  /** Of the nodes, in their order: the first is node-1. */
  ports: readonly number[];
  /** A folder a node in it: data, process id and log. */
  directory: string;
  /** Of all nodes, beyond what tells them apart. */
  environment: { readonly [name: string]: string | undefined };
  /** A node ended that nobody has stopped. */
  died(node: string, how: string, logFile: string): void;
}

/** Nodes of a cluster on this machine. Numbers begin with 1. */
export interface LocalNodes {
  /** Starts all of them; they are ready a while later. */
  start(): void;
  /**
   * Drains a node, waits for its end, and starts it again; one that has ended is just started. Resolves when it is ready. Rejects where it does not end or start
   * in time, and while all are being stopped; what it does meanwhile is told.
   */
  restart(number: number, tell: (what: string) => void): Promise<void>;
  /** Drains all of them; resolves when they have ended. None is started afterwards. */
  stop(): Promise<void>;
  /** Ends those that run at once. */
  kill(): void;
}

export function createLocalNodes({ ports, directory, environment, died }: LocalNodesOptions): LocalNodes {
  const alive = new Map<number, ChildProcess>();
  /** A second signal would end it at once. */
  const drained = new Set<ChildProcess>();
  let stopping = false;

  function startOne(number: number): ChildProcess {
    const folder = resolve(directory, `node-${number}`);
    mkdirSync(folder, { recursive: true });
    const logFile = join(folder, "log");
    const log = openSync(logFile, "a", 0o600);
    const child = spawn(process.execPath, ["--import", "tsx", "infra/node/main.ts"], {
      cwd: ROOT,
      stdio: ["ignore", log, log],
      // A process group of its own: the terminal tells Ctrl-C to this program alone, and a node that is told twice ends at once.
      detached: true,
      env: { ...environment, RELAY_PORT: String(ports[number - 1]), RELAY_NODE_ID: `node-${number}`, RELAY_DATA_DIR: folder },
    });
    closeSync(log);
    alive.set(number, child);
    writeFileSync(join(folder, "pid"), `${child.pid}\n`);
    child.on("exit", (code, signal) => {
      alive.delete(number);
      if (!drained.delete(child)) died(`node-${number}`, String(signal ?? code), logFile);
    });
    return child;
  }

  function drain(child: ChildProcess): Promise<string> {
    const ended = endOf(child);
    if (!drained.has(child)) child.kill("SIGTERM");
    drained.add(child);
    return ended;
  }

  async function end(number: number, child: ChildProcess, tell: (what: string) => void): Promise<void> {
    tell(`node-${number} drains`);
    const how = await Promise.race([drain(child), delay(END_MAX_MS, null, { ref: false })]);
    if (how === null) throw new Error(`node-${number} did not end within ${END_MAX_MS / 1_000} s`);
    tell(`node-${number} has ended (${how})`);
  }

  async function ready(number: number, child: ChildProcess): Promise<void> {
    const giveUpAt = performance.now() + READY_MAX_MS;
    while (!(await isReady(ports[number - 1] ?? 0))) {
      if (!isRunning(child)) throw new Error(`node-${number} ended before it was ready; see its log`);
      if (performance.now() > giveUpAt) throw new Error(`node-${number} was not ready within ${READY_MAX_MS / 1_000} s; see its log`);
      await delay(ASK_AGAIN_MS);
    }
  }

  return {
    start: () => {
      for (const index of ports.keys()) startOne(index + 1);
    },
    restart: async (number, tell) => {
      if (ports[number - 1] === undefined) throw new Error(`there is no node ${number}: they are 1 to ${ports.length}`);
      const child = alive.get(number);
      if (child !== undefined && !stopping) await end(number, child, tell);
      if (stopping) throw new Error("the cluster is being stopped");
      tell(`node-${number} starts`);
      await ready(number, startOne(number));
      tell(`node-${number} is ready`);
    },
    stop: async () => {
      stopping = true;
      await Promise.all([...alive.values()].map(drain));
    },
    kill: () => {
      for (const child of alive.values()) child.kill("SIGKILL");
    },
  };
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

async function endOf(child: ChildProcess): Promise<string> {
  if (isRunning(child)) await once(child, "exit");
  return String(child.signalCode ?? child.exitCode);
}

function isReady(port: number): Promise<boolean> {
  return new Promise((answered) => {
    const request = get({ host: "127.0.0.1", port, path: "/health/ready", agent: false, timeout: 1_000 }, (response) => {
      response.resume();
      answered(response.statusCode === 200);
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => answered(false));
  });
}

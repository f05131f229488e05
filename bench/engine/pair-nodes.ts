import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { forkChild } from "../load/child.ts";
import { type TreesUse, WATCHER } from "../load/process-trees.ts";
import { buildRelay, type RunningRelay, startBuiltRelay } from "../load/relay.ts";
import type { StepsAnswer, StepsTask } from "../load/task.ts";
import { untilRowsAreStored } from "../peers/rows.ts";

/** Two checkouts' whole nodes, which take lives in turn. */
export interface NodePairTask {
  /** Folders of the checkouts, in the order in which their nodes are started. */
  roots: readonly [string, string];
  /** Measured slices of each. */
  slices: number;
  lives: number;
  connections: number;
}

/** What a life takes of all processes of a node, slice by slice. */
export interface NodeLives {
  /** Microseconds on a core. */
  micros: number[];
  microsByStep: { [step: string]: number[] };
  bytes: number[];
}

export type NodePairAnswer = readonly [NodeLives, NodeLives];

/** The rows of a slice are in ClickHouse long before. */
const REST_MS = 1_500;

/** Slices of each before any counts. */
const WARM_UP_SLICES = 4;

/** Both nodes run all the time; while one is asked the other idles. Throws where a life goes wrong, or the system does not tell of processes. */
export async function measureNodes({ roots, slices, lives, connections }: NodePairTask): Promise<NodePairAnswer> {
  const work = await mkdtemp(join(tmpdir(), "relay-bench-pair-"));
  const generator = forkChild<StepsTask, StepsAnswer>("load/steps-generator.ts");
  const nodes: RunningRelay[] = [];
  try {
    for (const [index, root] of roots.entries()) {
      const folder = join(work, String(index));
      nodes.push(await startBuiltRelay(await buildRelay(folder, root), join(folder, "data")));
    }
    const [first, second] = nodes;
    if (first === undefined || second === undefined) throw new Error("no node was started");
    const both = [
      { node: first, taken: emptyLives() },
      { node: second, taken: emptyLives() },
    ] as const;
    for (let slice = 0; slice < WARM_UP_SLICES + slices; slice += 1) {
      for (const { node, taken } of slice % 2 === 0 ? both : both.toReversed()) {
        const trees = [{ name: "node", pid: node.pid, children: "node" }];
        const answer = await generator.ask({ port: node.port, connections, lives, ratePerSecond: null, restMs: REST_MS, trees });
        if (answer.type === "failed") throw new Error(answer.reason);
        await untilRowsAreStored(node.port);
        if (slice >= WARM_UP_SLICES) addSlice(taken, answer, lives);
      }
    }
    return [both[0].taken, both[1].taken];
  } finally {
    await Promise.all([generator.stop(), ...nodes.map((node) => node.stop())]);
    await rm(work, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

export function emptyLives(): NodeLives {
  return { micros: [], microsByStep: {}, bytes: [] };
}

/** Adds what one slice of `lives` took. Throws where one of them went wrong, or the system does not tell. */
export function addSlice(taken: NodeLives, { steps, rest }: Extract<StepsAnswer, { type: "steps" }>, lives: number): void {
  const unexpected = steps.reduce((sum, step) => sum + step.unexpected, 0);
  if (unexpected > 0) throw new Error(`${unexpected} requests were not answered 200`);
  let [micros, bytes] = [0, 0];
  for (const { step, use } of [...steps, { step: "later", use: rest }]) {
    const used = ofServer(use);
    const ofLife = (used.cpuMs * 1_000) / lives;
    taken.microsByStep[step] = [...(taken.microsByStep[step] ?? []), ofLife];
    micros += ofLife;
    bytes += used.writtenBytes / lives;
  }
  taken.micros.push(micros);
  taken.bytes.push(bytes);
}

function ofServer(use: TreesUse | null): { cpuMs: number; writtenBytes: number } {
  if (use === null) throw new Error("this system does not tell what processes use");
  const servers = Object.entries(use.processes).filter(([name]) => name !== WATCHER);
  return {
    cpuMs: servers.reduce((sum, [, { cpuMs }]) => sum + cpuMs, 0),
    writtenBytes: servers.reduce((sum, [, { writtenBytes }]) => sum + writtenBytes, 0),
  };
}

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openEngine, terminalIds } from "../engine/payments.ts";
import { buildRelay, startBuiltRelay } from "../load/relay.ts";
import { openSessions, type TerminalSession } from "../load/terminal-session.ts";
import { terminalId } from "../load/terminals.ts";

/** Those that are opened first make room that later ones find. */
const FIRST_SESSIONS = 2_000;
/** Until what the start has left is collected. */
const SETTLE_MS = 10_000;
const AT_ONCE = 256;

export interface NodeMemoryResult {
  /** Resident memory of the node's process, without the ClickHouse beside it, bytes. */
  session: { sessions: number; processBytes: number; bytes: number };
  /** Of the engine's heap, collected, bytes for each. */
  heap: { what: string; count: number; bytes: number }[];
}

/** `sessions` terminals over STOMP at a whole node; then `actors` terminals of the engine alone, in this process, which has to have been started with --expose-gc. */
export async function measureNodeMemory(sessions: number, actors: number, note: (text: string) => void): Promise<NodeMemoryResult> {
  const session = await measureSessions(sessions);
  note(`a terminal over STOMP: ${session.bytes.toFixed(0)} bytes of the node`);
  return { session, heap: await measureHeap(actors, note) };
}

async function measureSessions(count: number): Promise<NodeMemoryResult["session"]> {
  const directory = await mkdtemp(join(tmpdir(), "relay-bench-scaling-"));
  // A build: what the sources' loader has left would be collected meanwhile.
  const relay = await startBuiltRelay(await buildRelay(directory), join(directory, "node"));
  const open: TerminalSession[] = [];
  let lost: Error | null = null;
  const failed = (error: Error) => {
    lost ??= error;
  };
  const resident = async (): Promise<number> => {
    await delay(SETTLE_MS);
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${relay.pid}/status`, "utf8"))?.[1]) * 1_024;
  };
  const ids = Array.from({ length: FIRST_SESSIONS + count }, (_, index) => terminalId("connected", index));
  try {
    await openSessions(relay.port, ids.slice(0, FIRST_SESSIONS), open, () => ({ pushed: () => {}, failed }));
    const first = await resident();
    await openSessions(relay.port, ids.slice(FIRST_SESSIONS), open, () => ({ pushed: () => {}, failed }));
    const processBytes = await resident();
    if (lost !== null) throw lost;
    return { sessions: count, processBytes, bytes: (processBytes - first) / count };
  } finally {
    for (const session of open) session.close();
    await relay.stop();
    await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

async function measureHeap(count: number, note: (text: string) => void): Promise<NodeMemoryResult["heap"]> {
  const engine = await openEngine();
  const heap: NodeMemoryResult["heap"] = [];
  // Twice as many: the first half makes room that the second one finds.
  const ids = terminalIds(2 * count);
  const [warm, measured] = [ids.slice(0, count), ids.slice(count)];
  async function step(what: string, work: (id: string) => Promise<void>): Promise<void> {
    await all(warm, work);
    const before = heapBytes();
    await all(measured, work);
    const bytes = (heapBytes() - before) / count;
    heap.push({ what, count, bytes });
    note(`${what}: ${bytes.toFixed(0)} bytes of the heap`);
  }
  try {
    await step("a terminal in memory for which nothing waits", engine.wholeLife);
    await step("the first command that waits for it", engine.pay);
    await step("another command that waits for it", engine.pay);
  } finally {
    await engine.close();
  }
  return heap;
}

function heapBytes(): number {
  if (globalThis.gc === undefined) throw new Error("memory is measured under --expose-gc");
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function all(ids: readonly string[], work: (id: string) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let id = ids[next++]; id !== undefined; id = ids[next++]) await work(id);
    }),
  );
}

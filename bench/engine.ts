/**
 * Payments through the engine and the embedded store alone, in this process: no sockets, no other process, so that two versions of the engine can be
 * told apart within seconds. Run as `npm run bench:engine -- [seconds] [at once] [terminals]`.
 */
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PerformanceObserver } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { RelayError } from "../engine/domain/errors.ts";
import { createSendPayment, type SendPayment } from "../engine/operations/send-payment.ts";
import type { Bus } from "../engine/ports/bus.ts";
import { createPresenceTable } from "../engine/runtime/presence-table.ts";
import type { TerminalProtocol } from "../engine/runtime/protocol.ts";
import { createShard } from "../engine/runtime/terminals.ts";
import { createWaitingCounters, waitingCountersBuffer } from "../engine/runtime/waiting-counters.ts";
import { type EmbeddedKv, openEmbeddedKv } from "../storage/kv/embedded.ts";
import { createPresenceStore } from "../storage/stores/presence-store.ts";
import { COMMANDS, createTerminalStore } from "../storage/stores/terminal-store.ts";
import { watchThreads } from "./load/thread-load.ts";

const SECONDS = 10;
const AT_ONCE = 64;
/** Each is paid at in turn, and none polls: their commands wait. */
const TERMINALS = 200_000;
const RETENTION_MS = 86_400_000;

const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };

/** The only shard has nobody to ask. */
const alone: Bus<TerminalProtocol> = {
  self: "shard-0",
  shards: ["shard-0"],
  ask: () => Promise.reject(new RelayError("unavailable", "There is one shard")),
  tell: () => {},
  serve: () => {},
};

function paymentsOver(kv: EmbeddedKv): SendPayment {
  const { terminals } = createShard({
    nodeId: "bench",
    store: createTerminalStore({ kv, nowMs: clock.nowMs, retentionMs: RETENTION_MS, writer: "bench" }),
    presences: createPresenceStore(kv),
    table: createPresenceTable(clock),
    waiting: createWaitingCounters(waitingCountersBuffer()),
    clock,
    bus: alone,
    failed: (what, error) => console.error(what, error),
    finished: () => {},
  });
  return createSendPayment({ terminals, clock, ids: { uuid: randomUUID } });
}

function bodyOf(uuid: string): unknown {
  return JSON.parse(`{"uuid":"${uuid}","amount":1000,"service":"PAYCC","type":"CARD","cardType":0,"description":"Order 004711, table 12"}`);
}

function heapBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

async function main([seconds = SECONDS, atOnce = AT_ONCE, terminals = TERMINALS]: number[]): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "relay-bench-engine-"));
  const kv = await openEmbeddedKv({ directory, nowMs: clock.nowMs, mostlyAbsentPrefix: COMMANDS });
  let collectedMs = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) collectedMs += entry.duration;
  }).observe({ entryTypes: ["gc"] });
  const pay = paymentsOver(kv);
  const ids = Array.from({ length: terminals }, (_, index) => `BENCH${String(index).padStart(8, "0")}`);
  const before = heapBytes();
  let payments = 0;
  let running = true;
  const payers = Array.from({ length: atOnce }, async () => {
    while (running) {
      payments += 1;
      await pay({ type: "administrator", username: "bench" }, ids[payments % ids.length] ?? "", bodyOf(randomUUID()));
    }
  });
  for (let second = 1; second <= seconds; second += 1) {
    const [paidBefore, collectedBefore] = [payments, collectedMs];
    const watched = watchThreads(process.pid, String(process.pid));
    await delay(1_000);
    const paid = payments - paidBefore;
    const load = watched();
    const thread = load === null ? "" : `, ${((load.servingShare * 1e6) / paid).toFixed(1)} µs of the thread`;
    const all = load === null ? "" : `, ${((load.processShare * 1e6) / paid).toFixed(1)} µs of all threads`;
    console.log(`${second}: ${paid}/s${thread}${all}, of it ${(((collectedMs - collectedBefore) * 1e3) / paid).toFixed(1)} µs collecting`);
  }
  running = false;
  await Promise.all(payers);
  console.log(`${((heapBytes() - before) / payments).toFixed(0)} bytes kept for each of ${payments} that wait`);
  await kv.close();
  await rm(directory, { recursive: true, force: true });
}

await main(process.argv.slice(2).map(Number));

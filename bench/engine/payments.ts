import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Caller } from "../../engine/domain/caller.ts";
import { RelayError } from "../../engine/domain/errors.ts";

const RETENTION_MS = 86_400_000;

const CALLER: Caller = { type: "administrator", username: "bench" };

const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };

/** The engine and its embedded store, alone in this process. */
export interface PaidEngine {
  /** One payment, durable once it resolves; its terminal never polls. */
  pay(terminalId: string): Promise<void>;
  /** Ends it, and removes its data. */
  close(): Promise<void>;
}

/** Starts the engine whose sources lie in the checkout at `root`, which may be of another version than this file. */
export async function openEngine(root: string): Promise<PaidEngine> {
  const load = (file: string) => import(pathToFileURL(join(root, file)).href);
  const { createSendPayment }: typeof import("../../engine/operations/send-payment.ts") = await load("engine/operations/send-payment.ts");
  const { createPresenceTable }: typeof import("../../engine/runtime/presence-table.ts") = await load("engine/runtime/presence-table.ts");
  const { createShard }: typeof import("../../engine/runtime/terminals.ts") = await load("engine/runtime/terminals.ts");
  const counters: typeof import("../../engine/runtime/waiting-counters.ts") = await load("engine/runtime/waiting-counters.ts");
  const { openEmbeddedKv }: typeof import("../../storage/kv/embedded.ts") = await load("storage/kv/embedded.ts");
  const { createPresenceStore }: typeof import("../../storage/stores/presence-store.ts") = await load("storage/stores/presence-store.ts");
  const stores: typeof import("../../storage/stores/terminal-store.ts") = await load("storage/stores/terminal-store.ts");

  const directory = await mkdtemp(join(tmpdir(), "relay-bench-engine-"));
  const kv = await openEmbeddedKv({ directory, nowMs: clock.nowMs, mostlyAbsentPrefix: stores.COMMANDS });
  const { terminals } = createShard({
    nodeId: "bench",
    store: stores.createTerminalStore({ kv, nowMs: clock.nowMs, retentionMs: RETENTION_MS, writer: "bench" }),
    presences: createPresenceStore(kv),
    table: createPresenceTable(clock),
    waiting: counters.createWaitingCounters(counters.waitingCountersBuffer()),
    clock,
    // The only shard has nobody to ask.
    bus: {
      self: "shard-0",
      shards: ["shard-0"],
      ask: () => Promise.reject(new RelayError("unavailable", "There is one shard")),
      tell: () => {},
      serve: () => {},
    },
    failed: (what, error) => console.error(what, error),
    finished: () => {},
  });
  const sendPayment = createSendPayment({ terminals, clock, ids: { uuid: randomUUID } });
  return {
    pay: async (terminalId) => {
      const { outcome } = await sendPayment(CALLER, terminalId, bodyOf(randomUUID()));
      if (outcome.type !== "accepted") throw new Error(`a payment was not accepted: ${outcome.type}`);
    },
    close: async () => {
      await kv.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export function terminalIds(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `BENCH${String(index).padStart(8, "0")}`);
}

function bodyOf(uuid: string): unknown {
  return JSON.parse(`{"uuid":"${uuid}","amount":1000,"service":"PAYCC","type":"CARD","cardType":0,"description":"Order 004711, table 12"}`);
}

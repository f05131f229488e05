import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Caller } from "../../engine/access/caller.ts";
import { RelayError } from "../../engine/kernel/errors.ts";
import type { Kv } from "../../engine/kernel/kv.ts";
import { createShardTerminals } from "../../engine/routing/shard-terminals.ts";
import { createPresenceStore } from "../../engine/sessions/presence-store.ts";
import { createPresenceTable } from "../../engine/sessions/presence-table.ts";
import { createRecordResult } from "../../engine/terminals/record-result.ts";
import { createSendPayment } from "../../engine/terminals/send-payment.ts";
import { COMMANDS, createTerminalStore } from "../../engine/terminals/terminal-store.ts";
import { createWaitingCounters, waitingCountersBuffer } from "../../engine/terminals/waiting-counters.ts";
import { openEmbeddedKv } from "../../storage/kv/embedded.ts";

const RETENTION_MS = 86_400_000;

const CALLER: Caller = { type: "administrator", username: "bench", role: "owner" };

const DEVICE = { userAgent: "bench", appVersion: "3.1.0", deviceModel: "A920" };

const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };

/** The engine and its embedded store, alone in this process. */
export interface BenchedEngine {
  /** One payment, durable once it resolves; its terminal never polls. */
  pay(terminalId: string): Promise<void>;
  /** One payment's whole life: it is paid, polled for and its result stored, each durable before the next. Nothing else may wait at the terminal. */
  wholeLife(terminalId: string): Promise<void>;
  /** Ends it, and removes its data. */
  close(): Promise<void>;
}

/**
 * Starts the engine of this checkout. The pair bench loads this file from both checkouts that it compares, so that each composes its own engine in its own way;
 * what both have to agree on is `BenchedEngine` and `terminalIds`.
 */
export async function openEngine(): Promise<BenchedEngine> {
  const directory = await mkdtemp(join(tmpdir(), "relay-bench-engine-"));
  const kv = await openEmbeddedKv({ directory, nowMs: clock.nowMs, mostlyAbsentPrefix: COMMANDS });
  const engine = engineOver(kv);
  return {
    ...engine,
    close: async () => {
      await engine.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** The engine over a store that the caller has opened; `close` ends the store. */
export function engineOver(kv: Kv): BenchedEngine {
  const { terminals } = createShardTerminals({
    nodeId: "bench",
    store: createTerminalStore({ kv, nowMs: clock.nowMs, retentionMs: RETENTION_MS, writer: "bench" }),
    presences: createPresenceStore(kv),
    table: createPresenceTable(clock),
    waiting: createWaitingCounters(waitingCountersBuffer()),
    clock,
    // The only shard has nobody to ask.
    bus: {
      self: "shard-0",
      shards: ["shard-0"],
      request: () => Promise.reject(new RelayError("unavailable", "There is one shard")),
      send: () => {},
      handle: () => {},
    },
    failed: (what, error) => console.error(what, error),
    finished: () => {},
  });
  const sendPayment = createSendPayment({ terminals, clock, ids: { uuid: randomUUID } });
  const recordResult = createRecordResult({ terminals });

  async function send(terminalId: string, uuid: string): Promise<void> {
    const { outcome } = await sendPayment(CALLER, terminalId, paymentOf(uuid));
    if (outcome.type !== "accepted") throw new Error(`a payment was not accepted: ${outcome.type}`);
  }

  return {
    pay: (terminalId) => send(terminalId, randomUUID()),
    wholeLife: async (terminalId) => {
      const uuid = randomUUID();
      await send(terminalId, uuid);
      const taken = await terminals.poll(terminalId, DEVICE);
      if (taken?.uuid !== uuid) throw new Error("a poll got another command than the one that was paid last");
      const { type } = await recordResult.bySession(terminalId, terminalId, resultOf(uuid));
      if (type !== "recorded") throw new Error(`a result was not recorded: ${type}`);
    },
    close: () => kv.close(),
  };
}

export function terminalIds(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `BENCH${String(index).padStart(8, "0")}`);
}

function paymentOf(uuid: string): unknown {
  return JSON.parse(`{"uuid":"${uuid}","amount":1000,"service":"PAYCC","type":"CARD","cardType":0,"description":"Order 004711, table 12"}`);
}

function resultOf(uuid: string): unknown {
  return JSON.parse(
    `{"uuid":"${uuid}","service":"PAYCC","result":"OK","amount":1000,"currency":"EUR","authCode":"123456","stan":"000042","actionCode":"000","pan":"411111******1111","brand":"VISA","entry":"NFC","deviceModel":"A920","appVersion":"3.1.0"}`,
  );
}

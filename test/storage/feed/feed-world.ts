import type { ClickHouseClient } from "@clickhouse/client";
import type { Clock } from "../../../engine/kernel/clock.ts";
import { type Kv, prefixRange } from "../../../engine/kernel/kv.ts";
import type { Timers } from "../../../engine/kernel/timers.ts";
import type { EndedLife, FeedRow, LifeRow, TransactionRow } from "../../../engine/payments/feed-row.ts";
import { NOTHING_ELSE, type ObjectRow, objectVersion } from "../../../engine/payments/object-row.ts";
import { outboxOperation } from "../../../engine/payments/outbox.ts";
import { rowVersion } from "../../../engine/payments/row-version.ts";
import { machineTimers } from "../../../infra/node/boot/machine-timers.ts";
import type { FeedSink } from "../../../storage/feed/feed-sink.ts";
import { type EmbeddedKv, openEmbeddedKv } from "../../../storage/kv/embedded.ts";

export const realClock: Clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };

export const START_MS = Date.UTC(2026, 4, 6, 7, 8, 9, 123);

let writes = 0;

export function openKv(directory: string): Promise<EmbeddedKv> {
  return openEmbeddedKv({ directory, nowMs: () => Date.now() });
}

/** Puts rows into the outbox as the engine's stores do. */
export async function write(kv: Kv, rows: readonly (TransactionRow | LifeRow | ObjectRow)[], atMs = Date.now()): Promise<void> {
  const operations = rows.map((row) => {
    writes += 1;
    return outboxOperation(row, atMs, `w1-${writes.toString(36)}`);
  });
  for (let from = 0; from < operations.length; from += 5_000) {
    await kv.commit({ checks: [], operations: operations.slice(from, from + 5_000) });
  }
}

/** A sink of which each insert is one call. */
export function sinkOf(take: (rows: readonly FeedRow[]) => Promise<void>): FeedSink {
  return {
    begin: () => {
      const rows: FeedRow[] = [];
      return { add: (row) => void rows.push(row), send: () => take(rows) };
    },
  };
}

/** Everything under a prefix. */
export async function keysUnder(kv: Kv, prefix: string): Promise<string[]> {
  return (await kv.scan({ ...prefixRange(prefix), limit: 10_000 })).map(({ key }) => key);
}

/** Makes ClickHouse refuse transactions of the sender `refused`, as if a value of theirs could not be parsed. */
export async function refuseTransactions(client: ClickHouseClient): Promise<void> {
  const check = "toInt64(if(sender = 'refused', 'none', '0')) = 0";
  await client.command({ query: `ALTER TABLE relay.transactions ADD CONSTRAINT parsed CHECK ${check}` });
}

export interface TransactionMembers {
  uuid: string;
  terminalId?: string;
  createdAtMs?: number;
  revision?: number;
  status?: "OK" | "KO";
  method?: "CARD" | "SATISPAY" | "SCAN" | "UNKNOWN";
  amountCents?: number;
  sender?: string;
}

/** The row of a result that ended its command, in 400 ms. */
export function endedRow(members: TransactionMembers): TransactionRow & { life: EndedLife } {
  const row = transactionRow(members);
  const { createdAtMs: finishedAtMs, amountCents } = row.transaction;
  const [acceptedAtMs, sentAtMs] = [finishedAtMs - 400, finishedAtMs - 300];
  const life = { service: "PAYCC", amountCents, state: "done", acceptedAtMs, sentAtMs, finishedAtMs, channel: "poll", attempt: 1 } as const;
  return { ...row, life };
}

export function transactionRow(members: TransactionMembers): TransactionRow {
  return {
    type: "transaction",
    version: rowVersion("done", members.revision ?? 1),
    transaction: {
      uuid: members.uuid,
      createdAtMs: members.createdAtMs ?? START_MS,
      method: members.method ?? "CARD",
      status: members.status ?? "OK",
      amountCents: members.amountCents ?? 1_234,
      currency: "EUR",
      terminalId: members.terminalId ?? "T1",
      message: 'it\'s "approved"\n\\ €😀',
      card: { brand: "VISA", maskedPan: "************1234", entry: "NFC" },
    },
    kind: "payment",
    sender: members.sender ?? "partner:1",
    unsolicited: false,
    amountDiffers: false,
  };
}

/** The row of a merchant's thing: a link, unless it says otherwise. */
export function objectRow(changes: Partial<ObjectRow> = {}): ObjectRow {
  return {
    ...NOTHING_ELSE,
    ...{ type: "object", version: objectVersion(false, START_MS), merchantId: "M1", livemode: true, object: "link", id: "pl_1" },
    ...{ createdAtMs: START_MS, state: "PENDING", category: "key", amountMinor: 1_234, currency: "EUR" },
    ...changes,
  };
}

/** The machine's timers, and how long each of them was to last. */
export function notedTimers(): { timers: Timers; pausesMs: number[] } {
  const pausesMs: number[] = [];
  const set: Timers["set"] = (ms, work) => {
    pausesMs.push(ms);
    return machineTimers.set(ms, work);
  };
  return { timers: { ...machineTimers, set }, pausesMs };
}

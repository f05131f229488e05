import type { ClickHouseClient } from "@clickhouse/client";
import type { Clock } from "../../engine/kernel/clock.ts";
import type { Kv } from "../../engine/kernel/kv.ts";
import type { Timers } from "../../engine/kernel/timers.ts";
import { createMerchantStore } from "../../engine/partners/merchant-store.ts";
import { outboxKeyAt } from "../../engine/payments/outbox.ts";
import type { CloudConfig } from "../../engine/settings/cloud-config.ts";
import { CLOUD_CONFIGS, createRecordStore } from "../../engine/tables/record-store.ts";
import { LeaderLease } from "./leader-lease.ts";
import { type Attempted, type OnceInBackground, onceInBackground } from "./once-in-background.ts";
import { pageOutbox } from "./outbox.ts";
import { LATEST_MS } from "./row-binary.ts";
import { loadShopsSince, noteFilled, type ShopsSince } from "./shops-since.ts";
import { tableOf } from "./table-id.ts";

/**
 * A month of a terminal has about ten thousand rows, which are copied within a second. A month of a
 * vending machine on a slow disk may take longer.
 */
const QUERY_TIMEOUT_S = 55;

/**
 * The copies can wait. They use one thread and blocks of a few megabytes, and run after the other
 * queries of the relay (embedded/http-interface.ts).
 */
const BEHIND_ALL_OTHERS = {
  priority: "10",
  max_threads: 1,
  max_block_size: "8192",
  min_insert_block_size_bytes: "16777216",
  max_memory_usage: "536870912",
  max_execution_time: QUERY_TIMEOUT_S,
  do_not_merge_across_partitions_select_final: 1,
} as const;

export type MerchantBackfillEvent =
  | { type: "filled"; terminals: number; months: number }
  /** Reported once until the work continues. */
  | { type: "away"; error: unknown };

export interface MerchantBackfillOptions {
  kv: Kv;
  client: ClickHouseClient;
  clock: Clock;
  timers: Timers;
  onEvent(event: MerchantBackfillEvent): void;
}

/**
 * Copies rows stored before `shop` existed into the merchants' table. It copies the rows of
 * terminals that are assigned to a merchant today, if a row carries the merchant's id and is newer
 * than the merchant. This happens once for each ClickHouse, on one node at a time, a month of a
 * terminal after the other, after all other queries. Repeating it changes nothing, and after a
 * crash it continues within a few terminals of its position. It never fails: it tries again.
 */
export function startMerchantBackfill(options: MerchantBackfillOptions): OnceInBackground {
  const lease = new LeaderLease(options.kv, options.clock, "backfill");
  const away = (error: unknown) => options.onEvent({ type: "away", error });
  return onceInBackground(options.timers, (signal) => fillAtTurn(options, lease, signal), away);
}

/**
 * Resolves with `waits` if legacy rows are not in ClickHouse yet, if another node does the work or
 * has taken over, or if it was stopped.
 */
async function fillAtTurn(options: MerchantBackfillOptions, lease: LeaderLease, signal: AbortSignal): Promise<Attempted> {
  const { kv, client, onEvent } = options;
  const table = await tableOf(client, "merchant_transactions");
  const since = await loadShopsSince(kv);
  // The node has not yet stored when `shop` began.
  if (since === null) return "waits";
  if (since.record.filled === table) return "done";
  // Legacy rows that arrive after the turn of their terminal would never be copied.
  if ((await pageOutbox(kv, null, outboxKeyAt(since.record.sinceMs), 1)).length > 0) return "waits";
  const turn = await lease.acquire();
  if (turn === null) return "waits";
  // Marking the table as filled or unfilled changes the version. The progress of an earlier version
  // does not count.
  const round = `${table}.${since.version}`;
  const position = positionIn(turn.cursor, round);
  const counts = { terminals: 0, months: 0 };
  try {
    for await (const terminal of terminalsAfter(kv, since.record, position)) {
      if (signal.aborted || !(await lease.renew(cursorOf(round, position)))) return "waits";
      const months = await fillTerminal(client, terminal, signal);
      counts.months += months;
      if (months > 0) counts.terminals += 1;
      position.partition = terminal.partition;
      position.terminalId = terminal.terminalId;
    }
    await noteFilled(kv, since, table);
    onEvent({ type: "filled", ...counts });
    return "done";
  } finally {
    await lease.release(cursorOf(round, position)).catch(() => undefined);
  }
}

/** The progress, in the order of the store's partitions and then by id. */
interface Position {
  partition: number;
  terminalId: string;
}

interface Terminal extends Position {
  merchantId: string;
  /** The rows to copy are from `fromMs` to before `untilMs`. */
  fromMs: number;
  untilMs: number;
}

/** Begins at the start if the cursor is from another round or another table. */
function positionIn(cursor: string | null, round: string): Position {
  const [of, partition = "0", terminalId = ""] = cursor?.split("/") ?? [];
  return of === round ? { partition: Number(partition), terminalId } : { partition: 0, terminalId: "" };
}

function cursorOf(round: string, { partition, terminalId }: Position): string {
  return `${round}/${partition}/${terminalId}`;
}

/**
 * Yields in order the terminals that may have rows of their merchant. One partition of the
 * configurations is in memory at a time.
 */
async function* terminalsAfter(kv: Kv, { sinceMs }: ShopsSince, after: Readonly<Position>): AsyncGenerator<Terminal> {
  const configs = createRecordStore<CloudConfig>(kv, CLOUD_CONFIGS);
  const merchants = createMerchantStore(kv);
  const start = { ...after };
  for (let partition = start.partition; partition < configs.partitions; partition += 1) {
    const ofPartition = [...(await configs.load(partition)).values()].map(({ record }) => record);
    ofPartition.sort((one, other) => (one.terminalId < other.terminalId ? -1 : 1));
    for (const { terminalId, merchantId } of ofPartition) {
      if (merchantId === null || (partition === start.partition && terminalId <= start.terminalId)) continue;
      const fromMs = (await merchants.load(merchantId))?.record.createdAtMs ?? Number.POSITIVE_INFINITY;
      if (fromMs < sinceMs) yield { partition, terminalId, merchantId, fromMs: Math.max(0, fromMs), untilMs: Math.min(sinceMs, LATEST_MS) };
    }
  }
}

const OF_TERMINAL = `terminal_id = {terminalId:String} AND merchant_id = {merchantId:String} AND shop = '' AND command_kind IN ('', 'payment')
  AND created_at >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC') AND created_at < fromUnixTimestamp64Milli({untilMs:Int64}, 'UTC')
  AND day BETWEEN toDate(fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC')) AND toDate(fromUnixTimestamp64Milli({untilMs:Int64}, 'UTC'))`;

const COPIED = `day, created_at, uuid, terminal_id, version, method, status, amount_cents, currency, command_kind, service, is_payment, unsolicited,
  amount_differs, message, auth_code, action_code, brand`;

/** Resolves with the number of months that had rows. */
async function fillTerminal(client: ClickHouseClient, terminal: Terminal, signal: AbortSignal): Promise<number> {
  const { terminalId, merchantId, fromMs, untilMs } = terminal;
  const parameters = { terminalId, merchantId, fromMs, untilMs };
  const months = await ask<{ month: number }>(
    client,
    `SELECT DISTINCT toYYYYMM(day) AS month FROM relay.transactions WHERE ${OF_TERMINAL} ORDER BY month`,
    parameters,
  );
  for (const { month } of months) {
    if (signal.aborted) throw new Error("it is being stopped");
    await client.command({
      query: `INSERT INTO relay.merchant_transactions (merchant_id, ${COPIED}, last4, entry, item)
        SELECT {merchantId:String}, ${COPIED}, if(match(masked_pan, '[0-9]{4}$'), right(masked_pan, 4), ''), entry, item
        FROM relay.transactions FINAL WHERE toYYYYMM(day) = {month:UInt32} AND ${OF_TERMINAL}`,
      query_params: { ...parameters, month },
      clickhouse_settings: BEHIND_ALL_OTHERS,
    });
  }
  return months.length;
}

async function ask<Row>(client: ClickHouseClient, query: string, parameters: Record<string, unknown>): Promise<Row[]> {
  const result = await client.query({
    query,
    query_params: parameters,
    format: "JSONEachRow",
    clickhouse_settings: BEHIND_ALL_OTHERS,
  });
  return result.json<Row>();
}

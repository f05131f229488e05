import type { ClickHouseClient } from "@clickhouse/client";
import type { LifeRow, TransactionRow } from "../../engine/payments/feed-row.ts";
import { ranked } from "../../engine/payments/row-version.ts";
import type { Transaction } from "../../engine/payments/transaction.ts";
import type { FedCommand } from "../../engine/terminals/fed-command.ts";

/** Limits the commands in memory. A row is about a kilobyte, at worst a hundred. */
const PAGE_COMMANDS = 500;

/** Limits the uuids per query, because they are part of its address. */
const LIVES_AT_ONCE = 50;

/** Enough for a page over a table that has grown for years, on a busy machine. */
const QUERY_TIMEOUT_S = 55;

/**
 * The longest time from the acceptance of a command to its end without a result. The day of its row
 * is the day of its acceptance.
 */
const LIFE_MS_MAX = 2 * 86_400_000;

/** The progress of the store according to ClickHouse. */
export interface FedUntil {
  /** The highest version that the store had issued; 0 if no row in ClickHouse has one. */
  storeVersion: number;
  /** The time of the newest row of an earlier release, which has no version; 0 if there is none. */
  formerMs: number;
}

/** Describes the rows that a restored store cannot have. */
export interface FedSince {
  /** Rows of later versions of the store. */
  storeVersion: number;
  /** The time of that version, for rows of earlier releases. No row is older. */
  atMs: number;
  /** Commands that ended before this time have been deleted anyway. */
  keptSinceMs: number;
}

/** An object of a merchant changes long after the day under which it is stored. */
const TABLES = [
  { table: "transactions", at: "created_at", isDayOfChange: true },
  { table: "command_lives", at: "finished_at", isDayOfChange: true },
  { table: "merchant_objects", at: "created_at", isDayOfChange: false },
] as const;

/** The knowledge of ClickHouse about a store. Rejects with the errors of ClickHouse. */
export interface FedRows {
  /** Returns the progress of the store. It does not read rows from days before `sinceMs`. */
  until(sinceMs: number): Promise<FedUntil>;
  /**
   * Returns ended commands and results that a store restored to `since` cannot have, in pages.
   * Those of one terminal are consecutive. Links and other objects of merchants are excluded,
   * because their rows contain too little.
   */
  commands(since: FedSince): AsyncGenerator<FedCommand[]>;
}

export function createFedRows(client: ClickHouseClient): FedRows {
  return { until: (sinceMs) => fedUntil(client, sinceMs), commands: (since) => readFedCommands(client, since) };
}

async function fedUntil(client: ClickHouseClient, sinceMs: number): Promise<FedUntil> {
  const until = { storeVersion: 0, formerMs: 0 };
  for (const { table, at, isDayOfChange } of TABLES) {
    const [row] = await ask<{ version: string; former: string }>(
      client,
      `SELECT max(store_version) AS version, maxIf(toUnixTimestamp64Milli(${at}), store_version = 0) AS former
       FROM relay.${table} WHERE day >= toDate(fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC'))`,
      { fromMs: isDayOfChange ? dayBefore(sinceMs) : 0 },
    );
    until.storeVersion = Math.max(until.storeVersion, Number(row?.version ?? 0));
    until.formerMs = Math.max(until.formerMs, Number(row?.former ?? 0));
  }
  return until;
}

async function* readFedCommands(client: ClickHouseClient, since: FedSince): AsyncGenerator<FedCommand[]> {
  for await (const results of pages(client, RESULTS, since, readResult)) {
    const lives = await livesOf(client, results);
    yield results.map((result) => {
      const { uuid, terminalId } = result.transaction;
      return { uuid, terminalId, result, life: lives.get(`${terminalId} ${uuid}`) ?? null };
    });
  }
  // Commands with a result were already returned above.
  for await (const lives of pages(client, LIVES, since, readLife)) {
    yield lives.map((life) => ({ uuid: life.uuid, terminalId: life.terminalId, life, result: null }));
  }
}

interface Query {
  columns: string;
  table: string;
  at: string;
  /** A condition in addition to `FedSince`. */
  only: string;
}

const RESULTS: Query = {
  columns: "version, command_kind AS kind, sender, unsolicited, amount_differs AS amountDiffers, shop, item",
  table: "transactions",
  at: "created_at",
  only: "method != 'PAYBYLINK'",
};

const LIVES: Query = {
  columns: `version, kind, service, amount_cents AS amountCents, sender, state, channel, attempt, shop, toUnixTimestamp64Milli(accepted_at) AS acceptedAtMs,
    toUnixTimestamp64Milli(finished_at) AS finishedAtMs, toUnixTimestamp64Milli(sent_at) AS sentAtMs`,
  table: "command_lives",
  at: "finished_at",
  only: "1",
};

/** The key of a row. */
interface Key {
  terminal_id: string;
  day: string;
  uuid: string;
}

const FIRST_KEY: Key = { terminal_id: "", day: "1970-01-01", uuid: "" };

async function* pages<Columns, Row>(
  client: ClickHouseClient,
  { columns, table, at, only }: Query,
  since: FedSince,
  read: (row: Key & Columns) => Row,
): AsyncGenerator<Row[]> {
  let after = FIRST_KEY;
  for (;;) {
    const rows = await ask<Key & Columns>(
      client,
      `SELECT terminal_id, toString(day) AS day, uuid, ${columns} FROM relay.${table} FINAL
       WHERE (terminal_id, relay.${table}.day, uuid) > ({terminal_id:String}, toDate({day:String}), {uuid:String})
         AND relay.${table}.day >= toDate(fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC'))
         AND ${at} >= fromUnixTimestamp64Milli({keptSinceMs:Int64}, 'UTC') AND ${only}
         AND (store_version > {storeVersion:UInt64} OR (store_version = 0 AND ${at} >= fromUnixTimestamp64Milli({atMs:Int64}, 'UTC')))
       ORDER BY terminal_id, relay.${table}.day, uuid LIMIT ${PAGE_COMMANDS}`,
      { ...after, ...since, fromMs: dayBefore(since.atMs) },
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.map(read);
    if (rows.length < PAGE_COMMANDS) return;
    const { terminal_id, day, uuid } = last;
    after = { terminal_id, day, uuid };
  }
}

/**
 * Returns the lives by terminal and uuid. A command with a late result was accepted long before it.
 */
async function livesOf(client: ClickHouseClient, results: readonly TransactionRow[]): Promise<Map<string, LifeRow>> {
  const lives = new Map<string, LifeRow>();
  for (let start = 0; start < results.length; start += LIVES_AT_ONCE) {
    const some = results.slice(start, start + LIVES_AT_ONCE).map(({ transaction }) => transaction);
    const rows = await ask<Key & LifeColumns>(
      client,
      `SELECT terminal_id, toString(day) AS day, uuid, ${LIVES.columns} FROM relay.command_lives FINAL
       WHERE terminal_id IN {terminals:Array(String)} AND uuid IN {uuids:Array(String)}`,
      { terminals: [...new Set(some.map(({ terminalId }) => terminalId))], uuids: some.map(({ uuid }) => uuid) },
    );
    for (const row of rows) lives.set(`${row.terminal_id} ${row.uuid}`, readLife(row));
  }
  return lives;
}

function dayBefore(ms: number): number {
  return Math.max(0, Math.floor(ms) - LIFE_MS_MAX);
}

async function ask<Row>(client: ClickHouseClient, query: string, parameters: Record<string, unknown>): Promise<Row[]> {
  const result = await client.query({
    query,
    query_params: parameters,
    format: "JSONEachRow",
    clickhouse_settings: {
      do_not_merge_across_partitions_select_final: 1,
      output_format_json_quote_64bit_integers: 0,
      max_execution_time: QUERY_TIMEOUT_S,
    },
  });
  return result.json<Row>();
}

/** The columns as storage/feed/clickhouse-rows.ts writes them. */
interface ResultColumns {
  version: number;
  kind: NonNullable<TransactionRow["kind"]> | "";
  sender: string;
  unsolicited: boolean;
  amountDiffers: boolean;
  shop: string;
  item: string;
}

type LifeColumns = Pick<
  LifeRow,
  "version" | "kind" | "service" | "amountCents" | "sender" | "state" | "attempt" | "acceptedAtMs" | "finishedAtMs" | "sentAtMs"
> & { channel: NonNullable<LifeRow["channel"]> | ""; shop: string };

function readResult({
  terminal_id: terminalId,
  version,
  kind,
  sender,
  unsolicited,
  amountDiffers,
  shop,
  item,
}: Key & ResultColumns): TransactionRow {
  const transaction: Transaction = JSON.parse(item);
  return ranked({
    type: "transaction",
    version,
    transaction: { ...transaction, terminalId },
    kind: kind === "" ? null : kind,
    sender,
    unsolicited,
    amountDiffers,
    ...shopIn(shop),
  });
}

function shopIn(shop: string): Pick<TransactionRow, "shop"> {
  return shop === "" ? {} : { shop };
}

function readLife({ terminal_id: terminalId, day: _, channel, shop, ...columns }: Key & LifeColumns): LifeRow {
  return ranked({ type: "life", ...columns, terminalId, channel: channel === "" ? null : channel, ...shopIn(shop) });
}

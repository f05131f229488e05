import type { ClickHouseClient } from "@clickhouse/client";
import { RelayError } from "../../engine/kernel/errors.ts";
import type { Kv } from "../../engine/kernel/kv.ts";
import type { CommandKind } from "../../engine/payments/command.ts";
import type { TransactionRow } from "../../engine/payments/feed-row.ts";
import type { Transaction } from "../../engine/payments/transaction.ts";
import type { TransactionList, TransactionQuery } from "../../engine/payments/transaction-list.ts";
import { LATEST_MS } from "../feed/row-binary.ts";
import { askClickHouse } from "./ask-clickhouse.ts";
import { createOutboxLooks } from "./outbox-looks.ts";
import { either } from "./translated.ts";
import { keyText, newestOf, withoutStored } from "./waiting-rows.ts";

/**
 * Limits the rows of the outbox that are searched for a page. That takes less than a second; a
 * longer backlog takes minutes.
 */
const BACKLOG_ROWS_MAX = 50_000;

const DEADLINE_MS = 5_000;

/**
 * The limits of a range. ClickHouse's Date covers 1970 to 2149, and a date outside would wrap
 * around.
 */
const EARLIEST_MS = 0;

function rangeOf({ fromMs, untilMs }: TransactionQuery): { fromMs: number; untilMs: number } {
  const within = (ms: number) => Math.min(Math.max(ms, EARLIEST_MS), LATEST_MS);
  return { fromMs: within(fromMs ?? EARLIEST_MS), untilMs: within(untilMs ?? LATEST_MS) };
}

export interface TransactionListOptions {
  kv: Kv;
  client: ClickHouseClient;
  /**
   * `Feed.deliveredUntil` if the feed runs in this process. Otherwise the outbox is read from its
   * start.
   */
  deliveredUntil?: () => string | null;
}

/** A row of the list without its item. It is enough to order and count. */
interface Key {
  uuid: string;
  createdAtMs: number;
}

/**
 * Combines ClickHouse with the rows that are not there yet (engine/payments/transaction-list.ts).
 */
export function createTransactionList({ kv, client, deliveredUntil }: TransactionListOptions): TransactionList {
  const looks = createOutboxLooks(kv, deliveredUntil ?? (() => null), BACKLOG_ROWS_MAX);
  return {
    async page(query: TransactionQuery, gone?: AbortSignal): Promise<Transaction[]> {
      const database = new Database(client, query, gone);
      try {
        // The outbox is read first, so a row that leaves it afterwards is in ClickHouse when that
        // is queried.
        const rows = await looks.find(JSON.stringify(query.terminalId));
        if (rows === null) throw new RelayError("unavailable", BACKLOG_TEXT, { retryAfterSeconds: 30 });
        const newest = newestOf(rows, ({ transaction }) => transaction.terminalId === query.terminalId);
        const waiting = await withoutStored(newest, (fromMs, toMs) => database.versions(fromMs, toMs));
        return await pageOf(query, waiting, database);
      } catch (error) {
        gone?.throwIfAborted();
        if (error instanceof RelayError) throw error;
        throw new RelayError("unavailable", AWAY_TEXT, { cause: error, retryAfterSeconds: 5 });
      }
    },
  };
}

const AWAY_TEXT =
  "The list of transactions cannot be read now, because ClickHouse does not respond; retry later. Payments and their results are not affected.";
const BACKLOG_TEXT = `The list of transactions cannot be read now, because more than ${BACKLOG_ROWS_MAX} results are not in ClickHouse yet; retry later.`;

/** The list of an installation without ClickHouse. Callers get `reason`. */
export function missingTransactionList(reason: string): TransactionList {
  return {
    page: () => Promise.reject(new RelayError("unavailable", `This node cannot read the list of transactions: ${reason}`)),
  };
}

async function pageOf(query: TransactionQuery, waiting: readonly TransactionRow[], database: Database): Promise<Transaction[]> {
  const { limit, offset } = query;
  if (waiting.length === 0) return database.items(await database.keys(limit, offset));
  // Each waiting row may replace one that ClickHouse still lists, or may have arrived there by now.
  const replaced = new Map(waiting.map(({ transaction }) => [transaction.uuid, transaction]));
  const stored = await database.keys(offset + limit + waiting.length, 0);
  const kept = stored.filter(({ uuid }) => !replaced.has(uuid));
  const listed = waiting.filter((row) => matches(row, query)).map(({ transaction }) => transaction);
  const page = [...kept, ...listed].sort(newestFirst).slice(offset, offset + limit);
  const items = await database.items(page.filter(({ uuid }) => !replaced.has(uuid)));
  const byUuid = new Map(items.map((item) => [item.uuid, item]));
  return page.map(({ uuid }) => replaced.get(uuid) ?? byUuid.get(uuid)).filter((item) => item !== undefined);
}

/**
 * Results of administrator commands and of CANCEL are stored as results, but they are not
 * transactions.
 */
const UNLISTED_KINDS: readonly (CommandKind | null)[] = ["administrative", "cancel"];

function matches({ transaction, kind, sender }: TransactionRow, query: TransactionQuery): boolean {
  if (UNLISTED_KINDS.includes(kind)) return false;
  const { createdAtMs, method, status } = transaction;
  const { fromMs, untilMs } = rangeOf(query);
  if (createdAtMs < fromMs || createdAtMs >= untilMs) return false;
  return query.methods.includes(method) && status === query.status && (query.sender === undefined || query.sender === sender);
}

function newestFirst(one: Key, other: Key): number {
  if (one.createdAtMs !== other.createdAtMs) return other.createdAtMs - one.createdAtMs;
  if (one.uuid === other.uuid) return 0;
  return one.uuid < other.uuid ? 1 : -1;
}

const OF_TERMINAL = `
  terminal_id = {terminalId:String}
  AND day BETWEEN toDate(fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC')) AND toDate(fromUnixTimestamp64Milli({untilMs:Int64}, 'UTC'))
  AND created_at >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC') AND created_at < fromUnixTimestamp64Milli({untilMs:Int64}, 'UTC')`;

const FILTERED = `${OF_TERMINAL}
  AND command_kind NOT IN (${UNLISTED_KINDS.map((kind) => `'${kind}'`).join(", ")})
  AND method IN {methods:Array(String)} AND status = {status:String} AND ({anySender:Bool} OR sender = {sender:String})`;

/** The queries for one page, with a common deadline. */
class Database {
  readonly #client: ClickHouseClient;
  readonly #query: TransactionQuery;
  readonly #signal: AbortSignal;

  constructor(client: ClickHouseClient, query: TransactionQuery, gone: AbortSignal | undefined) {
    this.#client = client;
    this.#query = query;
    this.#signal = either(AbortSignal.timeout(DEADLINE_MS), gone);
  }

  /** Returns rows of the list, newest first. */
  async keys(limit: number, offset: number): Promise<Key[]> {
    const rows = await this.#ask<{ uuid: string; createdAtMs: number }>(
      `SELECT uuid, toUnixTimestamp64Milli(created_at) AS createdAtMs FROM relay.transactions FINAL WHERE ${FILTERED}
       ORDER BY created_at DESC, uuid DESC LIMIT {limit:UInt32} OFFSET {offset:UInt32}`,
      { ...this.#filter(), limit, offset },
    );
    return rows.map(({ uuid, createdAtMs }) => ({ uuid, createdAtMs: Number(createdAtMs) }));
  }

  /**
   * Returns the items of these rows in their order. They are found by time, because so many uuids
   * do not fit into an address.
   */
  async items(keys: readonly Key[]): Promise<Transaction[]> {
    const newest = keys[0];
    const oldest = keys.at(-1);
    if (newest === undefined || oldest === undefined) return [];
    const rows = await this.#ask<{ uuid: string; item: string }>(`SELECT uuid, item FROM relay.transactions FINAL WHERE ${FILTERED}`, {
      ...this.#filter(),
      fromMs: oldest.createdAtMs,
      untilMs: newest.createdAtMs + 1,
    });
    const items = new Map(rows.map(({ uuid, item }) => [uuid, item]));
    return keys
      .map(({ uuid }) => items.get(uuid))
      .filter((item) => item !== undefined)
      .map(readItem);
  }

  /**
   * Returns the versions of all rows of the terminal between two times (inclusive), by `keyText`.
   */
  async versions(fromMs: number, toMs: number): Promise<Map<string, number>> {
    const rows = await this.#ask<{ uuid: string; version: number }>(
      `SELECT uuid, version FROM relay.transactions FINAL WHERE ${OF_TERMINAL} LIMIT {limit:UInt32}`,
      { terminalId: this.#query.terminalId, fromMs, untilMs: toMs + 1, limit: BACKLOG_ROWS_MAX + 1 },
    );
    if (rows.length > BACKLOG_ROWS_MAX) throw new RelayError("unavailable", BACKLOG_TEXT, { retryAfterSeconds: 30 });
    const { terminalId } = this.#query;
    return new Map(rows.map(({ uuid, version }) => [keyText({ uuid, terminalId }), Number(version)]));
  }

  #filter(): Record<string, unknown> {
    const { terminalId, methods, status, sender } = this.#query;
    return {
      terminalId,
      methods,
      status,
      anySender: sender === undefined,
      sender: sender ?? "",
      ...rangeOf(this.#query),
    };
  }

  #ask<Row>(query: string, parameters: Record<string, unknown>): Promise<Row[]> {
    return askClickHouse<Row>(this.#client, { query, parameters, signal: this.#signal, secondsMax: DEADLINE_MS / 1_000 });
  }
}

/** The text is a Transaction that the feed wrote. */
function readItem(text: string): Transaction {
  const item: Transaction = JSON.parse(text);
  return item;
}

import type { ClickHouseClient } from "@clickhouse/client";
import type { MerchantTransaction, MerchantTransactionFilter, TransactionKey } from "../../engine/payments/merchant-transactions.ts";
import type { ObjectRow } from "../../engine/payments/object-row.ts";
import type { Transaction, TransactionMethod } from "../../engine/payments/transaction.ts";
import { LATEST_MS } from "../feed/row-binary.ts";
import { askClickHouse, askLines } from "./ask-clickhouse.ts";
import { isByAmount, orderBy } from "./merchant-order.ts";
import { refundsSince } from "./merchant-refunds.ts";
import { conditionOf, type Range, REFUNDED_MINOR, SUMS } from "./merchant-sql.ts";
import type { Sql } from "./newest-rows.ts";
import { keyText } from "./waiting-rows.ts";

const MEMORY_BYTES_MAX = 256 * 1_048_576;

/** More terminals than a merchant has. The result is held in memory. */
const TERMINALS_MAX = 10_000;

/**
 * Limits the lines of a query, which are held in memory completely, here and in the embedded
 * ClickHouse.
 */
const LINES_BYTES_MAX = 32 * 1_048_576;

/**
 * Limits the uuids of a query. They are part of its address, which ClickHouse limits to some
 * hundred kilobytes.
 */
const UUIDS_AT_ONCE = 500;

/** The sums of one currency and at most one other member. */
export interface SumsGroup {
  currency: string;
  startMs: number | null;
  ofMethod: TransactionMethod | null;
  ofTerminal: string | null;
  volumeMinor: number;
  approved: number;
  declined: number;
}

interface ItemRow {
  uuid: string;
  terminalId: string;
  line: string;
}

export interface MerchantQueriesOptions {
  client: ClickHouseClient;
  merchantId: string;
  /** Ends the running query. */
  signal: AbortSignal;
  secondsMax: number;
  /** Rows, by `keyText`, that are replaced by newer ones that ClickHouse does not have yet. */
  replaced: readonly string[];
  /** Refunds that ClickHouse does not have yet. */
  refunds: readonly ObjectRow[];
}

/**
 * A row as text, for files of a million rows. It has a digit each for a differing amount, an
 * unsolicited result and a payment. The refunded amount follows, and then the transaction as JSON.
 */
const LINE = `concat(toString(toUInt8(amount_differs)), toString(toUInt8(unsolicited)), toString(toUInt8(is_payment)), toString(${REFUNDED_MINOR}), item)`;

const FLAGS = 3;

/** The columns of a line, including those that identify and order rows. */
const OF_LINE = "uuid, terminal_id, created_at, method, status, amount_differs, unsolicited, is_payment, item";

export function lineOf({ transaction, amountDiffers, unsolicited, isPayment, refundedMinor }: MerchantTransaction): string {
  const flags = [amountDiffers, unsolicited, isPayment].map((flag) => (flag ? "1" : "0")).join("");
  return `${flags}${refundedMinor}${JSON.stringify(transaction)}`;
}

/** The JSON of a line is a Transaction that the feed wrote. */
export function readLine(line: string): MerchantTransaction {
  const begin = line.indexOf("{");
  const transaction: Transaction & { terminalId: string } = JSON.parse(line.slice(begin));
  const [amountDiffers, unsolicited, isPayment] = [line[0] === "1", line[1] === "1", line[2] === "1"];
  return { transaction, amountDiffers, unsolicited, isPayment, refundedMinor: Number(line.slice(FLAGS, begin)) };
}

const NEWEST_FIRST = orderBy("newest");

/**
 * The queries of `relay.merchant_transactions` for one merchant. Every condition starts with the
 * merchant.
 */
export class MerchantQueries {
  readonly #options: MerchantQueriesOptions;

  constructor(options: MerchantQueriesOptions) {
    this.#options = options;
  }

  /** Returns the keys of the first rows in the order of the range. */
  async keys(filter: MerchantTransactionFilter, range: Range, limit: number): Promise<TransactionKey[]> {
    const { where, parameters } = this.#where(filter, range);
    const { order = "newest" } = range;
    return this.#ask<TransactionKey>(
      `SELECT uuid, terminal_id AS terminalId, toUnixTimestamp64Milli(created_at) AS createdAtMs${isByAmount(order) ? ", amount_cents AS amountMinor" : ""}
       FROM relay.merchant_transactions FINAL ${where} ${orderBy(order)} LIMIT {limit:UInt32}`,
      { ...parameters, limit },
    );
  }

  /**
   * Returns the transactions of these keys (newest first), by `keyText`. A row that no longer
   * matches the filter is absent.
   */
  async items(filter: MerchantTransactionFilter, keys: readonly TransactionKey[]): Promise<Map<string, MerchantTransaction>> {
    const items = new Map<string, MerchantTransaction>();
    for (let start = 0; start < keys.length; start += UUIDS_AT_ONCE) {
      const some = keys.slice(start, start + UUIDS_AT_ONCE);
      const times = some.map(({ createdAtMs }) => createdAtMs);
      const range = { fromMs: Math.min(...times), untilMs: Math.max(...times) + 1, uuids: some.map(({ uuid }) => uuid) };
      const { text, parameters } = this.#withRefunds(filter, range, "");
      const rows = await this.#ask<ItemRow>(`SELECT uuid, terminal_id AS terminalId, ${LINE} AS line FROM ${text}`, parameters);
      for (const row of rows) items.set(keyText(row), readLine(row.line));
    }
    return items;
  }

  /**
   * Returns the versions of the rows with these uuids between two times (inclusive), by `keyText`.
   */
  async versions(uuids: readonly string[], fromMs: number, toMs: number): Promise<Map<string, number>> {
    const versions = new Map<string, number>();
    for (let start = 0; start < uuids.length; start += UUIDS_AT_ONCE) {
      const { key, parameters } = conditionOf(
        this.#options.merchantId,
        {},
        { fromMs, untilMs: toMs + 1, uuids: uuids.slice(start, start + UUIDS_AT_ONCE) },
      );
      const rows = await this.#ask<{ uuid: string; terminalId: string; newest: number }>(
        `SELECT uuid, terminal_id AS terminalId, max(version) AS newest FROM relay.merchant_transactions WHERE ${key} GROUP BY uuid, terminal_id`,
        parameters,
      );
      for (const row of rows) versions.set(keyText(row), row.newest);
    }
    return versions;
  }

  /** Returns the newest key of each terminal. */
  async latest(fromMs: number): Promise<TransactionKey[]> {
    const { where, parameters } = this.#where({ results: "all" }, { fromMs, untilMs: LATEST_MS });
    const rows = await this.#ask<{ terminalId: string; latest: string; createdAtMs: number }>(
      `SELECT terminal_id AS terminalId, argMax(uuid, (created_at, uuid)) AS latest, toUnixTimestamp64Milli(max(created_at)) AS createdAtMs
       FROM relay.merchant_transactions FINAL ${where} GROUP BY terminal_id ORDER BY createdAtMs DESC LIMIT ${TERMINALS_MAX}`,
      parameters,
    );
    return rows.map(({ terminalId, latest, createdAtMs }) => ({ terminalId, uuid: latest, createdAtMs }));
  }

  /** Returns sums by currency, and by hour from `fromMs`, method and terminal. */
  async sums(range: { fromMs: number; untilMs: number }): Promise<SumsGroup[]> {
    const { where, parameters } = this.#where({}, range);
    return this.#ask<SumsGroup>(
      `SELECT currency,
         if(grouping(hour) = 0, {fromMs:Int64} + hour * 3600000, NULL) AS startMs,
         if(grouping(method) = 0, toString(method), NULL) AS ofMethod,
         if(grouping(terminal_id) = 0, terminal_id, NULL) AS ofTerminal, ${SUMS}
       FROM (
         SELECT currency, method, terminal_id, status, amount_cents, action_code,
           intDiv(toUnixTimestamp64Milli(created_at) - {fromMs:Int64}, 3600000) AS hour
         FROM relay.merchant_transactions FINAL ${where}
       )
       GROUP BY GROUPING SETS ((currency), (currency, hour), (currency, method), (currency, terminal_id))`,
      parameters,
    );
  }

  /**
   * Returns the time back to which there are about `rows` rows, matching or not, or null if there
   * are fewer. It reads only these rows, backwards in the order of the table.
   */
  async edge(range: Range, rows: number): Promise<number | null> {
    const { key, parameters } = conditionOf(this.#options.merchantId, {}, range);
    const [found] = await this.#ask<{ atMs: number }>(
      `SELECT toUnixTimestamp64Milli(created_at) AS atMs FROM relay.merchant_transactions WHERE ${key}
       ORDER BY day DESC, created_at DESC LIMIT 1 OFFSET {rows:UInt32}`,
      { ...parameters, rows },
    );
    return found?.atMs ?? null;
  }

  /** Returns the time of the oldest row in a range, matching or not, or null. */
  async oldest(range: Range): Promise<number | null> {
    const { key, parameters } = conditionOf(this.#options.merchantId, {}, range);
    const [found] = await this.#ask<{ atMs: number }>(
      `SELECT toUnixTimestamp64Milli(created_at) AS atMs FROM relay.merchant_transactions WHERE ${key} ORDER BY day, created_at LIMIT 1`,
      parameters,
    );
    return found?.atMs ?? null;
  }

  /** Returns the newest rows as lines, newest first. Fails if they exceed `LINES_BYTES_MAX`. */
  async lines(filter: MerchantTransactionFilter, range: Range, limit: number): Promise<string[]> {
    const { text, parameters } = this.#withRefunds(filter, range, `${NEWEST_FIRST} LIMIT {limit:UInt32}`);
    const query = `SELECT ${LINE} FROM ${text} ${NEWEST_FIRST}`;
    const question = this.#question(query, { ...parameters, limit });
    const settings = { ...question.settings, max_result_bytes: String(LINES_BYTES_MAX), result_overflow_mode: "throw" } as const;
    return askLines(this.#options.client, { ...question, settings });
  }

  /** Returns the refunded amounts of the payments with these uuids since a time. */
  async refunded(uuids: readonly string[], fromMs: number): Promise<Map<string, number>> {
    const refunds = this.#refunds(fromMs);
    const found = new Map<string, number>();
    for (let start = 0; start < uuids.length; start += UUIDS_AT_ONCE) {
      const rows = await this.#ask<{ refundedUuid: string; refunded: number }>(
        `SELECT refundedUuid, refunded FROM ${refunds.text} WHERE refundedUuid IN {wantedUuids:Array(String)}`,
        { ...refunds.parameters, wantedUuids: uuids.slice(start, start + UUIDS_AT_ONCE) },
      );
      for (const { refundedUuid, refunded } of rows) found.set(refundedUuid, refunded);
    }
    return found;
  }

  #refunds(fromMs: number): Sql {
    return refundsSince(this.#options.merchantId, fromMs, this.#options.refunds);
  }

  /** With PREWHERE, FINAL reads the other columns only for rows whose key is wanted. */
  #where(filter: MerchantTransactionFilter, range: Range): { where: string; parameters: Record<string, unknown> } {
    const { merchantId, replaced } = this.#options;
    const refunds = filter.refundState === undefined ? null : this.#refunds(range.fromMs);
    const { key, row, parameters } = conditionOf(merchantId, filter, {
      ...{ replaced, ...range },
      ...(refunds === null ? {} : { refunds: refunds.text }),
    });
    return { where: `PREWHERE ${key} WHERE ${row}`, parameters: { ...parameters, ...refunds?.parameters } };
  }

  /** Adds the refunded amount to each row (`REFUNDED_MINOR`). */
  #withRefunds(filter: MerchantTransactionFilter, range: Range, newest: string): Sql {
    const { where, parameters } = this.#where(filter, range);
    const refunds = this.#refunds(range.fromMs);
    return {
      text: `(SELECT ${OF_LINE} FROM relay.merchant_transactions FINAL ${where} ${newest}) AS payments
        ANY LEFT JOIN ${refunds.text} AS refunds ON payments.uuid = refunds.refundedUuid`,
      parameters: { ...parameters, ...refunds.parameters },
    };
  }

  /** Runs any other query about the merchant. */
  ask<Row>({ text, parameters }: Sql): Promise<Row[]> {
    return this.#ask<Row>(text, parameters);
  }

  #ask<Row>(query: string, parameters: Record<string, unknown>): Promise<Row[]> {
    return askClickHouse<Row>(this.#options.client, this.#question(query, parameters));
  }

  #question(query: string, parameters: Record<string, unknown>) {
    const { signal, secondsMax } = this.#options;
    return {
      query,
      parameters,
      signal,
      secondsMax,
      settings: { max_threads: 1, max_memory_usage: String(MEMORY_BYTES_MAX), use_skip_indexes_if_final: 1 } as const,
    };
  }
}

import type { ClickHouseClient } from "@clickhouse/client";
import { RelayError } from "../../engine/kernel/errors.ts";
import type { Kv } from "../../engine/kernel/kv.ts";
import { outboxKeyAt } from "../../engine/payments/outbox.ts";
import type { TransactionMethod, TransactionStatus } from "../../engine/payments/transaction.ts";
import { type DayFigures, LINES_MAX, NAMED_MAX, type NamedPayment, type PaymentLine } from "../../engine/reconciliation/reconciliation.ts";
import type { ReconciliationRows } from "../../engine/reconciliation/reconciliation-rows.ts";
import { pageOutbox } from "../feed/outbox.ts";
import { anySetAside } from "../feed/set-aside.ts";
import { askClickHouse } from "../transactions/ask-clickhouse.ts";
import { refundsSince } from "../transactions/merchant-refunds.ts";
import { IS_REFUNDABLE, REFUNDED_MINOR } from "../transactions/merchant-sql.ts";

/** No page waits for this, so it runs after all other queries and may take long. */
const SECONDS_MAX = 120;
const SETTINGS = { priority: "10", max_threads: 1, max_memory_usage: "536870912" } as const;

export interface ReconciliationRowsOptions {
  kv: Kv;
  client: ClickHouseClient;
}

type OfDay<Row> = Row & { nth: number };

const BETWEEN = (column: string) =>
  `${column} >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC') AND ${column} < fromUnixTimestamp64Milli({untilMs:Int64}, 'UTC')`;

const DAYS =
  "day BETWEEN toDate(fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC')) AND toDate(fromUnixTimestamp64Milli({untilMs:Int64}, 'UTC'))";

/** Returns the number of the day, from 1, that contains a time. The days are consecutive. */
const NTH = (column: string) => `toUInt32(arrayCount(edge -> edge <= toUnixTimestamp64Milli(${column}), {edges:Array(Int64)}))`;

/**
 * The states of commands that a day names or has named. A command that was finally cancelled has no
 * payment row.
 */
const NAMED_STATES = "'unknown', 'cancelled'";

/**
 * Reads ClickHouse's tables of merchants. The given bounds determine the days, independent of
 * ClickHouse's time zone data.
 */
export function createReconciliationRows({ kv, client }: ReconciliationRowsOptions): ReconciliationRows {
  async function ask<Row>(query: string, parameters: Record<string, unknown>): Promise<Row[]> {
    const late = new AbortController();
    try {
      return await askClickHouse<Row>(client, { query, parameters, signal: late.signal, secondsMax: SECONDS_MAX, settings: SETTINGS });
    } catch (error) {
      throw new RelayError("unavailable", "ClickHouse does not answer", { cause: error, retryAfterSeconds: 60 });
    }
  }

  return {
    areThere: async (untilMs) => {
      if ((await pageOutbox(kv, null, outboxKeyAt(untilMs), 1)).length > 0) return "some wait";
      return (await anySetAside(kv, untilMs)) ? "some were refused" : "all";
    },
    merchants: async ({ fromMs, untilMs }, after, limit) => {
      const behind = (column: string) => `${column} > {after:String} AND ${DAYS}`;
      const found = await ask<{ merchantId: string }>(
        `SELECT DISTINCT merchantId FROM (
           SELECT DISTINCT merchant_id AS merchantId FROM relay.merchant_transactions WHERE ${behind("merchant_id")} AND ${BETWEEN("created_at")}
           UNION ALL
           SELECT DISTINCT merchant_id AS merchantId FROM relay.merchant_objects WHERE ${behind("merchant_id")} AND ${BETWEEN("created_at")}
           UNION ALL
           SELECT DISTINCT shop AS merchantId FROM relay.command_lives WHERE ${behind("shop")} AND state IN (${NAMED_STATES}) AND ${BETWEEN("accepted_at")}
         ) ORDER BY merchantId LIMIT {limit:UInt32}`,
        { fromMs, untilMs, after: after ?? "", limit },
      );
      return found.map(({ merchantId }) => merchantId);
    },
    refundedSince: async (merchantId, fromMs) => {
      const found = await ask<{ paidAtMs: number }>(
        `SELECT DISTINCT toUnixTimestamp64Milli(created_at) AS paidAtMs FROM relay.merchant_transactions FINAL
         PREWHERE merchant_id = {merchantId:String} AND created_at < fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC')
         WHERE is_payment AND ${IS_REFUNDABLE} AND uuid IN (
           SELECT uuid FROM relay.merchant_objects FINAL
           WHERE merchant_id = {merchantId:String} AND object = 'refund' AND state = 'done' AND ended_at >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC')
         )`,
        { merchantId, fromMs },
      );
      return found.map(({ paidAtMs }) => paidAtMs);
    },
    figures: async (merchantId, days) => {
      const [first, last] = [days[0], days.at(-1)];
      if (first === undefined || last === undefined) return new Map();
      const parameters = { merchantId, fromMs: first.fromMs, untilMs: last.untilMs, edges: days.map(({ fromMs }) => fromMs) };
      // Terminals are combined here, because all lines of all days would be too many for a merchant
      // with thousands of terminals.
      const refunds = refundsSince(merchantId, first.fromMs, []);
      const payments = await ask<OfDay<PaymentRow>>(
        `SELECT nth, terminalId, method, status, currency, sum(ofLine) AS count, sum(minorOfLine) AS amountMinor,
           sum(refundedOfLine) AS refundedCount, sum(refundedMinorOfLine) AS refundedMinor
         FROM (
           SELECT nth, if(count() OVER (PARTITION BY nth) > ${LINES_MAX}, NULL, terminal_id) AS terminalId, method, status, currency, ofLine, minorOfLine,
             refundedOfLine, refundedMinorOfLine
           FROM (
             SELECT ${NTH("created_at")} AS nth, terminal_id, method, status, currency, count() AS ofLine, sum(amount_cents) AS minorOfLine,
               countIf(${REFUNDED_MINOR} > 0) AS refundedOfLine, sum(${REFUNDED_MINOR}) AS refundedMinorOfLine
             FROM (
               SELECT uuid, created_at, terminal_id, method, status, currency, amount_cents FROM relay.merchant_transactions FINAL
               PREWHERE merchant_id = {merchantId:String} AND ${DAYS} AND ${BETWEEN("created_at")} WHERE is_payment
             ) AS payments
             ANY LEFT JOIN ${refunds.text} AS refunds ON payments.uuid = refunds.refundedUuid
             GROUP BY nth, terminal_id, method, status, currency
           )
         )
         GROUP BY nth, terminalId, method, status, currency ORDER BY nth, terminalId, method, status, currency`,
        { ...parameters, ...refunds.parameters },
      );
      const states = await ask<OfDay<StateRow>>(
        `SELECT ${NTH("created_at")} AS nth, object, state, currency, count() AS count, sum(amount_minor) AS amountMinor
         FROM relay.merchant_objects FINAL
         PREWHERE merchant_id = {merchantId:String} AND object IN ('link', 'refund') AND ${DAYS} AND ${BETWEEN("created_at")}
         GROUP BY nth, object, state, currency ORDER BY nth, object, state, currency`,
        parameters,
      );
      const unknown = await ask<OfDay<NamedRow>>(
        `SELECT ${NTH("accepted_at")} AS nth, ${NAMED("accepted_at")}
         FROM relay.command_lives FINAL
         WHERE shop = {merchantId:String} AND state = 'unknown' AND kind = 'payment' AND ${DAYS} AND ${BETWEEN("accepted_at")}
         GROUP BY nth`,
        parameters,
      );
      const conflicting = await ask<OfDay<NamedRow>>(
        `SELECT ${NTH("created_at")} AS nth, ${NAMED("created_at")}
         FROM relay.merchant_transactions FINAL
         PREWHERE merchant_id = {merchantId:String} AND ${DAYS} AND ${BETWEEN("created_at")}
         WHERE is_payment AND (terminal_id, uuid) IN (
           SELECT terminal_id, uuid FROM relay.conflicts
           WHERE at >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC')
             AND terminal_id IN (SELECT DISTINCT terminal_id FROM relay.merchant_transactions WHERE merchant_id = {merchantId:String} AND ${DAYS})
         )
         GROUP BY nth`,
        parameters,
      );
      return new Map(days.map(({ day }, index) => [day, figuresOf(index + 1, { payments, states, unknown, conflicting })]));
    },
  };
}

interface PaymentRow {
  terminalId: string | null;
  method: TransactionMethod;
  status: TransactionStatus;
  currency: string;
  count: number;
  amountMinor: number;
  refundedCount: number;
  refundedMinor: number;
}

interface StateRow {
  object: "link" | "refund";
  state: string;
  currency: string;
  count: number;
  amountMinor: number;
}

interface NamedRow {
  count: number;
  named: readonly (readonly [uuid: string, terminalId: string])[];
}

/** Counts all and names the first ones. */
const NAMED = (time: string) =>
  `count() AS count, arrayMap(one -> (one.2, one.3), arraySlice(arraySort(groupArray((${time}, uuid, terminal_id))), 1, ${NAMED_MAX})) AS named`;

interface Found {
  payments: readonly OfDay<PaymentRow>[];
  states: readonly OfDay<StateRow>[];
  unknown: readonly OfDay<NamedRow>[];
  conflicting: readonly OfDay<NamedRow>[];
}

function figuresOf(wanted: number, { payments, states, unknown, conflicting }: Found): DayFigures {
  const of = <Row extends { nth: number }>(rows: readonly Row[]) => rows.filter(({ nth }) => nth === wanted);
  const line = ({ terminalId, method, status, currency, count, amountMinor }: PaymentRow): PaymentLine => ({
    ...{ terminalId, method, status, currency, count, amountMinor },
  });
  const refunded = (row: PaymentRow): PaymentLine => ({ ...line(row), count: row.refundedCount, amountMinor: row.refundedMinor });
  const ofObject = (object: StateRow["object"]) =>
    of(states)
      .filter((row) => row.object === object)
      .map(({ state, currency, count, amountMinor }) => ({ state, currency, count, amountMinor }));
  return {
    payments: of(payments).map(line),
    refunded: of(payments)
      .filter(({ refundedCount }) => refundedCount > 0)
      .map(refunded),
    links: ofObject("link"),
    refunds: ofObject("refund"),
    unknown: namedOf(of(unknown)[0]),
    conflicting: namedOf(of(conflicting)[0]),
  };
}

function namedOf(row: NamedRow | undefined): { count: number; items: readonly NamedPayment[] } {
  if (row === undefined) return { count: 0, items: [] };
  return { count: row.count, items: row.named.map(([uuid, terminalId]) => ({ uuid, terminalId })) };
}

/** The rows of an installation without ClickHouse. */
export function missingReconciliationRows(reason: string): ReconciliationRows {
  const missing = () => Promise.reject(new RelayError("unavailable", `This node cannot close days: ${reason}`, { retryAfterSeconds: 60 }));
  return { areThere: missing, merchants: missing, refundedSince: missing, figures: missing };
}

import type { MerchantScope } from "../../engine/kernel/merchant-scope.ts";
import { currencyDecimals } from "../../engine/kernel/money.ts";
import { REPORT_CURRENCIES_MAX, type Report, type ReportKinds, type ReportName } from "../../engine/reports/merchant-reports.ts";
import type { Sql, Waiting } from "../transactions/newest-rows.ts";

/** The context of a report. */
export interface Asking {
  owner: MerchantScope;
  /** The rows that ClickHouse does not have. */
  waiting: Waiting;
  ask<Row>(sql: Sql): Promise<Row[]>;
}

/** A report without the time of its figures. */
export type Counted<Name extends ReportName> = Omit<ReportKinds[Name]["report"], "asOfMs">;

/** The grouping of a query: `startMs` of a bucket, or null for the total. */
export interface Grouped {
  currency: string;
  startMs: number | null;
}

export function rangeOfEdges(edges: readonly number[]): { fromMs: number; untilMs: number } {
  const [fromMs = 0, untilMs = fromMs] = [edges[0], edges.at(-1)];
  return { fromMs, untilMs };
}

/**
 * Returns the bucket of a time within the range, by its first millisecond. The buckets are values
 * of the query, because the relay computes clocks and calendars.
 */
export function bucketOf(time: string): string {
  return `roundDown(${time}, {starts:Array(Int64)})`;
}

export function startsOf(edges: readonly number[]): { starts: number[] } {
  return { starts: edges.slice(0, -1) };
}

/** Returns the column of a grouping set as text, or null if the set does not group by it. */
export function groupedBy(column: string, name: string): string {
  return `if(grouping(${column}) = 0, toString(${column}), NULL) AS ${name}`;
}

export const GROUPED_BUCKET = "if(grouping(bucket) = 0, bucket, NULL) AS startMs";

/**
 * Assigns groups to their buckets; groups without a bucket are totals. They are sorted by currency,
 * or by `order`.
 */
export function inBuckets<Row extends Grouped, Figures extends { currency: string }>(
  edges: readonly number[],
  rows: readonly Row[],
  figuresOf: (row: Row) => Figures,
): Pick<Report<Figures>, "buckets" | "totals"> {
  const buckets: Figures[][] = edges.slice(1).map(() => []);
  const places = new Map(edges.map((startMs, index) => [startMs, index]));
  const totals: Figures[] = [];
  for (const row of [...rows].sort(byCurrency)) {
    const figures = figuresOf(row);
    if (row.startMs === null) totals.push(figures);
    else buckets[places.get(row.startMs) ?? -1]?.push(figures);
  }
  return { buckets, totals };
}

/**
 * Returns the rows of the currencies that a report includes. `payments` returns the number of
 * payments of a row.
 */
export function ofMainCurrencies<Row extends { currency: string }>(rows: readonly Row[], payments: (row: Row) => number): Row[] {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(row.currency, (counts.get(row.currency) ?? 0) + payments(row));
  if (counts.size <= REPORT_CURRENCIES_MAX) return [...rows];
  const unknown = (currency: string) => (currencyDecimals(currency) === null ? 1 : 0);
  const sorted = [...counts].sort(
    ([one, ones], [other, others]) => unknown(one) - unknown(other) || others - ones || (one < other ? -1 : 1),
  );
  const kept = new Set(sorted.slice(0, REPORT_CURRENCIES_MAX).map(([currency]) => currency));
  return rows.filter(({ currency }) => kept.has(currency));
}

export function byCurrency(one: { currency: string }, other: { currency: string }): number {
  return one.currency < other.currency ? -1 : one.currency > other.currency ? 1 : 0;
}

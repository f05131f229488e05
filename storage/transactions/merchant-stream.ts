import { ClickHouseError } from "@clickhouse/client";
import type { MerchantTransactionFilter, TransactionKey } from "../../engine/payments/merchant-transactions.ts";
import { isOlder } from "./merchant-order.ts";
import { type MerchantQueries, readLine } from "./merchant-queries.ts";
import { type Range, rangeOf } from "./merchant-sql.ts";

/**
 * The number of rows that the first query scans. It grows up to the maximum if few of them match.
 */
const LOOKED_FIRST = 10_000;
const LOOKED_MAX = 640_000;

/** The maximum rows of a batch, which has some megabytes. */
const BATCH_ROWS_MAX = 10_000;
const BATCH_BYTES_WANTED = 4 * 1_048_576;
/** A row may have 64 KB, so the first batch is small, and so is each that follows large rows. */
const BATCH_ROWS_FIRST = 500;
const BATCH_ROWS_MIN = 50;

/**
 * A span has slightly more rows than requested: those of its first millisecond, and second
 * versions.
 */
const SPAN_OF_BATCH = 0.8;

export interface StreamedRow {
  key: TransactionKey;
  line: string;
}

export interface MerchantStreamOptions {
  filter: MerchantTransactionFilter;
  /** Rows that ClickHouse does not have yet, newest first. */
  waiting: readonly StreamedRow[];
  /** Runs a query when its turn comes. */
  ask<T>(work: (queries: MerchantQueries) => Promise<T>): Promise<T>;
}

/**
 * Returns a merchant's rows as lines, in batches, newest first. Each batch is a separate query over
 * a span with about a thousand rows, and the next one continues after its last key. Keys never
 * change, so a row appears once, whatever is written in the meantime. The waiting rows are those at
 * the start, and they replace the rows of ClickHouse.
 */
export async function* merchantLines({ filter, waiting, ask }: MerchantStreamOptions): AsyncGenerator<string[]> {
  const { fromMs, untilMs } = rangeOf(filter);
  let left = [...waiting];
  let after: TransactionKey | null = null;
  let lookedUntilMs = untilMs;
  let looked = LOOKED_FIRST;
  let limit = BATCH_ROWS_FIRST;
  let lowMs: number | null = null;
  while (lookedUntilMs > fromMs) {
    const range: Range = { fromMs, untilMs: lookedUntilMs, after };
    const { low, lines, wanted }: Batch & { low: number } = await ask(async (queries) => {
      // The end of a span is known if a batch has not finished it.
      const lowest: number = lowMs ?? (await queries.edge(range, looked)) ?? fromMs;
      return { low: lowest, ...(await batchOf(queries, filter, { ...range, fromMs: lowest }, limit)) };
    });
    const last = lines.at(-1);
    const isFull = last !== undefined && lines.length === wanted;
    const oldest = isFull ? keyOf(last) : { createdAtMs: low, uuid: "", terminalId: "" };
    const before: StreamedRow[] = left.filter(({ key }) => !isOlder(key, oldest));
    left = left.slice(before.length);
    const batch: string[] = before.length === 0 ? lines : merged(lines, before);
    limit = nextLimit(lines, wanted);
    if (isFull) {
      after = oldest;
      lowMs = low;
      // The key limits the next scan.
      lookedUntilMs = oldest.createdAtMs + 1;
      // The next span should fit into one batch.
      looked = Math.floor(limit * SPAN_OF_BATCH);
    } else {
      lowMs = null;
      after = null;
      lookedUntilMs = low;
      if (lines.length < limit / 4) looked = Math.min(looked * 2, LOOKED_MAX);
    }
    if (batch.length > 0) yield batch;
  }
  if (left.length > 0) yield left.map(({ line }) => line);
}

interface Batch {
  lines: string[];
  /** The number of lines if there are enough. */
  wanted: number;
}

/** Returns the requested number of lines, or fewer if they are too large. */
async function batchOf(queries: MerchantQueries, filter: MerchantTransactionFilter, range: Range, limit: number): Promise<Batch> {
  let wanted = limit;
  for (;;) {
    try {
      return { lines: await queries.lines(filter, range, wanted), wanted };
    } catch (error) {
      if (wanted <= BATCH_ROWS_MIN || !isTooLarge(error)) throw error;
      wanted = Math.max(BATCH_ROWS_MIN, Math.floor(wanted / 8));
    }
  }
}

/**
 * The error codes of ClickHouse for a result over `max_result_bytes` and for a query over its
 * memory limit.
 */
function isTooLarge(error: unknown): boolean {
  return error instanceof ClickHouseError && (error.code === "396" || error.code === "241");
}

function nextLimit(lines: readonly string[], limit: number): number {
  if (lines.length === 0) return limit;
  const bytes = lines.reduce((sum, line) => sum + line.length, 0) / lines.length;
  return Math.max(BATCH_ROWS_MIN, Math.min(BATCH_ROWS_MAX, limit * 4, Math.floor(BATCH_BYTES_WANTED / bytes)));
}

function keyOf(line: string): TransactionKey {
  const { createdAtMs, uuid, terminalId } = readLine(line).transaction;
  return { createdAtMs, uuid, terminalId };
}

function merged(lines: readonly string[], waiting: readonly StreamedRow[]): string[] {
  return [...lines.map((line) => ({ line, key: keyOf(line) })), ...waiting]
    .sort(({ key: one }, { key: other }) => (isOlder(one, other) ? 1 : -1))
    .map(({ line }) => line);
}

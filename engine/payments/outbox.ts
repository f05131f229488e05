import type { Operation } from "../kernel/kv.ts";
import type { FeedRow } from "./feed-row.ts";

/** Rows that ClickHouse has not confirmed: `o/<13 digits of milliseconds>-<unique>`. */
export const OUTBOX = "o/";

export const MS_DIGITS = 13;

/**
 * Puts a row into the outbox, within the commit that makes it true. `atMs` is wall time, milliseconds UTC; `unique` tells apart rows of
 * one millisecond from all writers.
 */
export function outboxOperation(row: FeedRow, atMs: number, unique: string): Operation {
  return { type: "put", key: `${outboxKeyAt(atMs)}-${unique}`, value: JSON.stringify(row) };
}

/** The first key that a row written at `atMs` can have. */
export function outboxKeyAt(atMs: number): string {
  return OUTBOX + String(Math.max(0, Math.floor(atMs))).padStart(MS_DIGITS, "0");
}

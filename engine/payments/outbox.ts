import type { Operation } from "../kernel/kv.ts";
import { timeDigits } from "../kernel/time-digits.ts";
import type { FeedRow } from "./feed-row.ts";
import { changedRows, type ObjectRow } from "./object-row.ts";

/** Rows that ClickHouse has not confirmed: `o/<13 digits of milliseconds>-<unique>`. */
export const OUTBOX = "o/";

/**
 * Puts a row into the outbox, within the commit that makes it true. `atMs` is wall time, milliseconds UTC; `unique` tells apart rows of
 * one millisecond from all writers.
 */
export function outboxOperation(row: FeedRow, atMs: number, unique: string): Operation {
  return { type: "put", key: `${outboxKeyAt(atMs)}-${unique}`, value: JSON.stringify(row) };
}

/** The first key that a row written at `atMs` can have. */
export function outboxKeyAt(atMs: number): string {
  return OUTBOX + timeDigits(atMs);
}

/** Of an id that goes into a key: some are made of what a caller has sent. */
const ID_LENGTH_MAX = 150;

/**
 * Puts the rows of a merchant's things into the outbox that a commit changes, within that commit. It holds only if the things are as they were read, so that of a thing and a version
 * there is one row.
 */
export function objectRowOperations(before: readonly ObjectRow[], after: readonly ObjectRow[], atMs: number): Operation[] {
  return changedRows(before, after).map((row) => {
    const { object, id, version } = row;
    return outboxOperation(row, atMs, `${object}-${id.slice(0, ID_LENGTH_MAX)}-${version.toString(36)}`);
  });
}

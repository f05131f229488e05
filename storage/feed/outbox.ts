import type { FeedRow } from "../../engine/domain/feed-row.ts";
import { type Entry, type Kv, type Operation, prefixRange } from "../kv/kv.ts";

/** Rows that ClickHouse has not confirmed: `o/<13 digits of milliseconds>-<unique>`. */
const OUTBOX = "o/";

/** Rows that ClickHouse refused, set aside under their outbox key with the reason: `op/<milliseconds>-<unique>`. */
const REFUSED = "op/";

const MS_DIGITS = 13;

/** Entries of one scan: a row is a kilobyte, at worst some hundred, and a scan is held in memory as a whole. */
const SCAN_ENTRIES = 1_000;

/** A row in the outbox. `row` is null where the text cannot be read as one. */
export interface OutboxEntry {
  key: string;
  writtenAtMs: number;
  value: string;
  row: FeedRow | null;
}

/** A refused row as it is kept for operators; `value` is the outbox text. */
export interface RefusedRow {
  reason: string;
  refusedAtMs: number;
  value: string;
}

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

/** Up to `limit` rows in the order of their keys, from key `from` (null: from the start). */
export async function* readOutbox(kv: Kv, from: string | null, limit: number): AsyncGenerator<OutboxEntry> {
  for await (const { key, value } of entriesOf(kv, OUTBOX, from, limit)) {
    yield { key, writtenAtMs: Number(key.slice(OUTBOX.length, OUTBOX.length + MS_DIGITS)), value, row: readRow(value) };
  }
}

/** The rows that wait (from key `from`) or were refused and whose JSON contains `text`; null when there are more than `limit` to look at. */
export async function findInOutbox(kv: Kv, from: string | null, text: string, limit: number): Promise<FeedRow[] | null> {
  const found: FeedRow[] = [];
  let looked = 0;
  for (const [prefix, start] of [
    [OUTBOX, from],
    [REFUSED, null],
  ] as const) {
    for await (const { value } of entriesOf(kv, prefix, start, limit + 1 - looked)) {
      looked += 1;
      if (looked > limit) return null;
      const rowText = prefix === REFUSED ? refusedText(value) : value;
      const row = rowText.includes(text) ? readRow(rowText) : null;
      if (row !== null) found.push(row);
    }
  }
  return found;
}

/** Moves an entry out of the outbox to where operators find what was refused. */
export function setAsideOperations(entry: OutboxEntry, reason: string, atMs: number): Operation[] {
  const refused: RefusedRow = { reason, refusedAtMs: atMs, value: entry.value };
  return [
    { type: "put", key: REFUSED + entry.key.slice(OUTBOX.length), value: JSON.stringify(refused) },
    { type: "delete", key: entry.key },
  ];
}

async function* entriesOf(kv: Kv, prefix: string, from: string | null, limit: number): AsyncGenerator<Entry> {
  const range = prefixRange(prefix);
  let next = from ?? range.from;
  let left = limit;
  while (left > 0) {
    const page = Math.min(left, SCAN_ENTRIES);
    const entries = await kv.scan({ from: next, to: range.to, limit: page });
    yield* entries;
    const last = entries.at(-1);
    if (last === undefined || entries.length < page) return;
    // The smallest key after the last one; bounds may hold what keys may not.
    next = `${last.key}\u0001`;
    left -= entries.length;
  }
}

/** The outbox holds what `outboxOperation` wrote, so its shape is not checked again beyond its discriminator. */
function readRow(value: string): FeedRow | null {
  try {
    const row: FeedRow | null = JSON.parse(value);
    return row !== null && typeof row === "object" && "type" in row ? row : null;
  } catch {
    return null;
  }
}

function refusedText(value: string): string {
  const refused: RefusedRow = JSON.parse(value);
  return refused.value;
}

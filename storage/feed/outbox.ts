import { type Entry, type Kv, prefixRange } from "../../engine/kernel/kv.ts";
import { assertReadable } from "../../engine/kernel/schemas.ts";
import { TIME_DIGITS } from "../../engine/kernel/time-digits.ts";
import type { FeedRow } from "../../engine/payments/feed-row.ts";
import { OUTBOX } from "../../engine/payments/outbox.ts";
import { ranked } from "../../engine/payments/row-version.ts";

const OUTBOX_KEY = new RegExp(`^${OUTBOX}\\d{${TIME_DIGITS}}-[ -~]{1,200}$`);

/** Deletions per commit. They keep the store's single thread busy for a few milliseconds. */
const CONFIRMED_AT_ONCE = 5_000;

/**
 * Entries of one scan, which memory holds as a whole. A row has about a kilobyte, and a few hundred
 * at worst.
 */
const SCAN_ENTRIES = 1_000;

/** A row in the outbox. `row` is null if the text cannot be read as a row. */
export interface OutboxEntry {
  key: string;
  writtenAtMs: number;
  value: string;
  /** The version of the commit that wrote the row. */
  version: number;
  row: FeedRow | null;
}

/**
 * Yields up to `limit` entries in the order of their keys, from key `from` (null: from the start),
 * in pages. `outboxEntryOf` parses an entry, so that a reader which stops early parses no others.
 */
export function outboxPages(kv: Kv, from: string | null, limit: number): AsyncGenerator<Entry[]> {
  return pagesOf(kv, OUTBOX, from, limit);
}

export function outboxEntryOf({ key, value, version }: Entry): OutboxEntry {
  return { key, writtenAtMs: writtenAtMsOf(key), value, version, row: fromStore(readRow(value), version) };
}

/** Returns the time when a row was written, from its outbox key. */
export function writtenAtMsOf(key: string): number {
  return Number(key.slice(OUTBOX.length, OUTBOX.length + TIME_DIGITS));
}

/** Returns the value if it is an outbox key, or null. */
export function outboxKeyOf(value: unknown): string | null {
  return typeof value === "string" && OUTBOX_KEY.test(value) ? value : null;
}

/** Deletes rows that ClickHouse has. Rows that no longer exist are ignored. */
export async function confirmOutbox(kv: Kv, keys: readonly string[], atOnce = CONFIRMED_AT_ONCE): Promise<void> {
  for (let start = 0; start < keys.length; start += atOnce) {
    const operations = keys.slice(start, start + atOnce).map((key) => ({ type: "delete", key }) as const);
    await kv.commit({ checks: [], operations });
  }
}

/** A row in the outbox as stored text. */
export type OutboxText = Omit<OutboxEntry, "row">;

/**
 * Returns one page of the outbox without parsing the rows, from key `from` (null: the start) to
 * before key `until` (null: the end).
 */
export async function pageOutbox(kv: Kv, from: string | null, until: string | null, limit: number): Promise<OutboxText[]> {
  const range = prefixRange(OUTBOX);
  const entries = await kv.scan({ from: from ?? range.from, to: until ?? range.to, limit });
  return entries.map(({ key, value, version }) => ({ key, value, version, writtenAtMs: writtenAtMsOf(key) }));
}

/** Counts rows from key `from` on, up to `limit`, by their keys alone. */
export function countOutbox(kv: Kv, from: string, limit: number): Promise<number> {
  return kv.count({ from, to: prefixRange(OUTBOX).to, limit });
}

/**
 * Yields up to `limit` entries under a prefix in the order of their keys, from key `from` (null:
 * the first).
 */
export async function* entriesOf(kv: Kv, prefix: string, from: string | null, limit: number): AsyncGenerator<Entry> {
  for await (const page of pagesOf(kv, prefix, from, limit)) yield* page;
}

async function* pagesOf(kv: Kv, prefix: string, from: string | null, limit: number): AsyncGenerator<Entry[]> {
  const range = prefixRange(prefix);
  let next = from ?? range.from;
  let left = limit;
  while (left > 0) {
    const page = Math.min(left, SCAN_ENTRIES);
    const entries = await kv.scan({ from: next, to: range.to, limit: page });
    if (entries.length > 0) yield entries;
    const last = entries.at(-1);
    if (last === undefined || entries.length < page) return;
    // The smallest key after the last one; bounds may contain characters that keys may not.
    next = `${last.key}\u0001`;
    left -= entries.length;
  }
}

/**
 * Returns a row of the outbox. `outboxOperation` wrote it, so only its discriminator is checked.
 * Returns null if that is missing.
 */
export function readRow(value: string): FeedRow | null {
  try {
    const row: (FeedRow & { schema?: unknown }) | null = JSON.parse(value);
    if (row === null || typeof row !== "object" || !("type" in row)) return null;
    assertReadable("outboxRow", "a row", row.schema);
    return ranked(row);
  } catch {
    return null;
  }
}

/** Returns the row with the version that the store gave it. */
export function fromStore<Row extends FeedRow | null>(row: Row, storeVersion: number): Row {
  if (row !== null && row.type !== "conflict") row.storeVersion = storeVersion;
  return row;
}

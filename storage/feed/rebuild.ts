import { type Entry, type Kv, prefixRange } from "../../engine/kernel/kv.ts";
import { readBareRecord } from "../../engine/kernel/schemas.ts";
import type { LinkRecord } from "../../engine/links/link.ts";
import { linkRow } from "../../engine/links/link-change.ts";
import { LINKS } from "../../engine/links/link-store.ts";
import { attentionKey } from "../../engine/payments/attention.ts";
import type { FeedRow } from "../../engine/payments/feed-row.ts";
import { rowsOf } from "../../engine/terminals/result-decision.ts";
import { COMMANDS, readCommandEntry } from "../../engine/terminals/terminal-store.ts";
import { bisectBatch } from "./bisect-batch.ts";
import { deliver, type FeedSink } from "./feed-sink.ts";
import { objectSources } from "./object-records.ts";
import { fromStore } from "./outbox.ts";
import { type RowSubject, rowsSetAside, type SetAsideRow, ToldOfRefused } from "./set-aside.ts";
import { noteUnfilled } from "./shops-since.ts";

/** Records of one scan. A record has a few kilobytes, and a few hundred at worst. */
const PAGE_RECORDS = 1_000;

/** Rows of one insert. */
const BATCH_ROWS = 10_000;

/**
 * Rows of one insert that were refused before. Finding a row that is refused again costs a dozen
 * inserts.
 */
const BATCH_ASIDE = 1_000;

export interface RebuildProgress {
  /**
   * Records of commands and links that were read, and the ones among them that have ended or have a
   * result.
   */
  records: number;
  ended: number;
  /**
   * Other records of merchants that were read: portal links, disputes, alerts and subscriptions.
   */
  things: number;
  /** Rows inserted. */
  rows: number;
  /** Inserted rows that are no longer set aside. */
  setAside: number;
  /** Rows that ClickHouse refuses, and records that cannot be read. */
  refused: number;
}

export interface RebuildOptions {
  kv: Kv;
  sink: FeedSink;
  /** Called after each insert. */
  onProgress?: (progress: RebuildProgress) => void;
  /** Called for each skipped row. The reason quotes nothing of it. */
  onRefused?: (uuid: string, reason: string) => void;
  /** Ends the work before the next insert; the promise then rejects with the signal's reason. */
  signal?: AbortSignal;
}

interface Pending {
  uuid: string;
  row: FeedRow;
  /** The entry if the row was set aside. */
  aside?: SetAsideRow;
}

/**
 * Inserts again the rows of all ended commands, stored results, ended links and other objects of
 * merchants. The rows keep their keys and versions, so running this again or beside the feed
 * changes nothing. Then it inserts rows that were refused and set aside, including conflicts; other
 * conflicts are stored in ClickHouse only.
 *
 * The entry for operators about a refused row is removed when the row is inserted. Entries about
 * damaged parts are removed at the end. The next start copies rows stored before `shop` existed
 * into the merchants' table again (merchant-backfill.ts). Rejects with errors of the store or
 * ClickHouse; it can be started again.
 */
export async function rebuildAnalytics({ kv, sink, onProgress, onRefused, signal }: RebuildOptions): Promise<RebuildProgress> {
  const progress: RebuildProgress = { records: 0, ended: 0, things: 0, rows: 0, setAside: 0, refused: 0 };
  const leaveOut = (uuid: string, reason: string): void => {
    progress.refused += 1;
    onRefused?.(uuid, reason);
  };

  async function insert(pending: readonly Pending[]): Promise<void> {
    signal?.throwIfAborted();
    const refused = await bisectBatch(pending, (items) =>
      deliver(
        sink,
        items.map(({ row }) => row),
      ),
    );
    for (const { item, reason } of refused) leaveOut(item.uuid, reason);
    progress.rows += pending.length - refused.length;
    const left = new Set(refused.map(({ item }) => item));
    for (const item of pending) {
      if (item.aside === undefined) continue;
      if (left.has(item)) stillRefused.push(item.aside);
      else await forget(item.aside);
    }
    onProgress?.({ ...progress });
  }

  async function forget({ entry: { key, version } }: SetAsideRow): Promise<void> {
    // A row that was set aside again meanwhile stays.
    const { type } = await kv.commit({ checks: [{ key, version }], operations: [{ type: "delete", key }] });
    if (type === "committed") progress.setAside += 1;
  }

  // The entries are loaded before the rows: a row that is set aside from now on is reported again
  // and stays.
  const told = await ToldOfRefused.load(kv);
  const stillRefused: RowSubject[] = [];

  let pending: Pending[] = [];
  async function take(id: string, rows: readonly FeedRow[] | null): Promise<void> {
    if (rows === null) return leaveOut(id, "this version cannot read its record");
    for (const row of rows) pending.push({ uuid: id, row });
    if (pending.length < BATCH_ROWS) return;
    await insert(pending);
    pending = [];
  }

  for await (const entry of entriesOf(kv, COMMANDS)) {
    progress.records += 1;
    const rows = commandRows(entry);
    if (rows !== null && rows.length > 0) progress.ended += 1;
    await take(entry.key.slice(COMMANDS.length), rows);
  }
  const { links, others } = objectSources(kv);
  for await (const entry of entriesOf(kv, LINKS)) {
    progress.records += 1;
    const rows = linkRows(entry);
    if (rows !== null && rows.length > 0) progress.ended += 1;
    // The refunds of a link are read together with the link.
    await take(entry.key.slice(LINKS.length), rows === null ? null : [...rows, ...((await links.rows(entry)) ?? [])]);
  }
  for (const { prefix, rows } of others) {
    for await (const entry of entriesOf(kv, prefix)) {
      progress.things += 1;
      await take(entry.key.slice(prefix.length), await rows(entry));
    }
  }
  await insert(pending);
  pending = [];
  for await (const aside of rowsSetAside(kv)) {
    const uuid = aside.uuid ?? aside.entry.key;
    if (aside.row === null) {
      leaveOut(uuid, "the outbox entry is not JSON of a row");
      stillRefused.push(aside);
      continue;
    }
    pending.push({ uuid, row: aside.row, aside });
    if (pending.length >= BATCH_ASIDE) {
      await insert(pending);
      pending = [];
    }
  }
  await insert(pending);
  await told.settle(stillRefused);
  await forgetDamage(kv);
  await noteUnfilled(kv);
  return progress;
}

async function* entriesOf(kv: Kv, prefix: string): AsyncGenerator<Entry> {
  const range = prefixRange(prefix);
  for (let from = range.from; ; ) {
    const page = await kv.scan({ from, to: range.to, limit: PAGE_RECORDS });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_RECORDS) return;
    from = `${last.key}\u0001`;
  }
}

/**
 * Removes the entries about damaged parts, since their rows exist again. The next query that fails
 * reports a part that still cannot be read.
 */
async function forgetDamage(kv: Kv): Promise<void> {
  for await (const { key, version } of entriesOf(kv, attentionKey("clickhouse_damaged", "", ""))) {
    await kv.commit({ checks: [{ key, version }], operations: [{ type: "delete", key }] });
  }
}

/** Returns null for an unknown schema, or for a text that is not a record. */
function commandRows(entry: Entry): readonly FeedRow[] | null {
  try {
    return rowsOf(readCommandEntry(entry)).map((row) => fromStore(row, entry.version));
  } catch {
    return null;
  }
}

function linkRows({ value, version }: Entry): readonly FeedRow[] | null {
  const record = readLink(value);
  if (record === null) return null;
  const row = linkRow(record);
  return row === null ? [] : [fromStore(row, version)];
}

function readLink(text: string): LinkRecord | null {
  try {
    return readBareRecord("link", "a link", text);
  } catch {
    return null;
  }
}

import type { FeedRow } from "../../engine/domain/feed-row.ts";
import type { LinkRecord } from "../../engine/domain/link.ts";
import { linkRow } from "../../engine/domain/link-row.ts";
import { rowsOf } from "../../engine/runtime/recording.ts";
import { deliverApart } from "../feed/deliver-apart.ts";
import { deliver, type FeedSink } from "../feed/feed-sink.ts";
import { fromStore } from "../feed/outbox.ts";
import { type Entry, type Kv, prefixRange } from "../kv/kv.ts";
import { LINKS } from "./link-store.ts";
import { readCommand } from "./terminal-records.ts";
import { COMMANDS } from "./terminal-store.ts";

/** Records of one scan: a record is some kilobytes, at worst some hundred. */
const PAGE_RECORDS = 1_000;

/** Rows of one insert. */
const BATCH_ROWS = 10_000;

export interface RebuildProgress {
  /** Records of commands and links read, and those among them that have ended or have a result. */
  records: number;
  ended: number;
  /** Rows inserted. */
  rows: number;
  /** Rows that ClickHouse refuses, and records that cannot be read. */
  refused: number;
}

export interface RebuildOptions {
  kv: Kv;
  sink: FeedSink;
  /** Told after each insert. */
  onProgress?: (progress: RebuildProgress) => void;
  /** Told of each row that is left out; the reason quotes nothing of it. */
  onRefused?: (uuid: string, reason: string) => void;
}

interface Pending {
  uuid: string;
  row: FeedRow;
}

/**
 * Inserts the rows of all ended commands, stored results and ended links again, with the keys and versions that they had before, so that repeating it
 * changes nothing, and running it beside the feed neither. Conflicts are in ClickHouse alone and are not among them. Rejects with what the
 * store or ClickHouse rejects with; it can be started again.
 */
export async function rebuildAnalytics({ kv, sink, onProgress, onRefused }: RebuildOptions): Promise<RebuildProgress> {
  const progress: RebuildProgress = { records: 0, ended: 0, rows: 0, refused: 0 };
  const leaveOut = (uuid: string, reason: string): void => {
    progress.refused += 1;
    onRefused?.(uuid, reason);
  };

  async function insert(pending: readonly Pending[]): Promise<void> {
    const refused = await deliverApart(pending, (items) =>
      deliver(
        sink,
        items.map(({ row }) => row),
      ),
    );
    for (const { item, reason } of refused) leaveOut(item.uuid, reason);
    progress.rows += pending.length - refused.length;
    onProgress?.({ ...progress });
  }

  let pending: Pending[] = [];
  for (const { prefix, rowsIn } of [
    { prefix: COMMANDS, rowsIn: commandRows },
    { prefix: LINKS, rowsIn: linkRows },
  ]) {
    for await (const { key, value, version } of entriesOf(kv, prefix)) {
      const uuid = key.slice(prefix.length);
      progress.records += 1;
      const rows = rowsIn(uuid, value);
      if (rows === null) {
        leaveOut(uuid, "its record is not one that this version can read");
        continue;
      }
      if (rows.length > 0) progress.ended += 1;
      for (const row of rows) pending.push({ uuid, row: fromStore(row, version) });
      if (pending.length >= BATCH_ROWS) {
        await insert(pending);
        pending = [];
      }
    }
  }
  await insert(pending);
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

/** A record of another schema, or none at all, is left to a version that knows it: null. */
function commandRows(uuid: string, text: string): readonly FeedRow[] | null {
  try {
    return rowsOf(readCommand(uuid, text));
  } catch {
    return null;
  }
}

function linkRows(_: string, text: string): readonly FeedRow[] | null {
  const record = readLink(text);
  if (record === null) return null;
  const row = linkRow(record);
  return row === null ? [] : [row];
}

function readLink(text: string): LinkRecord | null {
  try {
    const record: LinkRecord = JSON.parse(text);
    return record.schema === 1 ? record : null;
  } catch {
    return null;
  }
}

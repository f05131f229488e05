import type { FeedRow } from "../../engine/domain/feed-row.ts";
import type { CommandRecord } from "../../engine/domain/terminal-record.ts";
import { rowsOf } from "../../engine/runtime/recording.ts";
import { type Entry, type Kv, prefixRange } from "../kv/kv.ts";
import { deliverApart } from "./deliver-apart.ts";
import type { FeedSink } from "./feed-sink.ts";

/** Command records, as storage/stores/terminal-store.ts keeps them: `c/<uuid>`. */
const COMMANDS = "c/";

/** Records of one scan: a record is some kilobytes, at worst some hundred. */
const PAGE_RECORDS = 1_000;

/** Rows of one insert. */
const BATCH_ROWS = 10_000;

export interface RebuildProgress {
  /** Command records read, and those among them that have ended or have a result. */
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
 * Inserts the rows of all ended commands and stored results again, with the keys and versions that they had before, so that repeating it
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
    const refused = await deliverApart(pending, (items) => sink.deliver(items.map(({ row }) => row)));
    for (const { item, reason } of refused) leaveOut(item.uuid, reason);
    progress.rows += pending.length - refused.length;
    onProgress?.({ ...progress });
  }

  let pending: Pending[] = [];
  for await (const entry of commandsOf(kv)) {
    const uuid = entry.key.slice(COMMANDS.length);
    progress.records += 1;
    const record = readRecord(entry.value);
    if (record === null) {
      leaveOut(uuid, "its record is not one that this version can read");
      continue;
    }
    const rows = rowsOf(record);
    if (rows.length > 0) progress.ended += 1;
    for (const row of rows) pending.push({ uuid, row });
    if (pending.length >= BATCH_ROWS) {
      await insert(pending);
      pending = [];
    }
  }
  await insert(pending);
  return progress;
}

async function* commandsOf(kv: Kv): AsyncGenerator<Entry> {
  const range = prefixRange(COMMANDS);
  for (let from = range.from; ; ) {
    const page = await kv.scan({ from, to: range.to, limit: PAGE_RECORDS });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_RECORDS) return;
    from = `${last.key}\u0001`;
  }
}

/** A record of another schema, or none at all, is left to a version that knows it. */
function readRecord(text: string): CommandRecord | null {
  try {
    const record: CommandRecord = JSON.parse(text);
    return record.schema === 1 ? record : null;
  } catch {
    return null;
  }
}

import type { ClickHouseClient } from "@clickhouse/client";
import type { Clock } from "../../engine/kernel/clock.ts";
import { type Kv, prefixRange } from "../../engine/kernel/kv.ts";
import type { Timers } from "../../engine/kernel/timers.ts";
import type { ObjectRow } from "../../engine/payments/object-row.ts";
import { bisectBatch } from "./bisect-batch.ts";
import { deliver, type FeedSink } from "./feed-sink.ts";
import { LeaderLease } from "./leader-lease.ts";
import { type ObjectSource, objectSources } from "./object-records.ts";
import { loadObjectsFilled, noteObjectsFilled } from "./objects-filled.ts";
import { type Attempted, type OnceInBackground, onceInBackground } from "./once-in-background.ts";
import { pause } from "./pause.ts";
import { tableOf } from "./table-id.ts";

/** Records of one scan and one insert. A record has a few kilobytes, and a few hundred at worst. */
const PAGE_RECORDS = 500;

/**
 * Pauses after an insert, which creates a part on disk that ClickHouse has to merge, and after a
 * scan of records without rows.
 */
const INSERT_PAUSE_MS = 500;
const SCAN_PAUSE_MS = 20;

const TABLE = "merchant_objects";

export interface ObjectBackfillCounts {
  /** Rows inserted. */
  rows: number;
  /** Records that cannot be read, and rows that ClickHouse refuses. */
  leftOut: number;
}

export type ObjectBackfillEvent =
  | ({ type: "filled" } & ObjectBackfillCounts)
  /** Reported once until the work continues. */
  | { type: "away"; error: unknown };

export interface ObjectBackfillOptions {
  kv: Kv;
  client: ClickHouseClient;
  sink: FeedSink;
  clock: Clock;
  timers: Timers;
  onEvent(event: ObjectBackfillEvent): void;
}

/**
 * Inserts the rows of all objects of merchants in the store: links, refunds, disputes, alerts,
 * subscriptions and charges that were stored before their commits wrote rows. This happens once for
 * each ClickHouse, on one node at a time, page by page. Repeating it changes nothing, as rows fed
 * since then have higher versions. After a crash it continues within a few pages of its position.
 * It never fails: it tries again.
 */
export function startObjectBackfill(options: ObjectBackfillOptions): OnceInBackground {
  const lease = new LeaderLease(options.kv, options.clock, "objects");
  const away = (error: unknown) => options.onEvent({ type: "away", error });
  return onceInBackground(options.timers, (signal) => fillAtTurn(options, lease, signal), away);
}

async function fillAtTurn(options: ObjectBackfillOptions, lease: LeaderLease, signal: AbortSignal): Promise<Attempted> {
  const { kv, client, timers, onEvent } = options;
  const table = await tableOf(client, TABLE);
  const filled = await loadObjectsFilled(kv);
  if (filled?.record.table === table) return "done";
  const turn = await lease.acquire();
  if (turn === null) return "waits";
  const counts = { rows: 0, leftOut: 0 };
  let after = positionIn(turn.cursor, table);
  try {
    for await (const { last, rows, unread } of pagesAfter(kv, after)) {
      const refused = await inserted(options.sink, rows);
      counts.rows += rows.length - refused;
      counts.leftOut += unread + refused;
      after = last;
      await pause(timers, rows.length > 0 ? INSERT_PAUSE_MS : SCAN_PAUSE_MS, signal);
      if (signal.aborted || !(await lease.renew(cursorOf(table, after)))) return "waits";
    }
    await noteObjectsFilled(kv, filled, table);
    onEvent({ type: "filled", ...counts });
    return "done";
  } finally {
    await lease.release(cursorOf(table, after)).catch(() => undefined);
  }
}

/** Inserts the rows. Resolves with the number of rows that ClickHouse refuses. */
async function inserted(sink: FeedSink, rows: readonly ObjectRow[]): Promise<number> {
  return (await bisectBatch(rows, (some) => deliver(sink, some))).length;
}

/**
 * Returns the last key that was processed, or null for none. The cursor of another table does not
 * count.
 */
function positionIn(cursor: string | null, table: string): string | null {
  const prefix = cursorOf(table, "");
  return cursor?.startsWith(prefix) === true && cursor.length > prefix.length ? cursor.slice(prefix.length) : null;
}

function cursorOf(table: string, after: string | null): string {
  return `${table} ${after ?? ""}`;
}

interface Page {
  /** The last key of the page. */
  last: string;
  rows: readonly ObjectRow[];
  unread: number;
}

async function* pagesAfter(kv: Kv, after: string | null): AsyncGenerator<Page> {
  const { links, others } = objectSources(kv);
  const sources = [...others, links];
  const begun =
    after === null
      ? 0
      : Math.max(
          0,
          sources.findIndex(({ prefix }) => after.startsWith(prefix)),
        );
  for (const [index, source] of sources.entries()) {
    if (index < begun) continue;
    yield* pagesOf(kv, source, index === begun ? after : null);
  }
}

async function* pagesOf(kv: Kv, { prefix, rows: rowsOf }: ObjectSource, after: string | null): AsyncGenerator<Page> {
  const range = prefixRange(prefix);
  for (let from = after === null ? range.from : behind(after); ; ) {
    const entries = await kv.scan({ from, to: range.to, limit: PAGE_RECORDS });
    const last = entries.at(-1);
    if (last === undefined) return;
    const rows: ObjectRow[] = [];
    let unread = 0;
    for (const entry of entries) {
      const found = await rowsOf(entry);
      if (found === null) unread += 1;
      else rows.push(...found);
    }
    yield { last: last.key, rows, unread };
    if (entries.length < PAGE_RECORDS) return;
    from = behind(last.key);
  }
}

/** Returns the smallest key after this one. Bounds may contain characters that keys may not. */
function behind(key: string): string {
  return `${key}\u0001`;
}

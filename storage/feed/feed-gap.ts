import type { Kv, Operation } from "../../engine/kernel/kv.ts";
import { CONFLICT, retryOnConflict } from "../../engine/kernel/retry-on-conflict.ts";
import { readBareRecord, recordText } from "../../engine/kernel/schemas.ts";
import type { Stored } from "../../engine/kernel/stored.ts";
import type { Timers } from "../../engine/kernel/timers.ts";
import { OUTBOX } from "../../engine/payments/outbox.ts";
import type { FeedSink } from "./feed-sink.ts";
import { type Attempted, type OnceInBackground, onceInBackground } from "./once-in-background.ts";
import { type RebuildProgress, rebuildAnalytics } from "./rebuild.ts";

const KEY = "feed/gap";

/** Only starts of one node write it, one after the other. */
const ATTEMPTS_MAX = 8;

/** Commits of a node without analytics write no rows since this time, until they are filled in. */
export interface FeedGap {
  sinceMs: number;
}

/** Returns the store of a node without analytics: its commits write no rows to the outbox. */
export function withoutOutbox(kv: Kv): Kv {
  const isKept = ({ key }: Operation) => !key.startsWith(OUTBOX);
  return {
    get: (key) => kv.get(key),
    getMany: (keys) => kv.getMany(keys),
    scan: (range) => kv.scan(range),
    count: (range) => kv.count(range),
    commit: (commit) => kv.commit(commit.operations.every(isKept) ? commit : { ...commit, operations: commit.operations.filter(isKept) }),
    close: () => kv.close(),
  };
}

/** Resolves with null if no rows are missing. Rejects with StorageUnavailable. */
export async function loadFeedGap(kv: Kv): Promise<Stored<FeedGap> | null> {
  const entry = await kv.get(KEY);
  return entry === null ? null : { record: readBareRecord<FeedGap>("feedGap", KEY, entry.value), version: entry.version };
}

/** Notes that rows are missing from now on. Rejects with StorageUnavailable. */
export function noteFeedGap(kv: Kv, sinceMs: number): Promise<void> {
  return retryOnConflict(ATTEMPTS_MAX, async () => {
    if ((await kv.get(KEY)) !== null) return;
    const operations = [{ type: "put", key: KEY, value: recordText("feedGap", { sinceMs } satisfies FeedGap) } as const];
    return (await kv.commit({ checks: [{ key: KEY, version: 0 }], operations })).type === "committed" ? undefined : CONFLICT;
  });
}

export interface GapFillOptions {
  kv: Kv;
  sink: FeedSink;
  timers: Timers;
  onEvent(event: ({ type: "filled" } & FeedGap & RebuildProgress) | { type: "away"; error: unknown }): void;
}

/**
 * Inserts the rows of everything in the store if it was used without analytics before. It never
 * fails: it tries again. After a crash it starts over; rows that are there already stay as they
 * are.
 */
export function startGapFill({ kv, sink, timers, onEvent }: GapFillOptions): OnceInBackground {
  const attempt = async (signal: AbortSignal): Promise<Attempted> => {
    const gap = await loadFeedGap(kv);
    if (gap === null) return "done";
    const progress = await rebuildAnalytics({ kv, sink, signal });
    await kv.commit({ checks: [{ key: KEY, version: gap.version }], operations: [{ type: "delete", key: KEY }] });
    onEvent({ type: "filled", ...gap.record, ...progress });
    return "done";
  };
  return onceInBackground(timers, attempt, (error) => onEvent({ type: "away", error }));
}

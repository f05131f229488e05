import type { Redis } from "ioredis";
import type { Address } from "../../../engine/kernel/bus.ts";
import type { Clock } from "../../../engine/kernel/clock.ts";
import type { Timers } from "../../../engine/kernel/timers.ts";
import { STREAM_ENTRIES_MAX, streamOf } from "./cluster-bus.ts";

const BLOCK_MS = 2_000;
const READ_ENTRIES_MAX = 500;
const PAUSE_MS = 200;

/** A stream is kept this long after its node's last renewal, in case the node is disconnected for a moment. */
const STREAM_LIFETIME_SECONDS = 120;

/** How often read entries are removed and the reader's delay is measured: each time costs Redis a sync of its file. */
const TIDY_MS = 1_000;

/** How far a reader was behind at the last measurement. */
export interface StreamStats {
  /** Entries that have not been read yet. */
  waiting: number;
  /** Age of the last entry when it was read, on Redis's clock. */
  delayMs: number;
  /** Entries that were trimmed before they could be read, since the start. */
  lost: number;
}

export interface StreamReader {
  stats(): StreamStats;
  stop(): Promise<void>;
}

export interface StreamReaderOptions {
  /** A connection of its own: a blocking read holds it. */
  redis: Redis;
  keyPrefix: string;
  incarnation: string;
  clock: Pick<Clock, "monotonicMs">;
  timers: Timers;
  /** Redis's clock, milliseconds. */
  redisNowMs(): number;
  deliver(thread: Address, entryMs: number, bytes: Uint8Array): void;
  failed(error: unknown): void;
}

/** Reads the stream of this node's incarnation from its start, each entry once, and gives each to its shard. */
export function startStreamReader(options: StreamReaderOptions): StreamReader {
  const { redis, keyPrefix, incarnation, clock, timers, redisNowMs, deliver, failed } = options;
  const stream = streamOf(keyPrefix, incarnation);
  let stopped = false;
  let last = "0";
  let entriesRead = 0;
  let tidiedAt = Number.NEGATIVE_INFINITY;
  let tidiedUntil = last;
  const stats: StreamStats = { waiting: 0, delayMs: 0, lost: 0 };

  async function read(): Promise<void> {
    const answer = await redis.xreadBuffer("COUNT", READ_ENTRIES_MAX, "BLOCK", BLOCK_MS, "STREAMS", stream, last);
    if (answer === null) return;
    for (const [, entries] of answer) {
      for (const [id, fields] of entries) {
        last = id.toString("latin1");
        entriesRead += 1;
        const entryMs = Number(last.slice(0, last.indexOf("-")));
        stats.delayMs = Math.max(0, Math.round(redisNowMs() - entryMs));
        const [, thread, , bytes] = fields;
        if (thread !== undefined && bytes !== undefined) deliver(thread.toString("latin1"), entryMs, bytes);
      }
    }
  }

  /**
   * Nobody reads an entry again. Everything before `last` is trimmed; further entries that were added and no longer exist were trimmed
   * unread.
   */
  async function tidy(): Promise<void> {
    tidiedAt = clock.monotonicMs();
    tidiedUntil = last;
    await redis.pipeline().xtrim(stream, "MINID", last).expire(stream, STREAM_LIFETIME_SECONDS).exec();
    const answer: unknown = await redis.xinfo("STREAM", stream);
    if (!Array.isArray(answer)) return;
    const fields = new Map(Array.from({ length: answer.length / 2 }, (_, index) => [String(answer[2 * index]), answer[2 * index + 1]]));
    const first: unknown = fields.get("first-entry");
    const lastIsThere = Array.isArray(first) && String(first[0]) === last;
    stats.waiting = Number(fields.get("length")) - (lastIsThere ? 1 : 0);
    const added = Number(fields.get("entries-added"));
    // Redis before 7 does not count entries; a removed stream starts again.
    if (Number.isNaN(added)) return;
    if (added < entriesRead) entriesRead = added - stats.waiting;
    const lost = added - entriesRead - stats.waiting;
    stats.lost += lost;
    entriesRead += lost;
  }

  async function run(): Promise<void> {
    while (!stopped) {
      try {
        await read();
        if (last !== tidiedUntil && clock.monotonicMs() - tidiedAt >= TIDY_MS) await tidy();
      } catch (error) {
        if (stopped) return;
        failed(error);
        await new Promise<void>((resolve) => timers.set(PAUSE_MS, resolve));
      }
    }
  }

  const running = run();
  return {
    stats: () => ({ ...stats }),
    stop: async () => {
      stopped = true;
      redis.disconnect();
      await running;
    },
  };
}

/** Writes to the streams of other nodes. */
export function createStreamWriter(redis: Redis, keyPrefix: string) {
  return async (incarnation: string, thread: Address, bytes: Uint8Array): Promise<void> => {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    await redis.xadd(streamOf(keyPrefix, incarnation), "MAXLEN", "~", STREAM_ENTRIES_MAX, "*", "s", thread, "b", buffer);
  };
}

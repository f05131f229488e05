import type { Redis } from "ioredis";
import type { Address } from "../../../engine/ports/bus.ts";
import { STREAM_ENTRIES_MAX, streamOf } from "./cluster-bus.ts";

const BLOCK_MS = 2_000;
const READ_ENTRIES_MAX = 500;
const PAUSE_MS = 200;

/** A stream outlives its node by this much, for the case that the node is cut off for a moment. */
const STREAM_LIFETIME_SECONDS = 120;

export interface StreamReaderOptions {
  /** A connection of its own: a blocking read holds it. */
  redis: Redis;
  keyPrefix: string;
  incarnation: string;
  deliver(thread: Address, entryMs: number, bytes: Uint8Array): void;
  failed(error: unknown): void;
}

/** Reads the stream of this node's incarnation from its start, each entry once, and gives each to its shard. */
export function startStreamReader({ redis, keyPrefix, incarnation, deliver, failed }: StreamReaderOptions): { stop(): Promise<void> } {
  const stream = streamOf(keyPrefix, incarnation);
  let stopped = false;
  let last = "0";

  async function read(): Promise<void> {
    const answer = await redis.xreadBuffer("COUNT", READ_ENTRIES_MAX, "BLOCK", BLOCK_MS, "STREAMS", stream, last);
    if (answer === null) return;
    for (const [, entries] of answer) {
      for (const [id, fields] of entries) {
        last = id.toString("latin1");
        const entryMs = Number(last.slice(0, last.indexOf("-")));
        const [, thread, , bytes] = fields;
        if (thread !== undefined && bytes !== undefined) deliver(thread.toString("latin1"), entryMs, bytes);
      }
    }
    // What was read is not read again by anybody.
    await redis.pipeline().xtrim(stream, "MINID", last).expire(stream, STREAM_LIFETIME_SECONDS).exec();
  }

  async function run(): Promise<void> {
    while (!stopped) {
      try {
        await read();
      } catch (error) {
        if (stopped) return;
        failed(error);
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }
  }

  const running = run();
  return {
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

import type { Redis } from "ioredis";
import { createRedis } from "../../redis/connect.ts";

/** A connection without a reply for this long is closed and made again. Longer than the longest blocking read. */
const SILENCE_MAX_MS = 5_000;

/**
 * Connects for streams and membership. Commands are not sent again automatically: they could be executed twice. Commands in progress when
 * the connection breaks are rejected at once: with any other number of retries ioredis drops them if the next connection succeeds, and a
 * blocking read would never end.
 */
export function connectRedis(url: string, failed: (error: unknown) => void, options: { commandTimeoutMs?: number } = {}): Redis {
  const { commandTimeoutMs } = options;
  const redis = createRedis(url, {
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    socketTimeout: SILENCE_MAX_MS,
    ...(commandTimeoutMs === undefined ? {} : { commandTimeout: commandTimeoutMs }),
  });
  redis.on("error", failed);
  return redis;
}

import { Redis } from "ioredis";

/** A connection on which an answer is that late is broken and made again: longer than the longest blocking read takes. */
const SILENCE_MAX_MS = 5_000;

/**
 * Connects for streams and membership. Nothing is sent again by itself: what was asked twice would be told twice. What is under way when the
 * connection breaks is rejected at once: with any other number of retries ioredis forgets it where the next connection succeeds, and a
 * blocking read would be waited for for ever.
 */
export function connectRedis(url: string, failed: (error: unknown) => void, options: { commandTimeoutMs?: number } = {}): Redis {
  const { commandTimeoutMs } = options;
  const redis = new Redis(url, {
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    socketTimeout: SILENCE_MAX_MS,
    ...(commandTimeoutMs === undefined ? {} : { commandTimeout: commandTimeoutMs }),
  });
  redis.on("error", failed);
  return redis;
}

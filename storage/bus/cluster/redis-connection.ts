import { Redis } from "ioredis";

/** Connects for streams and membership. Nothing is sent again by itself: what was asked twice would be told twice. */
export function connectRedis(url: string, failed: (error: unknown) => void, options: { commandTimeoutMs?: number } = {}): Redis {
  const { commandTimeoutMs } = options;
  const redis = new Redis(url, {
    maxRetriesPerRequest: 1,
    autoResendUnfulfilledCommands: false,
    ...(commandTimeoutMs === undefined ? {} : { commandTimeout: commandTimeoutMs }),
  });
  redis.on("error", failed);
  return redis;
}

import { Redis, type RedisOptions } from "ioredis";
import { parseSentinelUrl } from "./sentinel-url.ts";

/** A Sentinel that does not answer within this time is passed over. */
const SENTINEL_MS = 1_000;

/** Pause before all Sentinels are tried again. */
const SENTINELS_AGAIN_MAX_MS = 1_000;
const SENTINELS_AGAIN_STEP_MS = 100;

/**
 * A client of the Redis at this URL, or of the one that Sentinels name as the primary: asked anew at every connection, and told by them when they promote another
 * one, so that a primary that hangs is left at once.
 */
export function createRedis(url: string, options: RedisOptions & { replyMapping?: "legacy" }): Redis {
  const address = parseSentinelUrl(url);
  if (address === null) return new Redis(url, options);
  const { sentinels, name, username, password, database, sentinelUsername, sentinelPassword, tls } = address;
  return new Redis({
    ...options,
    sentinels: [...sentinels],
    name,
    role: "master",
    db: database,
    ...(username === null ? {} : { username }),
    ...(password === null ? {} : { password }),
    ...(sentinelUsername === null ? {} : { sentinelUsername }),
    ...(sentinelPassword === null ? {} : { sentinelPassword }),
    ...(tls ? { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true } : {}),
    failoverDetector: true,
    sentinelCommandTimeout: SENTINEL_MS,
    sentinelRetryStrategy: (attempt: number) => Math.min(attempt * SENTINELS_AGAIN_STEP_MS, SENTINELS_AGAIN_MAX_MS),
    sentinelReconnectStrategy: () => SENTINELS_AGAIN_MAX_MS,
  });
}

import { Redis, type RedisOptions } from "ioredis";
import { parseSentinelUrl } from "./sentinel-url.ts";

/** A Sentinel that does not answer within this time is passed over. */
const SENTINEL_MS = 1_000;

/** Pause before all Sentinels are tried again. */
const SENTINELS_AGAIN_MAX_MS = 1_000;
const SENTINELS_AGAIN_STEP_MS = 100;

/** Pauses between attempts to connect. All clients of a node are there within about a second of a Redis that comes (back). */
const RECONNECT_PAUSE_MIN_MS = 50;
const RECONNECT_PAUSE_MAX_MS = 1_000;

/** A Redis that still loads its data is asked again after this time at the latest, however long it thinks that takes. */
const LOADING_AGAIN_MS = 1_000;

/**
 * A client of the Redis at this URL, or of the one that Sentinels name as the primary: asked anew at every connection, and told by them when they promote another
 * one, so that a primary that hangs is left at once.
 */
export function createRedis(url: string, given: RedisOptions & { replyMapping?: "legacy" }): Redis {
  const options = {
    retryStrategy: (attempt: number) => Math.min(RECONNECT_PAUSE_MIN_MS * attempt, RECONNECT_PAUSE_MAX_MS),
    maxLoadingRetryTime: LOADING_AGAIN_MS,
    ...given,
  };
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

import { Redis, type RedisOptions, SentinelConnector } from "ioredis";
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

/** Names of the package that its type declarations keep private. */
const CONNECT_TO_SENTINEL = "connectToSentinel";
const CONNECT = "connect";
const CONNECTOR = "connector";
const IS_CLOSED_BY_CALLER = "manuallyClosing";

/** What the package says of an attempt that was given up. */
const CONNECTION_CLOSED = "Connection is closed.";

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
  const redis = new Redis({
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
  const connector: unknown = Reflect.get(redis, CONNECTOR);
  if (!(connector instanceof SentinelConnector)) throw new Error("ioredis has no connector for Sentinels");
  leaveSentinelsThatAreAway(connector);
  goOnAfterFailover(redis, connector);
  return redis;
}

/**
 * The package listens to all Sentinels and has nobody told what fails with one, for which it prints a stack at every attempt to connect: a Sentinel that is away
 * while others answer is no failure of this client. Where none answers, the client itself fails.
 */
function leaveSentinelsThatAreAway(connector: SentinelConnector): void {
  const connectTo = functionOf(connector, CONNECT_TO_SENTINEL);
  Reflect.set(connector, CONNECT_TO_SENTINEL, (...args: readonly unknown[]): unknown => {
    const client: unknown = Reflect.apply(connectTo, connector, args);
    if (client instanceof Redis) client.on("error", () => undefined);
    return client;
  });
}

/**
 * Sentinels tell of a promotion while the client, whose primary has died, asks them where to connect: the package gives that attempt up, takes it for the
 * caller's own disconnect, and never connects again. Each promotion is told once, so this ends.
 */
function goOnAfterFailover(redis: Redis, connector: SentinelConnector): void {
  const connect = functionOf(connector, CONNECT);
  if (typeof Reflect.get(redis, IS_CLOSED_BY_CALLER) !== "boolean") throw new Error(`ioredis has no ${IS_CLOSED_BY_CALLER}`);
  Reflect.set(connector, CONNECT, async (...args: readonly unknown[]): Promise<unknown> => {
    for (;;) {
      try {
        return await Reflect.apply(connect, connector, args);
      } catch (error) {
        const isGivenUp = error instanceof Error && error.message === CONNECTION_CLOSED;
        if (!isGivenUp || Reflect.get(redis, IS_CLOSED_BY_CALLER) === true) throw error;
      }
    }
  });
}

function functionOf(connector: SentinelConnector, name: string): CallableFunction {
  const found: unknown = Reflect.get(connector, name);
  if (typeof found !== "function") throw new Error(`ioredis has no ${name}`);
  return found;
}

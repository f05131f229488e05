import type { TestContext } from "node:test";
import { Redis } from "ioredis";
import { type Kv, StorageUnavailable } from "../../../engine/kernel/kv.ts";
import { openRedisKv, type RedisKv, type RedisKvOptions } from "../../../storage/kv/redis.ts";
import { startTestRedis, type TestRedis } from "../../support/node/redis.ts";
import { eventually } from "../../support/within.ts";
import { atEnd } from "./world.ts";

/** A Redis of this test's own. */
export async function redisOf(test: TestContext, ...options: Parameters<typeof startTestRedis>): Promise<TestRedis> {
  const redis = await startTestRedis(...options);
  atEnd(test, () => redis.stop());
  return redis;
}

/** Longer than a busy machine stands still: what is asked of a Redis that is there is answered. */
const PATIENT_MS = 30_000;
/** For who asks again what was not answered: so soon a fault shows. */
export const FAULTS_SHOW_MS = 1_000;

/** A store that is closed with the test. */
export async function kvOf(test: TestContext, options: Partial<RedisKvOptions> & { url: string }): Promise<RedisKv> {
  const kv = await openRedisKv({ refuseProblems: true, deadlineMs: PATIENT_MS, ...options });
  atEnd(test, () => kv.close());
  return kv;
}

/** A connection beside the store's. */
export function clientOf(test: TestContext, redis: Pick<TestRedis, "url">): Redis {
  const client = new Redis(redis.url);
  client.on("error", () => undefined);
  atEnd(test, () => client.disconnect());
  return client;
}

export function put(key: string, value: string, version?: number) {
  const checks = version === undefined ? [] : [{ key, version }];
  return { checks, operations: [{ type: "put" as const, key, value }] };
}

/** What one writer knows when it has ended. */
export interface Written {
  key: string;
  /** Commits that it knows to be stored: acknowledged, or found after an unknown outcome. */
  known: number;
  acknowledged: number;
  /** Outcomes that were unknown when they came. */
  unknown: number;
}

/**
 * Counts up an entry and claims a key of its own with every step, until told to stop. After an unknown outcome it reads whether the
 * commit was made: that answer has to hold for good.
 */
export async function countUp(kv: Kv, key: string, stop: { stopped: boolean }): Promise<Written> {
  const written = { key, known: 0, acknowledged: 0, unknown: 0 };
  let version = 0;
  while (!stop.stopped) {
    const claim = `${key}/${written.known}`;
    const next = String(written.known + 1);
    try {
      const result = await kv.commit({
        checks: [
          { key, version },
          { key: claim, version: 0 },
        ],
        operations: [
          { type: "put", key, value: next },
          { type: "put", key: claim, value: "claimed" },
        ],
      });
      if (result.type === "conflict") throw new Error(`${result.key} was changed by nobody else, and yet it was`);
      version = result.version;
      written.acknowledged++;
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error;
      written.unknown++;
      const entry = await eventually(() => kv.get(key));
      version = entry?.version ?? 0;
      const found = Number(entry?.value ?? 0);
      if (found !== written.known && found !== written.known + 1) throw new Error(`${key} stands at ${found}, known are ${written.known}`);
      written.known = found;
      continue;
    }
    written.known++;
  }
  return written;
}

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Redis } from "ioredis";
import type { Timer, Timers } from "../../../engine/kernel/timers.ts";

const SCRIPT = readFileSync(new URL("./logins.lua", import.meta.url), "utf8");
const SHA1 = createHash("sha1").update(SCRIPT).digest("hex");

/** Calls in progress; more are refused, and the node counts by itself. */
const PENDING_MAX = 1_000;

/** A login waits no longer for Redis. */
const DEADLINE_MS = 1_000;

/** A password that is about to be compared, and what it counts for. */
export interface SharedAttempt {
  readonly secret: string;
  readonly windows: readonly { readonly key: string; readonly max: number; readonly windowMs: number }[];
}

export type SharedVerdict = { type: "counted" } | { type: "again" } | { type: "held"; window: number; forMs: number };

/** Wrong passwords over all nodes, in Redis: digests only, for as long as they count. */
export class SharedLogins {
  readonly #redis: Redis;
  readonly #keyPrefix: string;
  readonly #timers: Timers;
  #pending = 0;

  constructor(redis: Redis, keyPrefix: string, timers: Timers) {
    this.#redis = redis;
    this.#keyPrefix = keyPrefix;
    this.#timers = timers;
  }

  /** Rejects if Redis does not answer in time. */
  async attempt({ secret, windows }: SharedAttempt): Promise<SharedVerdict> {
    const keys = windows.map(({ key }) => this.#keyOf(key));
    const args = [secret, ...windows.flatMap(({ max, windowMs }) => [max, windowMs])];
    const answer = await this.#inTime(() => this.#run(keys, args));
    if (!Array.isArray(answer)) throw new Error("logins.lua answers with numbers");
    const [window = 0, forMs = 0] = answer.map(Number);
    if (window === 0) return { type: "counted" };
    return window < 0 ? { type: "again" } : { type: "held", window: window - 1, forMs };
  }

  /** Rejects if Redis does not answer in time. */
  async takeBack({ secret, windows }: SharedAttempt): Promise<void> {
    await this.#inTime(() => Promise.all(windows.map(({ key }) => this.#redis.zrem(this.#keyOf(key), secret))));
  }

  #keyOf(key: string): string {
    return `${this.#keyPrefix}login:${key}`;
  }

  async #run(keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    try {
      return await this.#redis.evalsha(SHA1, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
      return this.#redis.eval(SCRIPT, keys.length, ...keys, ...args);
    }
  }

  async #inTime<T>(call: () => Promise<T>): Promise<T> {
    if (this.#pending >= PENDING_MAX) throw new Error("too many logins wait for Redis");
    this.#pending += 1;
    let timer: Timer | undefined;
    try {
      const late = new Promise<never>((_, reject) => {
        timer = this.#timers.set(DEADLINE_MS, () => reject(new Error("Redis did not answer in time")));
      });
      return await Promise.race([call(), late]);
    } finally {
      timer?.clear();
      this.#pending -= 1;
    }
  }
}

import type { Redis } from "ioredis";
import type { Timers } from "../../../engine/kernel/timers.ts";
import { BoundedScript } from "./bounded-script.ts";

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
  readonly #script: BoundedScript;

  constructor(redis: Redis, keyPrefix: string, timers: Timers) {
    this.#redis = redis;
    this.#keyPrefix = keyPrefix;
    this.#script = new BoundedScript(redis, new URL("./logins.lua", import.meta.url), timers);
  }

  /** Rejects if Redis does not answer in time. */
  async attempt({ secret, windows }: SharedAttempt): Promise<SharedVerdict> {
    const keys = windows.map(({ key }) => this.#keyOf(key));
    const args = [secret, ...windows.flatMap(({ max, windowMs }) => [max, windowMs])];
    const answer = await this.#script.run(keys, args);
    if (!Array.isArray(answer)) throw new Error("logins.lua answers with numbers");
    const [window = 0, forMs = 0] = answer.map(Number);
    if (window === 0) return { type: "counted" };
    return window < 0 ? { type: "again" } : { type: "held", window: window - 1, forMs };
  }

  /** Rejects if Redis does not answer in time. */
  async takeBack({ secret, windows }: SharedAttempt): Promise<void> {
    await this.#script.inTime(() => Promise.all(windows.map(({ key }) => this.#redis.zrem(this.#keyOf(key), secret))));
  }

  #keyOf(key: string): string {
    return `${this.#keyPrefix}login:${key}`;
  }
}

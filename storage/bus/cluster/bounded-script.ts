import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Redis } from "ioredis";
import type { Timer, Timers } from "../../../engine/kernel/timers.ts";

/** Calls in progress; more are refused, and the node decides by itself. */
const PENDING_MAX = 1_000;

/** A request waits no longer for Redis. */
const DEADLINE_MS = 1_000;

/** A Lua script of counts that all nodes share. Its calls are bounded, in number and in time: whoever asks can decide without it. */
export class BoundedScript {
  readonly #redis: Redis;
  readonly #timers: Timers;
  readonly #text: string;
  readonly #sha1: string;
  #pending = 0;

  constructor(redis: Redis, file: URL, timers: Timers) {
    this.#redis = redis;
    this.#timers = timers;
    this.#text = readFileSync(file, "utf8");
    this.#sha1 = createHash("sha1").update(this.#text).digest("hex");
  }

  /** Rejects if Redis does not answer in time. */
  run(keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    return this.inTime(() => this.#run(keys, args));
  }

  /** The same for another call that belongs to the script. */
  async inTime<T>(call: () => Promise<T>): Promise<T> {
    if (this.#pending >= PENDING_MAX) throw new Error("too many calls are waiting for Redis");
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

  async #run(keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    try {
      return await this.#redis.evalsha(this.#sha1, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
      return this.#redis.eval(this.#text, keys.length, ...keys, ...args);
    }
  }
}

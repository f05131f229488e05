import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Redis } from "ioredis";
import type { Timer, Timers } from "../../../engine/kernel/timers.ts";

const SCRIPT = readFileSync(new URL("./windows.lua", import.meta.url), "utf8");
const SHA1 = createHash("sha1").update(SCRIPT).digest("hex");

/** Maximum number of requests per run of the script, so that it blocks Redis for about a millisecond at most. */
const BATCH_MAX = 200;
/** Maximum number of requests that wait or are in progress; more are refused. */
const PENDING_MAX = 10_000;
/** Maximum number of runs in progress. */
const IN_FLIGHT_MAX = 4;
/** The requester waits no longer and decides without the number. */
const DEADLINE_MS = 1_000;

/** A client's last second, as Redis knows it. */
export interface WindowUse {
  count: number;
  admitted: boolean;
  /** Time until another request is admitted; 0 if it is admitted now. */
  waitMs: number;
}

export interface WindowQuestion {
  /** Identifies the client and the limit that is counted. */
  client: string;
  perSecond: number;
  /** Admissions that were made without a request to Redis, and are reported now. */
  noted: number;
  /** Whether another admission is requested. */
  asks: boolean;
}

interface Pending extends WindowQuestion {
  resolve(use: WindowUse): void;
  reject(error: Error): void;
}

/**
 * Windows of a second over all nodes, in Redis. All requests of one turn of the event loop, or that arrive while others are in progress, go
 * in one run.
 */
export class SharedWindows {
  readonly #redis: Redis;
  readonly #keyPrefix: string;
  readonly #timers: Timers;
  #waiting: Pending[] = [];
  #pending = 0;
  #inFlight = 0;
  #scheduled = false;
  /** Runs and requests since the start; for metrics. */
  runs = 0;
  asked = 0;

  constructor(redis: Redis, keyPrefix: string, timers: Timers) {
    this.#redis = redis;
    this.#keyPrefix = keyPrefix;
    this.#timers = timers;
  }

  /** Rejects if Redis does not answer in time. */
  ask(question: WindowQuestion): Promise<WindowUse> {
    if (this.#pending >= PENDING_MAX) return Promise.reject(new Error("too many requests are waiting for Redis"));
    this.#pending += 1;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...question, resolve, reject });
      if (this.#scheduled) return;
      this.#scheduled = true;
      this.#timers.soon(() => {
        this.#scheduled = false;
        this.#flush();
      });
    });
  }

  #flush(): void {
    while (this.#waiting.length > 0 && this.#inFlight < IN_FLIGHT_MAX) void this.#run(this.#waiting.splice(0, BATCH_MAX));
  }

  async #run(questions: readonly Pending[]): Promise<void> {
    this.#inFlight += 1;
    this.runs += 1;
    this.asked += questions.length;
    let timer: Timer | undefined;
    try {
      const late = new Promise<never>((_, reject) => {
        timer = this.#timers.set(DEADLINE_MS, () => reject(new Error("Redis did not answer in time")));
      });
      const answers = await Promise.race([this.#call(questions), late]);
      questions.forEach((question, index) => {
        question.resolve(useOf(answers[index]));
      });
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error));
      for (const question of questions) question.reject(failure);
    } finally {
      timer?.clear();
      this.#inFlight -= 1;
      this.#pending -= questions.length;
      this.#flush();
    }
  }

  async #call(questions: readonly WindowQuestion[]): Promise<readonly unknown[]> {
    const keys = questions.map(({ client }) => `${this.#keyPrefix}window:${client}`);
    const args = questions.flatMap(({ perSecond, noted, asks }) => [perSecond, noted, asks ? 1 : 0]);
    let answer: unknown;
    try {
      answer = await this.#redis.evalsha(SHA1, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
      answer = await this.#redis.eval(SCRIPT, keys.length, ...keys, ...args);
    }
    if (!Array.isArray(answer) || answer.length !== questions.length) throw new Error("windows.lua answers each question");
    return answer;
  }
}

function useOf(answer: unknown): WindowUse {
  if (!Array.isArray(answer)) throw new Error("windows.lua answers with numbers");
  const [count, admitted, waitMs] = answer.map(Number);
  return { count: count ?? 0, admitted: admitted === 1, waitMs: waitMs ?? 0 };
}

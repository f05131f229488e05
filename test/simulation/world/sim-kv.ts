import {
  type Commit,
  type CommitResult,
  CommitTooLate,
  type CountRange,
  type Entry,
  type Kv,
  type ScanRange,
  StorageUnavailable,
} from "../../../engine/kernel/kv.ts";
import type { Scheduler } from "./scheduler.ts";
import type { SimProcess } from "./sim-process.ts";
import type { SimStore } from "./sim-store.ts";

/** A Redis refuses a commit so long before its caller is told that nothing is known (storage/kv/redis-commits.ts). */
const MARGIN_MS = 50;

/** After so long a lost answer of a store in the process is told to whoever waits. */
const EMBEDDED_ASK_MS = 5_000;

/** What becomes of one call on its way to the store and back. */
export interface Fate {
  requestMs: number;
  /** Null: the answer is lost on its way. */
  answerMs: number | null;
}

export interface SimKvOptions {
  store: SimStore;
  scheduler: Scheduler;
  owner: SimProcess;
  /** Names this client among all that ever were. */
  writer: string;
  /** After so long a call is rejected, and a commit that comes later is refused; null for a store in the process, which takes as long as it takes. */
  deadlineMs: number | null;
  fate(what: "read" | "commit"): Fate;
  /** Until when the store does nothing; 0 where it is not held up. */
  pausedUntilMs(): number;
  /** Acknowledged commits are known to be gone, or may be. */
  historyLost(): void;
  note(what: string): void;
}

/**
 * A client's way to the simulated store, by the contract of `Kv`. As over a network each call takes its time in both directions, and what is on
 * its way when the store comes back as an older copy is rejected: whether it happened is not known.
 */
export class SimKv implements Kv {
  readonly #options: SimKvOptions;
  #history: number;
  #lost: number;
  #acknowledged = 0;
  /** What waits for the connection; null while there is one. */
  #connecting: (() => void)[] | null = null;

  constructor(options: SimKvOptions) {
    this.#options = options;
    this.#history = options.store.history;
    this.#lost = options.store.lost;
  }

  /** As `RedisKv.lostVersion`. */
  lostVersion(): number {
    return this.#lost;
  }

  get(key: string): Promise<Entry | null> {
    return this.#ask("read", (store) => store.get(key));
  }

  getMany(keys: readonly string[]): Promise<(Entry | null)[]> {
    return this.#ask("read", (store) => keys.map((key) => store.get(key)));
  }

  scan(range: ScanRange): Promise<Entry[]> {
    return this.#ask("read", (store) => store.scan(range));
  }

  count(range: CountRange): Promise<number> {
    return this.#ask("read", (store) => store.scan(range).length);
  }

  async commit(commit: Commit): Promise<CommitResult> {
    const { note, writer, scheduler } = this.#options;
    const askedAtMs = scheduler.nowMs;
    const { answer, lost } = await this.#ask("commit", (store, late) => {
      const made = late ? ({ type: "refused" } as const) : store.commit(commit, writer, this.#lost, scheduler.nowMs - askedAtMs);
      if (commit.checks.length > 0) note(`store ${made.type}: ${commit.operations.map(({ type, key }) => `${type} ${key}`).join(", ")}`);
      return { answer: made, lost: store.lost };
    });
    this.#heardOfLoss(lost);
    if (answer.type === "refused") throw new StorageUnavailable("the store came to it too late, or has lost some of its history");
    if (answer.type === "too late") throw new CommitTooLate();
    if (answer.type === "committed") this.#acknowledged = Math.max(this.#acknowledged, answer.version);
    return answer;
  }

  async close(): Promise<void> {}

  /** The store is another one than before: as a Redis that was started from an older copy. It can be used again after `ms`. */
  replaced(ms: number): void {
    const { scheduler, owner, store, writer, historyLost } = this.#options;
    this.#connecting ??= [];
    scheduler.after(ms, owner, () => {
      const waiting = this.#connecting ?? [];
      this.#connecting = null;
      this.#history = store.history;
      // The same comparison as in storage/kv/redis-connection.ts.
      if (store.lastOf(writer) < this.#acknowledged) {
        if (store.lost <= this.#lost) store.markLost();
        this.#acknowledged = 0;
        this.#lost = store.lost;
        historyLost();
      } else {
        this.#heardOfLoss(store.lost);
      }
      for (const go of waiting) go();
    });
  }

  #heardOfLoss(lost: number): void {
    if (lost <= this.#lost) return;
    this.#lost = lost;
    this.#options.historyLost();
  }

  #ask<T>(what: "read" | "commit", work: (store: SimStore, late: boolean) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#connecting === null) this.#send(what, work, resolve, reject);
      else this.#connecting.push(() => this.#send(what, work, resolve, reject));
    });
  }

  #send<T>(what: "read" | "commit", work: Work<T>, resolve: (value: T) => void, reject: (error: Error) => void): void {
    const { fate } = this.#options;
    const { requestMs, answerMs } = fate(what);
    new Call(this.#options, this.#history, answerMs, { work, resolve, reject }).begin(requestMs);
  }
}

type Work<T> = (store: SimStore, late: boolean) => T;

/** One call on its way. (A class for the same reason as the scheduler's events.) */
class Call<T> {
  readonly #options: SimKvOptions;
  readonly #history: number;
  readonly #answerMs: number | null;
  readonly #asked: { work: Work<T>; resolve(value: T): void; reject(error: Error): void };
  readonly #askedAtMs: number;

  constructor(
    options: SimKvOptions,
    history: number,
    answerMs: number | null,
    asked: { work: Work<T>; resolve(value: T): void; reject(error: Error): void },
  ) {
    this.#options = options;
    this.#history = history;
    this.#answerMs = answerMs;
    this.#asked = asked;
    this.#askedAtMs = options.scheduler.nowMs;
  }

  begin(requestMs: number): void {
    const { deadlineMs } = this.#options;
    this.#travel(requestMs);
    if (deadlineMs !== null && requestMs > deadlineMs) this.#fail(deadlineMs, "no answer came in time");
  }

  /** What a client has sent to a store elsewhere comes there, also when the client has died meanwhile. */
  #travel(ms: number): void {
    const { scheduler, owner, deadlineMs } = this.#options;
    scheduler.after(ms, deadlineMs === null ? owner : null, () => this.#arrive());
  }

  #arrive(): void {
    const { scheduler, owner, store, deadlineMs, pausedUntilMs } = this.#options;
    const pausedMs = pausedUntilMs() - scheduler.nowMs;
    if (pausedMs > 0) {
      this.#travel(pausedMs);
    } else if (this.#history !== store.history) {
      this.#fail(0, "the connection was lost");
    } else {
      const value = this.#asked.work(store, this.#isLate(MARGIN_MS));
      if (this.#answerMs === null) {
        this.#fail(Math.max(1, this.#askedAtMs + (deadlineMs ?? EMBEDDED_ASK_MS) - scheduler.nowMs), "no answer came in time");
      } else {
        scheduler.after(this.#answerMs, owner, () => this.#answer(value));
      }
    }
  }

  #answer(value: T): void {
    if (this.#isLate(0) || this.#history !== this.#options.store.history)
      this.#asked.reject(new StorageUnavailable("the answer came too late"));
    else this.#asked.resolve(value);
  }

  #fail(ms: number, why: string): void {
    const { scheduler, owner } = this.#options;
    scheduler.after(ms, owner, () => this.#asked.reject(new StorageUnavailable(why)));
  }

  #isLate(marginMs: number): boolean {
    const { scheduler, deadlineMs } = this.#options;
    return deadlineMs !== null && scheduler.nowMs - this.#askedAtMs > deadlineMs - marginMs;
  }
}

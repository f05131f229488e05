import type { Clock } from "../../engine/kernel/clock.ts";
import type { Kv } from "../../engine/kernel/kv.ts";
import type { Timers } from "../../engine/kernel/timers.ts";
import { settlePieces } from "./bisect-batch.ts";
import { deliver, type FeedSink, RowsRefused } from "./feed-sink.ts";
import { confirmOutbox, type OutboxEntry, outboxEntryOf, outboxPages } from "./outbox.ts";
import { OutboxWindow, type WindowKind } from "./outbox-window.ts";
import { atMost } from "./pause.ts";
import { type RowSubject, setAsideOperations, subjectOf } from "./set-aside.ts";

/**
 * Maximum number of rows per insert: ClickHouse is efficient from about ten thousand on, and memory
 * is limited.
 */
const BATCH_ROWS_MAX = 10_000;
const BATCH_CHARS_MAX = 16_777_216;

/**
 * Deletions per commit. The thread that executes them also serves terminals, and the deletions of a
 * whole batch at once would delay terminals by about ten milliseconds.
 */
const DELETIONS_AT_ONCE = 500;

/**
 * Minimum time between two inserts that are not full: each creates a part on disk that ClickHouse
 * has to merge.
 */
const BATCH_INTERVAL_MS = 1_000;

/** The feed waits this long after waking up, so that commits of the same moment share an insert. */
const LINGER_MS = 20;

/** How often an idle feed reads the outbox without being woken. */
const POLL_MS = 250;

const BACKOFF_MIN_MS = 100;
const BACKOFF_MAX_MS = 5_000;

const STOP_TIMEOUT_MS = 5_000;

export interface FeedOptions {
  kv: Kv;
  sink: FeedSink;
  clock: Clock;
  timers: Timers;
  /** The clock of `timers`, for the pace of the batches. If absent, it is `clock`. */
  paceClock?: Pick<Clock, "monotonicMs">;
  onEvent?: (event: FeedEvent) => void;
}

export type FeedEvent =
  | { type: "away"; error: unknown; retryInMs: number }
  | { type: "back"; afterMs: number }
  /** The row is set aside and reported to operators. */
  | ({ type: "row_refused"; reason: string } & RowSubject);

export interface FeedStats {
  /** Rows confirmed since the start. */
  inserted: number;
  /** Attempts that failed since the start. */
  failures: number;
  /** Rows set aside since the start. */
  refused: number;
}

/**
 * Delivers each row of the outbox to ClickHouse at least once. It deletes a row from the outbox
 * only after ClickHouse has confirmed it.
 */
export interface Feed {
  /** Announces a write to the outbox. It is cheap and may be called for each commit. */
  wake(): void;
  /** Resolves when all rows that are in the outbox now have been delivered or set aside. */
  flush(): Promise<void>;
  /**
   * All rows before this key were delivered. Null if the key is not known: then other readers of
   * the outbox begin at its start.
   */
  deliveredUntil(): string | null;
  stats(): FeedStats;
  /**
   * Ends after the insert in progress, and waits a few seconds at most. Other rows stay in the
   * outbox.
   */
  stop(): Promise<void>;
}

export function createFeed(options: FeedOptions): Feed {
  return new OutboxFeed(options);
}

class OutboxFeed implements Feed {
  readonly #options: FeedOptions;
  readonly #window: OutboxWindow;
  readonly #running: Promise<void>;
  #inserted = 0;
  #failures = 0;
  #refused = 0;
  #stopped = false;
  #woken = false;
  #endSleep: (() => void) | null = null;
  #flushes: { started: boolean; resolve: () => void }[] = [];

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#window = new OutboxWindow(options.clock);
    this.#running = this.#run();
  }

  wake(): void {
    if (this.#woken) return;
    this.#woken = true;
    this.#endSleep?.();
  }

  flush(): Promise<void> {
    if (this.#stopped) return Promise.reject(new Error("the feed was stopped"));
    return new Promise((resolve) => {
      this.#flushes.push({ started: false, resolve });
      this.#endSleep?.();
    });
  }

  deliveredUntil(): string | null {
    return this.#window.deliveredUntil();
  }

  stats(): FeedStats {
    return { inserted: this.#inserted, failures: this.#failures, refused: this.#refused };
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#endSleep?.();
    await atMost(this.#options.timers, STOP_TIMEOUT_MS, this.#running);
  }

  async #run(): Promise<void> {
    const { clock, paceClock = clock } = this.#options;
    while (!this.#stopped) {
      const startedAtMs = paceClock.monotonicMs();
      const found = await this.#persist(() => this.#readWindow(this.#kindWanted()));
      if (this.#flushes.length > 0 || this.#stopped) continue;
      if (found === 0) {
        await this.#sleep(POLL_MS, () => this.#woken);
        if (this.#woken) await this.#sleep(LINGER_MS, () => false);
      } else {
        await this.#sleep(BATCH_INTERVAL_MS - (paceClock.monotonicMs() - startedAtMs), () => false);
      }
    }
  }

  #kindWanted(): WindowKind {
    this.#woken = false;
    for (const flush of this.#flushes) flush.started = true;
    return this.#flushes.length > 0 ? "full" : this.#window.wanted();
  }

  /** Reads a window of the outbox, batch by batch. Resolves with the number of rows. */
  async #readWindow(kind: WindowKind): Promise<number> {
    let from = this.#window.begin(kind);
    let rows = 0;
    for (;;) {
      const { batch, full } = await this.#read(from);
      const last = batch.at(-1);
      if (last === undefined) break;
      rows += batch.length;
      const pieces: (readonly OutboxEntry[])[] = [batch];
      await this.#persist(() => this.#settle(pieces));
      if (this.#stopped) return rows;
      this.#window.delivered(last.writtenAtMs);
      if (!full) break;
      from = `${last.key}\u0001`;
    }
    this.#window.end(kind);
    if (kind === "full") {
      for (const flush of this.#flushes) if (flush.started) flush.resolve();
      this.#flushes = this.#flushes.filter((flush) => !flush.started);
    }
    return rows;
  }

  /** Reads one batch; `full` if more rows may follow. */
  async #read(from: string | null): Promise<{ batch: OutboxEntry[]; full: boolean }> {
    const batch: OutboxEntry[] = [];
    let chars = 0;
    for await (const page of outboxPages(this.#options.kv, from, BATCH_ROWS_MAX)) {
      for (const entry of page) {
        batch.push(outboxEntryOf(entry));
        chars += entry.value.length;
        if (chars >= BATCH_CHARS_MAX) return { batch, full: true };
      }
    }
    return { batch, full: batch.length === BATCH_ROWS_MAX };
  }

  /**
   * Deletes entries that were delivered and sets refused ones aside. Settled entries are removed
   * from `pieces`, so that a retry after a failure continues there.
   */
  #settle(pieces: (readonly OutboxEntry[])[]): Promise<void> {
    return settlePieces(pieces, (entries) => this.#deliver(entries), {
      delivered: (entries) => this.#delete(entries),
      refused: ({ item, reason }) => this.#setAside(item, reason),
    });
  }

  async #deliver(entries: readonly OutboxEntry[]): Promise<void> {
    const rows = entries.map(({ row }) => row).filter((row) => row !== null);
    if (rows.length < entries.length) throw new RowsRefused("the outbox entry is not JSON of a row");
    await deliver(this.#options.sink, rows);
  }

  async #delete(entries: readonly OutboxEntry[]): Promise<void> {
    await confirmOutbox(
      this.#options.kv,
      entries.map(({ key }) => key),
      DELETIONS_AT_ONCE,
    );
    this.#inserted += entries.length;
  }

  async #setAside(entry: OutboxEntry, reason: string): Promise<void> {
    await this.#options.kv.commit({ checks: [], operations: setAsideOperations(entry, reason, this.#options.clock.nowMs()) });
    this.#refused += 1;
    this.#options.onEvent?.({ type: "row_refused", reason, ...subjectOf(entry.row) });
  }

  /**
   * Retries with growing pauses until the work succeeds. Resolves with 0 if the feed is stopped.
   */
  async #persist<T>(work: () => Promise<T>): Promise<T | 0> {
    const { clock, onEvent } = this.#options;
    let pauseMs = BACKOFF_MIN_MS;
    let failedAtMs: number | null = null;
    while (!this.#stopped) {
      try {
        const value = await work();
        if (failedAtMs !== null) onEvent?.({ type: "back", afterMs: clock.monotonicMs() - failedAtMs });
        return value;
      } catch (error) {
        failedAtMs ??= clock.monotonicMs();
        this.#failures += 1;
        onEvent?.({ type: "away", error, retryInMs: pauseMs });
      }
      await this.#sleep(pauseMs, () => false);
      pauseMs = Math.min(pauseMs * 2, BACKOFF_MAX_MS);
    }
    return 0;
  }

  /**
   * Sleeps unless there already is work. A stop or a flush ends the sleep, and so does `wake` if
   * `early` returns true.
   */
  #sleep(ms: number, early: () => boolean): Promise<void> {
    if (ms <= 0 || this.#stopped || early()) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        timer.clear();
        this.#endSleep = null;
        resolve();
      };
      const timer = this.#options.timers.set(ms, done);
      this.#endSleep = () => {
        if (this.#stopped || this.#flushes.some((flush) => !flush.started) || early()) done();
      };
    });
  }
}

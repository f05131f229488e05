import { RelayError } from "../../engine/kernel/errors.ts";
import { type PlaceBounds, SharedPlaces } from "../../engine/kernel/shared-places.ts";
import type { Timers } from "../../engine/kernel/timers.ts";

/** Limits concurrent queries of a merchant: each person views one page, and possibly a report. */
const OF_MERCHANT_MAX = 2;
/** Limits the waiting queries of a merchant: the panels of an opened page. */
const OF_MERCHANT_WAITING_MAX = 8;

/**
 * Limits concurrent queries of all merchants. Each takes a thread of ClickHouse, which the feed's
 * inserts and the terminals' lists need too.
 */
const ALL_MAX = 4;
const ALL_WAITING_MAX = 64;

/**
 * Limits concurrent files of rows, of all merchants and of one. Each takes about ten megabytes, and
 * its queries take turns with all others.
 */
export const STREAMS: PlaceBounds = { all: 8, each: 2 };

export interface MerchantTurnsOptions {
  /** Limits concurrent queries of all merchants. */
  allMax?: number;
}

/**
 * Schedules the queries of merchants' rows. They have their own class of turns, so that no query of
 * a merchant delays a terminal's list or the feed.
 */
export class MerchantTurns {
  readonly #timers: Timers;
  readonly #ofMerchants = new Map<string, Places>();
  readonly #all: Places;
  readonly #streams = new SharedPlaces(STREAMS);

  constructor(timers: Timers, { allMax = ALL_MAX }: MerchantTurnsOptions = {}) {
    this.#timers = timers;
    this.#all = new Places(allMax, ALL_WAITING_MAX, timers);
  }

  /** The number of merchants with a query or a file in progress. */
  get merchants(): number {
    return new Set([...this.#ofMerchants.keys(), ...this.#streams.holders]).size;
  }

  /**
   * Runs `work` when its turn comes. Throws `unavailable` if no turn comes within `waitMs` or too
   * many wait, and the reason of `gone` once that is aborted.
   */
  async run<T>(merchantId: string, waitMs: number, work: () => Promise<T>, gone?: AbortSignal): Promise<T> {
    const own = this.#ofMerchants.get(merchantId) ?? new Places(OF_MERCHANT_MAX, OF_MERCHANT_WAITING_MAX, this.#timers);
    this.#ofMerchants.set(merchantId, own);
    try {
      return await own.hold(waitMs, () => this.#all.hold(waitMs, work, gone), gone);
    } finally {
      if (own.idle && this.#ofMerchants.get(merchantId) === own) this.#ofMerchants.delete(merchantId);
    }
  }

  /**
   * Takes a place for a file of rows. The returned function releases it. Throws `unavailable` if
   * there is none.
   */
  stream(merchantId: string): () => void {
    const refusal = this.#streams.refusalOf(merchantId);
    if (refusal === "share") throw busy("Two files of this merchant are being read; wait until one has ended", 10);
    if (refusal === "all") throw busy("Too many files are being read at once; retry shortly", 10);
    return this.#streams.take(merchantId);
  }
}

function busy(text: string, retryAfterSeconds: number): RelayError {
  return new RelayError("unavailable", text, { retryAfterSeconds });
}

/** Runs a few tasks at a time, in order, with a bounded queue and a bounded wait. */
class Places {
  readonly #max: number;
  readonly #waitingMax: number;
  readonly #timers: Timers;
  readonly #queue: (() => void)[] = [];
  #taken = 0;

  constructor(max: number, waitingMax: number, timers: Timers) {
    this.#max = max;
    this.#waitingMax = waitingMax;
    this.#timers = timers;
  }

  get idle(): boolean {
    return this.#taken === 0 && this.#queue.length === 0;
  }

  async hold<T>(waitMs: number, work: () => Promise<T>, gone?: AbortSignal): Promise<T> {
    gone?.throwIfAborted();
    if (this.#taken < this.#max) this.#taken += 1;
    else await this.#next(waitMs, gone);
    try {
      return await work();
    } finally {
      // The longest waiting task takes over the place.
      const next = this.#queue.shift();
      if (next === undefined) this.#taken -= 1;
      else next();
    }
  }

  #next(waitMs: number, gone: AbortSignal | undefined): Promise<void> {
    if (this.#queue.length >= this.#waitingMax) return Promise.reject(busy(BUSY_TEXT, 2));
    return new Promise((resolve, reject) => {
      const ended = () => {
        timer.clear();
        gone?.removeEventListener("abort", leave);
      };
      const start = () => {
        ended();
        resolve();
      };
      const giveUp = (reason: unknown) => {
        ended();
        this.#queue.splice(this.#queue.indexOf(start), 1);
        reject(reason);
      };
      const leave = () => giveUp(gone?.reason);
      const timer = this.#timers.set(waitMs, () => giveUp(busy(BUSY_TEXT, 2)));
      gone?.addEventListener("abort", leave);
      this.#queue.push(start);
    });
  }
}

const BUSY_TEXT = "Too many lists and reports are requested at once; retry shortly";

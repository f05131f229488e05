import { RelayError } from "../../engine/kernel/errors.ts";
import { type PlaceBounds, SharedPlaces } from "../../engine/kernel/shared-places.ts";
import type { Timers } from "../../engine/kernel/timers.ts";

/** Queries of one merchant at once: its people look at one page each, and a report beside it. */
const OF_MERCHANT_MAX = 2;
/** Queries of a merchant that wait for one of them to end: the panels of a page that is opened. */
const OF_MERCHANT_WAITING_MAX = 8;

/** Queries of all merchants at once. They take a thread of ClickHouse each, which the feed's inserts and the terminals' lists need too. */
const ALL_MAX = 4;
const ALL_WAITING_MAX = 64;

/** Files of rows that are read at once, of all merchants and of one. Each takes some ten megabytes, and its queries take turns with all others. */
export const STREAMS: PlaceBounds = { all: 8, each: 2 };

export interface MerchantTurnsOptions {
  /** Queries of all merchants at once. */
  allMax?: number;
}

/**
 * Who may ask ClickHouse for merchants' rows, and when: a class of turns of its own, so that whatever merchants ask for never stands before a terminal's list or the
 * feed.
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

  /** Merchants that have a query or a file under way. */
  get merchants(): number {
    return new Set([...this.#ofMerchants.keys(), ...this.#streams.holders]).size;
  }

  /** Runs `work` when there is a turn; throws `unavailable` where there is none within `waitMs`, or too many wait, and the reason of `gone` once that is aborted. */
  async run<T>(merchantId: string, waitMs: number, work: () => Promise<T>, gone?: AbortSignal): Promise<T> {
    const own = this.#ofMerchants.get(merchantId) ?? new Places(OF_MERCHANT_MAX, OF_MERCHANT_WAITING_MAX, this.#timers);
    this.#ofMerchants.set(merchantId, own);
    try {
      return await own.hold(waitMs, () => this.#all.hold(waitMs, work, gone), gone);
    } finally {
      if (own.idle && this.#ofMerchants.get(merchantId) === own) this.#ofMerchants.delete(merchantId);
    }
  }

  /** Takes the place of a file of rows, which the returned function gives back; throws `unavailable` where there is none. */
  stream(merchantId: string): () => void {
    const refusal = this.#streams.refusalOf(merchantId);
    if (refusal === "share") throw busy("Two files of this merchant are being read; another can be read when one has ended", 10);
    if (refusal === "all") throw busy("Too many files are being read at once", 10);
    return this.#streams.take(merchantId);
  }
}

function busy(text: string, retryAfterSeconds: number): RelayError {
  return new RelayError("unavailable", text, { retryAfterSeconds });
}

/** A few at a time, in order, with a bounded queue and a bounded wait. */
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
      // Whoever waits longest takes the place over.
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

const BUSY_TEXT = "Too many lists and reports are requested at once";

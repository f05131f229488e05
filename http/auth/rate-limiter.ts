/**
 * Exact sliding windows for client addresses, in memory that all threads of a node share. An address may have at most N requests in any one
 * second: the times of its last N admissions are kept, and the next is admitted when the oldest of them is over a second ago.
 *
 * An address belongs to one set of `SLOTS` slots, found by hash. It is processed under that set's lock, so two threads can never use two
 * slots for one address. A slot whose address was silent for a window is free for another. A set without a free slot refuses new addresses:
 * dropping old ones would let a flood of addresses disable the limit.
 */

/** Windows are one second: the limits of the interface are so many a second. */
const WINDOW_MS = 1_000;

/** Slots of a set. With half of all slots in use a full set is a one in ten million case, with two thirds one in a thousand. */
const SLOTS = 64;

/** The highest bits of a 32-bit hash that number a slot. */
const SLOT_SHIFT = 32 - Math.log2(SLOTS);

/**
 * Slots in one bucket's table per thread, for the addresses of one second: twice as many as the polls that a fast processor answers in it.
 * Memory: infra/docs/decisions/0025-figures-behind-the-code.md.
 */
const ADDRESSES_PER_THREAD = 250_000;

/** Slots of one bucket's table, however many threads there are. */
const ADDRESSES_MAX = 1_000_000;

/**
 * Attempts to get a lock before sleeping, and sleeps of a millisecond before the lock is taken from a thread that died with it. It is long
 * because a live thread may wait for a core for some hundred milliseconds on a busy machine; the node ends if any of its threads does.
 */
const SPINS_MAX = 2_000;
const SLEEPS_MAX = 2_000;

/** 32-bit words of a cache line. Sets and slots begin at a cache line, to avoid cache misses. */
const LINE_WORDS = 16;

// A set in 32-bit words: the lock, in the next lines the low words of the addresses, then the slots: the high word, the time of the last
// admission, the admissions in the ring (at most N), the next place in it, and the ring. The search for an address begins at the place
// given by its hash, where it usually is: so one cache line of the low words and one or two of its slot are read.
const LOW = LINE_WORDS;
const FIRST_SLOT = LOW + SLOTS;
const HIGH = 0;
const LAST = 1;
const COUNT = 2;
const NEXT = 3;
const RING = 4;

/** What threads share of one bucket; survives `postMessage`. */
export interface RateLimitMemory {
  readonly bucket: string;
  readonly perSecond: number;
  /** The number of threads that use it; a single one needs no locks. */
  readonly threads: number;
  readonly buffer: SharedArrayBuffer;
}

export type Admission = "limited" | "table_full" | number;

/** One bucket as a thread uses it. */
export interface RateLimitBucket {
  /** The limit of each client, or the most that a client's own may be. */
  readonly perSecond: number;
  /**
   * Admits a request of the client and answers how many more the window has room for, or says why it is refused. `own`: this client's own limit at this moment,
   * at most `perSecond`.
   */
  take(high: number, low: number, own?: number): Admission | Promise<Admission>;
}

/** A bucket that knows of this node's requests alone. */
export interface LocalRateLimit extends RateLimitBucket {
  take(high: number, low: number, own?: number): Admission;
  /** Takes the last admission of the address back: it came to nothing. */
  giveBack(high: number, low: number): void;
}

/** Makes the memory of a bucket for so many threads and (in whole sets of slots) addresses, once a node. */
export function createRateLimitMemory(
  bucket: string,
  perSecond: number,
  threads: number,
  addresses = Math.min(threads * ADDRESSES_PER_THREAD, ADDRESSES_MAX),
): RateLimitMemory {
  if (!Number.isInteger(perSecond) || perSecond < 1) throw new Error(`rate limit of ${bucket}: ${perSecond} is not a positive integer`);
  const sets = Math.ceil(addresses / SLOTS);
  return { bucket, perSecond, threads, buffer: new SharedArrayBuffer(sets * setWords(perSecond) * Int32Array.BYTES_PER_ELEMENT) };
}

/**
 * Opens a bucket in one thread. `monotonicMs` has to be the same clock in all threads (from `process.hrtime`, not
 * `performance.now`, which starts at zero in each).
 */
export function openRateLimit(memory: RateLimitMemory, monotonicMs: () => number): LocalRateLimit {
  const words = new Int32Array(memory.buffer);
  const n = memory.perSecond;
  const setLength = setWords(n);
  const slotLength = slotWords(n);
  const sets = words.length / setLength;
  const alone = memory.threads === 1;

  /** The slot of the address, looked for from place `from` of the set on; -1 where it has none. */
  function slotOf(set: number, from: number, high: number, low: number): number {
    for (let tries = 0; tries < SLOTS; tries++) {
      const index = (from + tries) % SLOTS;
      if (words[set + LOW + index] !== low) continue;
      const slot = set + FIRST_SLOT + index * slotLength;
      if (words[slot + HIGH] === high && words[slot + COUNT] !== 0) return slot;
    }
    return -1;
  }

  /** The same, else a free slot, which is the address's from then on; -1 where there is none. */
  function slotFor(set: number, from: number, high: number, low: number, now: number): number {
    const known = slotOf(set, from, high, low);
    if (known !== -1) return known;
    for (let tries = 0; tries < SLOTS; tries++) {
      const index = (from + tries) % SLOTS;
      const slot = set + FIRST_SLOT + index * slotLength;
      if (!isOver(now, words[slot + LAST]) && words[slot + COUNT] !== 0) continue;
      words[set + LOW + index] = low;
      words[slot + HIGH] = high;
      words[slot + COUNT] = 0;
      words[slot + NEXT] = 0;
      return slot;
    }
    return -1;
  }

  /** `limit`: of this client, whose admission so many before the next one has to be over. */
  function admit(slot: number, now: number, limit: number): Admission {
    const count = words[slot + COUNT] ?? 0;
    const next = words[slot + NEXT] ?? 0;
    const first = next < limit ? next - limit + n : next - limit;
    if (count >= limit && !isOver(now, words[slot + RING + first])) return "limited";
    words[slot + RING + next] = now;
    words[slot + LAST] = now;
    words[slot + NEXT] = next + 1 === n ? 0 : next + 1;
    words[slot + COUNT] = count === n ? n : count + 1;
    return limit - admittedInWindow(slot, now);
  }

  /**
   * Admissions of the last window: going back from the latest, the times only get older. In steps that double, since most addresses come a few
   * times a second and the ring of one that may come often is long, and then by binary search.
   */
  function admittedInWindow(slot: number, now: number): number {
    const latest = (words[slot + NEXT] ?? 0) - 1 + n;
    let inside = 1;
    let outside = (words[slot + COUNT] ?? 0) + 1;
    for (let step = 1; outside - inside > 1; step *= 2) {
      const looked = Math.min(inside + step, (inside + outside) >> 1);
      if (!isOver(now, words[slot + RING + ((latest - looked + 1) % n)])) inside = looked;
      else outside = looked;
    }
    return inside;
  }

  return {
    perSecond: n,
    take(high, low, own = n) {
      const hashed = hash(high, low) >>> 0;
      const set = (hashed % sets) * setLength;
      if (!alone) lock(words, set);
      try {
        // Read under the lock, so that the times in a ring never run backwards.
        const now = Math.floor(monotonicMs()) | 0;
        const slot = slotFor(set, placeOf(hashed), high | 0, low | 0, now);
        return slot === -1 ? "table_full" : admit(slot, now, own);
      } finally {
        if (!alone) unlock(words, set);
      }
    },
    giveBack(high, low) {
      const hashed = hash(high, low) >>> 0;
      const set = (hashed % sets) * setLength;
      if (!alone) lock(words, set);
      try {
        const slot = slotOf(set, placeOf(hashed), high | 0, low | 0);
        if (slot === -1) return;
        const next = words[slot + NEXT] ?? 0;
        words[slot + NEXT] = next === 0 ? n - 1 : next - 1;
        words[slot + COUNT] = (words[slot + COUNT] ?? 1) - 1;
      } finally {
        if (!alone) unlock(words, set);
      }
    },
  };
}

function setWords(perSecond: number): number {
  return FIRST_SLOT + SLOTS * slotWords(perSecond);
}

function slotWords(perSecond: number): number {
  return Math.ceil((RING + perSecond) / LINE_WORDS) * LINE_WORDS;
}

/** Where an address is looked for first in its set: other bits of the hash than those that say which set it is, or near enough. */
function placeOf(hashed: number): number {
  return Math.imul(hashed, 0x9e3779b1) >>> SLOT_SHIFT;
}

/**
 * Times are whole milliseconds, cut off, so a difference over 1000 means that a full second has passed. They wrap after 49 days; a
 * slot as old as that to the second is only thought busy for one second more.
 */
function isOver(now: number, then: number | undefined): boolean {
  return (now - (then ?? 0)) >>> 0 > WINDOW_MS;
}

function hash(high: number, low: number): number {
  let h = Math.imul(high ^ 0x9e3779b9, 0x85ebca6b) ^ low;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

const FREE = 0;
const HELD = 1;
/** Held, and someone sleeps until it is free. */
const AWAITED = 2;

function lock(words: Int32Array, at: number): void {
  for (let spins = 0; spins < SPINS_MAX; spins++) {
    if (Atomics.compareExchange(words, at, FREE, HELD) === FREE) return;
  }
  for (let sleeps = 0; sleeps < SLEEPS_MAX; sleeps++) {
    // The holder was probably put off its core in the middle of it.
    if (Atomics.exchange(words, at, AWAITED) === FREE) return;
    Atomics.wait(words, at, AWAITED, 1);
  }
  // Only a thread that was terminated while it held the lock holds it for this long. The set it leaves behind is wrong by one admission at
  // most.
}

function unlock(words: Int32Array, at: number): void {
  if (Atomics.exchange(words, at, FREE) === AWAITED) Atomics.notify(words, at, 1);
}

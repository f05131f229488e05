/**
 * Exact sliding windows for client addresses, in memory that all threads of a node share. An address may have at most N requests in
 * any one second: the times of its last N admissions are kept, and the next is admitted when the oldest of them is over a second ago.
 *
 * An address belongs to one set of `SLOTS` slots, found by hash; everything about it happens under that set's lock, so two threads
 * can never keep two slots for one address. A slot whose address was silent for a window is free for another. A set without a free
 * slot refuses new addresses: forgetting old ones would let a flood of addresses switch the limit off.
 */

/** Windows are one second, the unit in which the specification gives limits. */
const WINDOW_MS = 1_000;

/** Slots of a set. With half of all slots in use a full set is a one in ten million case, with two thirds one in a thousand. */
const SLOTS = 64;

/** Memory of one bucket's table: 79,000 slots with 100/s, 530,000 with 10/s, for the addresses of one second. */
export const TABLE_BYTES_DEFAULT = 32 * 1024 * 1024;

/** Tries at a lock before sleeping, and sleeps of a millisecond before taking it from a thread that died with it. */
const SPINS_MAX = 2_000;
const SLEEPS_MAX = 200;

// A set in 32-bit words: the lock, then the addresses and the times of their last admissions side by side, so that looking for an
// address touches few cache lines, then of each slot the admissions in its ring (at most N), the next place in it, and the ring.
const LOW = 1;
const HIGH = LOW + SLOTS;
const LAST = HIGH + SLOTS;
const RINGS = LAST + SLOTS;
const COUNT = 0;
const NEXT = 1;
const RING = 2;

/** What threads share of one bucket; survives `postMessage`. */
export interface RateLimitMemory {
  readonly bucket: string;
  readonly perSecond: number;
  /** How many threads use it; one by itself needs no locks. */
  readonly threads: number;
  readonly buffer: SharedArrayBuffer;
}

export type Admission = "limited" | "table_full" | number;

/** One bucket as a thread uses it. */
export interface RateLimitBucket {
  readonly perSecond: number;
  /** Admits a request of the address and answers how many more the window has room for, or says why it is refused. */
  take(high: number, low: number): Admission | Promise<Admission>;
}

/** A bucket that knows of this node's requests alone. */
export interface LocalRateLimit extends RateLimitBucket {
  take(high: number, low: number): Admission;
  /** Takes the last admission of the address back: it came to nothing. */
  giveBack(high: number, low: number): void;
}

/** Makes the memory of a bucket for so many threads, once a node. `tableBytes` bounds it; a table is never smaller than one set. */
export function createRateLimitMemory(
  bucket: string,
  perSecond: number,
  threads: number,
  tableBytes = TABLE_BYTES_DEFAULT,
): RateLimitMemory {
  if (!Number.isInteger(perSecond) || perSecond < 1) throw new Error(`rate limit of ${bucket}: ${perSecond} is not a positive integer`);
  const setBytes = setWords(perSecond) * 4;
  const sets = Math.max(1, Math.floor(tableBytes / setBytes));
  return { bucket, perSecond, threads, buffer: new SharedArrayBuffer(sets * setBytes) };
}

/**
 * Opens a bucket in one thread. `monotonicMs` has to be the same clock in all threads (from `process.hrtime`, not
 * `performance.now`, which starts at zero in each).
 */
export function openRateLimit(memory: RateLimitMemory, monotonicMs: () => number): LocalRateLimit {
  const words = new Int32Array(memory.buffer);
  const n = memory.perSecond;
  const setLength = setWords(n);
  const sets = words.length / setLength;
  const alone = memory.threads === 1;
  return {
    perSecond: n,
    take(high, low) {
      const set = ((hash(high, low) >>> 0) % sets) * setLength;
      if (!alone) lock(words, set);
      try {
        // Read under the lock, so that the times in a ring never run backwards.
        const now = Math.floor(monotonicMs()) | 0;
        const index = findSlot(words, set, n, high | 0, low | 0, now);
        if (index === -1) return "table_full";
        const admission = admit(words, slotAt(set, index, n), n, now);
        if (admission !== "limited") words[set + LAST + index] = now;
        return admission;
      } finally {
        if (!alone) unlock(words, set);
      }
    },
    giveBack(high, low) {
      const set = ((hash(high, low) >>> 0) % sets) * setLength;
      if (!alone) lock(words, set);
      try {
        const index = slotOf(words, set, n, high | 0, low | 0);
        if (index === -1) return;
        const slot = slotAt(set, index, n);
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
  return RINGS + SLOTS * (RING + perSecond);
}

function slotAt(set: number, index: number, n: number): number {
  return set + RINGS + index * (RING + n);
}

/** The address's slot in the set, else -1. */
function slotOf(words: Int32Array, set: number, n: number, high: number, low: number): number {
  for (let index = 0; index < SLOTS; index++) {
    if (words[set + LOW + index] === low && words[set + HIGH + index] === high && words[slotAt(set, index, n) + COUNT] !== 0) return index;
  }
  return -1;
}

/** The address's slot in the set, else one that is free, else -1. */
function findSlot(words: Int32Array, set: number, n: number, high: number, low: number, now: number): number {
  const known = slotOf(words, set, n, high, low);
  if (known !== -1) return known;
  for (let index = 0; index < SLOTS; index++) {
    const slot = slotAt(set, index, n);
    if (!isOver(now, words[set + LAST + index]) && words[slot + COUNT] !== 0) continue;
    words[set + LOW + index] = low;
    words[set + HIGH + index] = high;
    words[slot + COUNT] = 0;
    words[slot + NEXT] = 0;
    return index;
  }
  return -1;
}

function admit(words: Int32Array, slot: number, n: number, now: number): Admission {
  const ring = slot + RING;
  const count = words[slot + COUNT] ?? 0;
  const next = words[slot + NEXT] ?? 0;
  if (count === n && !isOver(now, words[ring + next])) return "limited";
  words[ring + next] = now;
  words[slot + NEXT] = next + 1 === n ? 0 : next + 1;
  words[slot + COUNT] = count === n ? n : count + 1;
  return n - admittedInWindow(words, slot, n, now);
}

/** Admissions of the last window, by binary search: going back from the latest, the times only get older. */
function admittedInWindow(words: Int32Array, slot: number, n: number, now: number): number {
  const ring = slot + RING;
  const latest = (words[slot + NEXT] ?? 0) - 1 + n;
  let inside = 1;
  let outside = (words[slot + COUNT] ?? 0) + 1;
  while (outside - inside > 1) {
    const middle = (inside + outside) >> 1;
    if (isOver(now, words[ring + ((latest - middle + 1) % n)])) outside = middle;
    else inside = middle;
  }
  return inside;
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
  // Only a thread that was ended while holding the lock keeps it for so long; what it left in the set is at worst one admission.
}

function unlock(words: Int32Array, at: number): void {
  if (Atomics.exchange(words, at, FREE) === AWAITED) Atomics.notify(words, at, 1);
}

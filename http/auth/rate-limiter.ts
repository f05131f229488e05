/**
 * Exact sliding windows for client addresses, in memory that all threads of a node share. An address may have at most N requests in
 * any one second: the times of its last N admissions are kept, and the next is admitted when the oldest of them is over a second ago.
 *
 * An address belongs to one set of `SLOTS_PER_SET` slots, found by hash; everything about it happens under that set's lock, so
 * two threads can never keep two slots for one address. A slot whose address was silent for a window is free for another. A set
 * without a free slot refuses new addresses: forgetting old ones would let a flood of addresses switch the limit off.
 */

/** Windows are one second, the unit in which the specification gives limits. */
const WINDOW_MS = 1_000;

/** At a quarter of the table in use within one second a full set is a matter of years, at a half of 4 in 1000. */
const SLOTS_PER_SET = 16;

/** Memory of one bucket's table. With 100/s a slot is 412 bytes, so 81,000 addresses a second; with 10/s over 500,000. */
export const TABLE_BYTES_DEFAULT = 32 * 1024 * 1024;

/** Tries at a lock before sleeping, and sleeps of a millisecond before taking it from a thread that died with it. */
const SPINS_MAX = 2_000;
const SLEEPS_MAX = 200;

const SET_HEADER = 1; // The lock.
const SLOT_HEADER = 5; // Address high, address low, admissions in the ring (at most N), next place in it, last admission.
const HIGH = 0;
const LOW = 1;
const COUNT = 2;
const NEXT = 3;
const LAST = 4;

/** What threads share of one bucket; survives `postMessage`. */
export interface RateLimitMemory {
  readonly bucket: string;
  readonly perSecond: number;
  readonly buffer: SharedArrayBuffer;
}

export type Admission = "limited" | "table_full" | number;

/** One bucket as a thread uses it. */
export interface RateLimitBucket {
  readonly perSecond: number;
  /** Admits a request of the address and answers how many more the window has room for, or says why it is refused. */
  take(high: number, low: number): Admission;
}

/** Makes the memory of a bucket, once a node. `tableBytes` bounds it; a table is never smaller than one set. */
export function createRateLimitMemory(bucket: string, perSecond: number, tableBytes = TABLE_BYTES_DEFAULT): RateLimitMemory {
  if (!Number.isInteger(perSecond) || perSecond < 1) throw new Error(`rate limit of ${bucket}: ${perSecond} is not a positive integer`);
  const setBytes = setWords(perSecond) * 4;
  const sets = 2 ** Math.floor(Math.log2(Math.max(1, tableBytes / setBytes)));
  return { bucket, perSecond, buffer: new SharedArrayBuffer(sets * setBytes) };
}

/**
 * Opens a bucket in one thread. `monotonicMs` has to be the same clock in all threads (from `process.hrtime`, not
 * `performance.now`, which starts at zero in each).
 */
export function openRateLimit(memory: RateLimitMemory, monotonicMs: () => number): RateLimitBucket {
  const words = new Int32Array(memory.buffer);
  const n = memory.perSecond;
  const slotLength = SLOT_HEADER + n;
  const setLength = setWords(n);
  const lastSet = words.length / setLength - 1;
  return {
    perSecond: n,
    take(high, low) {
      const set = (hash(high, low) & lastSet) * setLength;
      lock(words, set);
      try {
        // Read under the lock, so that the times in a ring never run backwards.
        const now = Math.floor(monotonicMs()) | 0;
        const slot = findSlot(words, set + SET_HEADER, slotLength, high | 0, low | 0, now);
        return slot === -1 ? "table_full" : admit(words, slot, n, now);
      } finally {
        Atomics.store(words, set, 0);
        Atomics.notify(words, set, 1);
      }
    },
  };
}

function setWords(perSecond: number): number {
  return SET_HEADER + SLOTS_PER_SET * (SLOT_HEADER + perSecond);
}

/** The address's slot, else one that is free, else -1. */
function findSlot(words: Int32Array, first: number, slotLength: number, high: number, low: number, now: number): number {
  let free = -1;
  for (let i = 0, slot = first; i < SLOTS_PER_SET; i++, slot += slotLength) {
    if (words[slot + COUNT] === 0) {
      if (free === -1) free = slot;
    } else if (words[slot + LOW] === low && words[slot + HIGH] === high) {
      return slot;
    } else if (free === -1 && isOver(now, words[slot + LAST])) {
      free = slot;
    }
  }
  if (free === -1) return -1;
  words[free + HIGH] = high;
  words[free + LOW] = low;
  words[free + COUNT] = 0;
  words[free + NEXT] = 0;
  return free;
}

function admit(words: Int32Array, slot: number, n: number, now: number): Admission {
  const ring = slot + SLOT_HEADER;
  const count = words[slot + COUNT] ?? 0;
  const next = words[slot + NEXT] ?? 0;
  if (count === n && !isOver(now, words[ring + next])) return "limited";
  words[ring + next] = now;
  words[slot + NEXT] = next + 1 === n ? 0 : next + 1;
  words[slot + COUNT] = count === n ? n : count + 1;
  words[slot + LAST] = now;
  return n - admittedInWindow(words, slot, n, now);
}

/** Admissions of the last window, by binary search: going back from the latest, the times only get older. */
function admittedInWindow(words: Int32Array, slot: number, n: number, now: number): number {
  const ring = slot + SLOT_HEADER;
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

function lock(words: Int32Array, at: number): void {
  for (let sleeps = 0; sleeps < SLEEPS_MAX; sleeps++) {
    for (let spins = 0; spins < SPINS_MAX; spins++) {
      if (Atomics.compareExchange(words, at, 0, 1) === 0) return;
    }
    // The holder was probably put off its core in the middle of it.
    Atomics.wait(words, at, 1, 1);
  }
  // Only a thread that was ended while holding the lock keeps it for so long; what it left in the set is at worst one admission.
}

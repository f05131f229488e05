/** Number of counters in a table, which is a power of two. */
const COUNTERS = 1_048_576;

/** The memory of a table that threads share. It survives `postMessage`. */
export interface SharedCountsMemory {
  readonly buffer: SharedArrayBuffer;
  readonly seed: number;
}

/**
 * Counts how many connections or lookups each key has open at once (WebSockets of an address,
 * lookups of a caller), over all threads of a node. A key is two 32-bit numbers, whose hash selects
 * a counter. Two keys with one counter are counted together, but only one in thousands of open ones
 * is affected. The hash has a secret seed, so that a caller cannot choose a key with another one's
 * counter.
 */
export interface SharedCounts {
  /** Adds one and returns true. Returns false if there are already `max`. */
  take(high: number, low: number, max: number): boolean;
  /** Subtracts one that was taken. */
  giveBack(high: number, low: number): void;
}

/** Creates the memory of a table, once a node; `seed` is any 32 random bits. */
export function sharedCountsMemory(seed: number): SharedCountsMemory {
  return { buffer: new SharedArrayBuffer(COUNTERS * Int32Array.BYTES_PER_ELEMENT), seed };
}

export function openSharedCounts({ buffer, seed }: SharedCountsMemory): SharedCounts {
  const counts = new Int32Array(buffer);
  return {
    take: (high, low, max) => {
      const counter = counterOf(seed, high, low);
      if (Atomics.add(counts, counter, 1) < max) return true;
      Atomics.sub(counts, counter, 1);
      return false;
    },
    giveBack: (high, low) => {
      Atomics.sub(counts, counterOf(seed, high, low), 1);
    },
  };
}

/**
 * The seed is mixed in before and after each word, so that keys which collide with one seed do not
 * collide with another.
 */
function counterOf(seed: number, high: number, low: number): number {
  let h = mixed(seed ^ high);
  h = mixed(h ^ low);
  return mixed(h ^ seed) & (COUNTERS - 1);
}

/** The end of MurmurHash3. Each bit of the input changes half of the output's bits. */
function mixed(word: number): number {
  let h = word ^ (word >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return h ^ (h >>> 16);
}

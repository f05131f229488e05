/** Counters of one table; a power of two. */
const COUNTERS = 1_048_576;

/** What threads share of a table; survives `postMessage`. */
export interface SharedCountsMemory {
  readonly buffer: SharedArrayBuffer;
  readonly seed: number;
}

/**
 * How many of something each key has open at once (WebSockets of an address, look-ups of a caller), counted over all threads of a node. A key is two
 * 32-bit numbers. It has the counter that its hash names: two keys on one counter are counted together, which is one in thousands of what is open at
 * once. The hash has a seed that nobody outside knows, so that nobody can choose a key that falls on another's counter.
 */
export interface SharedCounts {
  /** Counts one more, unless there are `max` already: then it answers false. */
  take(high: number, low: number, max: number): boolean;
  /** One that was taken is no more. */
  giveBack(high: number, low: number): void;
}

/** Makes the memory of a table, once a node; `seed` is any 32 random bits. */
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

/** The seed goes in before and after each word, so that keys which meet under one seed do not meet under another. */
function counterOf(seed: number, high: number, low: number): number {
  let h = mixed(seed ^ high);
  h = mixed(h ^ low);
  return mixed(h ^ seed) & (COUNTERS - 1);
}

/** The end of MurmurHash3: each bit of the input changes half of the output's. */
function mixed(word: number): number {
  let h = word ^ (word >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return h ^ (h >>> 16);
}

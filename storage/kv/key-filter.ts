import { KEY_LENGTH_MAX } from "./limits.ts";

/** Bits and probes per key. They determine how many absent keys are read in vain (infra/docs/decisions/0025-figures-behind-the-code.md). */
const BITS_PER_KEY = 16;
const PROBES = 5;

/** All bits of a key are in one block, which is as long as a cache line of the processor: the table itself does not fit into the cache. */
const BLOCK_BITS = 512;
const BLOCK_WORDS = BLOCK_BITS / 32;

/** Keys of the first segment; each further one holds twice as many as the one before. */
const FIRST_SEGMENT_KEYS = 262_144;

/** 128 MiB in all, 67 million keys; beyond it the filter gives up and every key is read. */
const SEGMENTS_MAX = 8;

/**
 * A key's bytes, to be hashed: a loop over the characters of V8's different kinds of strings is slower
 * (infra/docs/decisions/0025-figures-behind-the-code.md).
 */
const scratch = Buffer.alloc(KEY_LENGTH_MAX);

interface Hashes {
  key: string;
  one: number;
  other: number;
}

interface Segment {
  bits: Uint32Array;
  /** Mask of a block's number. */
  mask: number;
  room: number;
}

/**
 * A Bloom filter that grows: it reports keys that are certainly absent. Otherwise the check of each new uuid would read LevelDB, which
 * counts such reads and merges its tables again and again because of them.
 */
export class KeyFilter {
  readonly #segments: Segment[] = [];
  #last: Hashes = { key: "", one: 0, other: 0 };
  #complete = false;
  #full = false;

  /** True when all existing keys were added; before that the filter cannot be used. */
  get isComplete(): boolean {
    return this.#complete && !this.#full;
  }

  completed(): void {
    this.#complete = true;
  }

  add(key: string): void {
    if (this.#full) return;
    let segment = this.#segments.at(-1);
    if (segment === undefined || segment.room === 0) {
      if (this.#segments.length === SEGMENTS_MAX) {
        this.#full = true;
        this.#segments.length = 0;
        return;
      }
      const keys = FIRST_SEGMENT_KEYS << this.#segments.length;
      const bits = keys * BITS_PER_KEY;
      segment = { bits: new Uint32Array(bits / 32), mask: bits / BLOCK_BITS - 1, room: keys };
      this.#segments.push(segment);
    }
    segment.room -= 1;
    const { bits, mask } = segment;
    const { one, other } = this.#hashesOf(key);
    const block = (one & mask) * BLOCK_WORDS;
    let bit = other;
    for (let probe = 0; probe < PROBES; probe++, bit += stepOf(other)) {
      const word = block + ((bit & (BLOCK_BITS - 1)) >>> 5);
      bits[word] = (bits[word] ?? 0) | (1 << (bit & 31));
    }
  }

  /** False when the key was certainly never added. */
  mayHave(key: string): boolean {
    const { one, other } = this.#hashesOf(key);
    for (const segment of this.#segments) if (hasAll(segment, one, other)) return true;
    return false;
  }

  /** A key that is not there is mostly added next. */
  #hashesOf(key: string): Hashes {
    if (this.#last.key !== key) this.#last = hashesOf(key);
    return this.#last;
  }
}

function hasAll({ bits, mask }: Segment, one: number, other: number): boolean {
  const block = (one & mask) * BLOCK_WORDS;
  let bit = other;
  for (let probe = 0; probe < PROBES; probe++, bit += stepOf(other)) {
    const word = block + ((bit & (BLOCK_BITS - 1)) >>> 5);
    if (((bits[word] ?? 0) & (1 << (bit & 31))) === 0) return false;
  }
  return true;
}

/** From one bit of a key to its next: odd, so that it reaches every bit of the block. */
function stepOf(other: number): number {
  return (other >>> 16) | 1;
}

/** Two hashes of a key (ASCII, KEY_LENGTH_MAX at most) in one pass: one for its block, the other for its bits. */
function hashesOf(key: string): Hashes {
  let one = 0x811c9dc5;
  let other = 0x9747b28c;
  const length = scratch.write(key, 0, "latin1");
  for (let index = 0; index < length; index++) {
    const code = scratch[index] ?? 0;
    one = Math.imul(one ^ code, 0x01000193);
    other = Math.imul(other ^ code, 0x5bd1e995);
    other ^= other >>> 15;
  }
  one = Math.imul(one ^ (one >>> 16), 0x85ebca6b);
  one ^= one >>> 13;
  other = Math.imul(other ^ (other >>> 16), 0xc2b2ae35);
  return { key, one, other };
}

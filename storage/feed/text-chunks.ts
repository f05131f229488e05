/** Memory is allocated in pieces of this size. */
const CHUNK_BYTES = 1_048_576;

/** The maximum number of UTF-8 bytes per UTF-16 unit of a string. */
const BYTES_A_UNIT_MAX = 3;

/**
 * Growing text as bytes outside the garbage-collected heap: thousands of strings that wait for an insert would be copied by each
 * collection.
 */
export class TextChunks {
  readonly #full: Buffer[] = [];
  #chunk = Buffer.allocUnsafe(0);
  #used = 0;

  add(text: string): void {
    const needed = text.length * BYTES_A_UNIT_MAX;
    if (this.#used + needed > this.#chunk.length) {
      if (this.#used > 0) this.#full.push(this.#chunk.subarray(0, this.#used));
      this.#chunk = Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, needed));
      this.#used = 0;
    }
    this.#used += this.#chunk.write(text, this.#used);
  }

  /** The added text, in pieces. */
  get chunks(): readonly Buffer[] {
    return this.#used === 0 ? this.#full : [...this.#full, this.#chunk.subarray(0, this.#used)];
  }
}

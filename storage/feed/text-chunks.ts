/** Memory is taken in pieces of this size. */
const CHUNK_BYTES = 1_048_576;

/** UTF-8 needs so many bytes at most for a unit of a string. */
const BYTES_A_UNIT_MAX = 3;

/** Text that grows, as bytes outside of the collected memory: thousands of strings that wait for an insert would be copied by each collection. */
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

  /** What was added, piece by piece. */
  get chunks(): readonly Buffer[] {
    return this.#used === 0 ? this.#full : [...this.#full, this.#chunk.subarray(0, this.#used)];
  }
}

/** Bytes that arrive in parts. It grows by doubling, so that single bytes cost no more than large parts. Its user limits the size. */
export class PartBuffer {
  #bytes: Uint8Array = new Uint8Array(64);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(part: Uint8Array): void {
    const length = this.#length + part.length;
    if (length > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(length, 2 * this.#bytes.length));
      grown.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = grown;
    }
    this.#bytes.set(part, this.#length);
    this.#length = length;
  }

  /** All bytes; the buffer must not be used again. */
  take(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }
}

/** Collects a request body up to a bound. */
export class BodyCollector {
  readonly #bytesMax: number;
  #chunks: Buffer[] = [];
  #length = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** The first bytes of a body that is too large, up to the limit. */
  get beginning(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  /**
   * Takes a chunk, which is valid only during the call. Returns the whole body at the last chunk; a body that came in one chunk is not
   * copied, so it is also valid only during the call.
   */
  take(chunk: ArrayBuffer, isLast: boolean): Buffer | "more" | "too_large" {
    this.#length += chunk.byteLength;
    if (this.#length > this.#bytesMax) {
      const room = this.#bytesMax - (this.#length - chunk.byteLength);
      if (room > 0) this.#chunks.push(Buffer.from(chunk.slice(0, room)));
      return "too_large";
    }
    if (isLast && this.#chunks.length === 0) return Buffer.from(chunk);
    this.#chunks.push(Buffer.from(chunk.slice(0)));
    return isLast ? Buffer.concat(this.#chunks, this.#length) : "more";
  }
}

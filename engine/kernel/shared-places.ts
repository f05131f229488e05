export interface PlaceBounds {
  readonly all: number;
  /** Limit for one holder. */
  readonly each: number;
}

/** One in this many places is reserved for holders that have none. */
const KEPT_PART = 4;

/**
 * A limited number of places (for uploads, downloads, calls) that holders share. A holder is an
 * address, a merchant or a partner, for example. No holder has more than `each`, and the last
 * quarter of all places is reserved for holders that have none, so that a few greedy ones leave
 * room for others.
 */
export class SharedPlaces {
  readonly #all: number;
  readonly #each: number;
  readonly #kept: number;
  readonly #held = new Map<string, number>();
  #taken = 0;

  constructor({ all, each }: PlaceBounds) {
    this.#all = all;
    this.#each = each;
    this.#kept = Math.floor(all / KEPT_PART);
  }

  get taken(): number {
    return this.#taken;
  }

  get holders(): Iterable<string> {
    return this.#held.keys();
  }

  /**
   * Returns why this holder gets no place now: no place is free, or only reserved ones (`all`), or
   * the holder has its share (`share`). Returns null if it gets one.
   */
  refusalOf(holder: string): "all" | "share" | null {
    const own = this.#held.get(holder) ?? 0;
    if (own >= this.#each) return "share";
    return this.#taken >= (own === 0 ? this.#all : this.#all - this.#kept) ? "all" : null;
  }

  /**
   * Takes a place. The returned function releases it and may be called again. The caller checks
   * `refusalOf` first; a place that it refuses is a bug.
   */
  take(holder: string): () => void {
    const refusal = this.refusalOf(holder);
    if (refusal !== null) throw new Error(`this holder cannot get a place: ${refusal}`);
    this.#held.set(holder, (this.#held.get(holder) ?? 0) + 1);
    this.#taken += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#taken -= 1;
      const left = (this.#held.get(holder) ?? 1) - 1;
      if (left === 0) this.#held.delete(holder);
      else this.#held.set(holder, left);
    };
  }
}

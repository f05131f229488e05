export interface PlaceBounds {
  readonly all: number;
  /** Of one holder. */
  readonly each: number;
}

/** Of all places this part is for holders that have none. */
const KEPT_PART = 4;

/**
 * A bounded number of places (for uploads, downloads, calls) with a share for everyone. A holder is whoever the places are shared between: an address, a merchant, a
 * partner. No holder has more than `each`, and the last quarter of all places goes only to holders that have none, so that a few greedy ones leave room for others.
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

  /** Why this holder gets no place now: there is none, or none for who has one already (`all`), or it has its share (`share`). Null: it gets one. */
  refusalOf(holder: string): "all" | "share" | null {
    const own = this.#held.get(holder) ?? 0;
    if (own >= this.#each) return "share";
    return this.#taken >= (own === 0 ? this.#all : this.#all - this.#kept) ? "all" : null;
  }

  /** Takes a place, which the returned function gives back; it may be called again. Ask `refusalOf` first: what it refuses is a fault here. */
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

interface Known {
  version: number;
}

/**
 * Versions of keys that were checked or read lately and do not expire, so that a check of a hot key reads nothing. At its bound all are forgotten
 * at once, which costs each a reading.
 */
export class VersionCache {
  readonly #known = new Map<string, Known>();
  readonly #keysMax: number;
  /** Kinds of keys (their first characters) of which any is known: those of the others, which are written and never checked, are not looked for. */
  readonly #kinds = new Uint8Array(128);
  /** A key that is checked is mostly written next: in a table of many each look costs memory that no processor has at hand. */
  #lastKey = "";
  #last: Known | undefined;

  constructor(keysMax: number) {
    this.#keysMax = keysMax;
  }

  /** Undefined for a key of which nothing is known. */
  versionOf(key: string): number | undefined {
    return this.#find(key)?.version;
  }

  keep(key: string, version: number): void {
    if (this.update(key, version)) return;
    if (this.#known.size >= this.#keysMax) this.clear();
    this.#lastKey = key;
    this.#last = { version };
    this.#known.set(key, this.#last);
    this.#kinds[key.charCodeAt(0)] = 1;
  }

  /** Another version of a key that is known; says whether it is. */
  update(key: string, version: number): boolean {
    const known = this.#find(key);
    if (known === undefined) return false;
    known.version = version;
    return true;
  }

  forget(key: string): void {
    if (this.#find(key) === undefined) return;
    this.#known.delete(key);
    this.#last = undefined;
  }

  clear(): void {
    this.#known.clear();
    this.#last = undefined;
  }

  #find(key: string): Known | undefined {
    if (this.#kinds[key.charCodeAt(0)] !== 1) return undefined;
    if (this.#lastKey !== key) {
      this.#last = this.#known.get(key);
      this.#lastKey = key;
    }
    return this.#last;
  }
}

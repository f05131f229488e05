interface Known {
  version: number;
}

/**
 * Versions of recently checked or read keys that do not expire, so that a check of a hot key needs no read. At the bound all are dropped at
 * once; each is then read again.
 */
export class VersionCache {
  readonly #known = new Map<string, Known>();
  readonly #keysMax: number;
  /** Kinds of keys (their first characters) in the cache. Keys of other kinds, which are written and never checked, are not looked up. */
  readonly #kinds = new Uint8Array(128);
  /** A key that is checked is usually written next; this saves a lookup in a large table, which is a cache miss. */
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

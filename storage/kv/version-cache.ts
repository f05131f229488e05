import type { Standing } from "./embedded-layout.ts";

/**
 * How keys stand that were checked or read lately, so that a check of a hot key does not read the disk. Two generations: when the young one is
 * full the old one is forgotten, which costs nothing on each access and bounds both.
 */
export class VersionCache {
  readonly #generationMax: number;
  #young = new Map<string, Standing>();
  #old = new Map<string, Standing>();

  constructor(entriesMax: number) {
    this.#generationMax = Math.ceil(entriesMax / 2);
  }

  get(key: string): Standing | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  /** Also overrides what the old generation says of the key, because the young one is asked first. */
  set(key: string, standing: Standing): void {
    if (this.#young.size >= this.#generationMax) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, standing);
  }

  /** Of a key that is written: nobody may ask for it again, so it takes no place where it had none. */
  update(key: string, standing: Standing): void {
    if (this.#young.has(key) || this.#old.has(key)) this.set(key, standing);
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
  }
}

import type { Standing } from "./embedded-layout.ts";

/**
 * How keys stand that were written or checked lately: a check of a hot key does not read the disk, and one of a key that is on its way there
 * finds what the disk cannot say yet. Two generations: when the young one is full the old one is forgotten, which costs nothing on each
 * access and bounds both.
 */
export class VersionCache {
  readonly #generationMax: number;
  readonly #mayForget: (version: number) => boolean;
  #young = new Map<string, Standing>();
  #old = new Map<string, Standing>();
  /** The highest version in each. */
  #youngNewest = 0;
  #oldNewest = 0;

  /** `mayForget`: whether everything up to this version is on disk, where it can be read again. */
  constructor(entriesMax: number, mayForget: (version: number) => boolean) {
    this.#generationMax = Math.ceil(entriesMax / 2);
    this.#mayForget = mayForget;
  }

  get(key: string): Standing | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.keep(key, old);
    return old;
  }

  /** Also overrides what the old generation says of the key, because the young one is asked first. What is pending always finds room. */
  set(key: string, standing: Standing): void {
    this.#makeRoom();
    this.#young.set(key, standing);
    if (standing.version > this.#youngNewest) this.#youngNewest = standing.version;
  }

  /** The same for what can be read again: left out where only forgetting what is pending would make room. */
  keep(key: string, standing: Standing): void {
    if (this.#makeRoom()) this.set(key, standing);
  }

  delete(key: string): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
    this.#youngNewest = 0;
    this.#oldNewest = 0;
  }

  #makeRoom(): boolean {
    if (this.#young.size < this.#generationMax) return true;
    if (!this.#mayForget(this.#oldNewest)) return false;
    this.#old = this.#young;
    this.#oldNewest = this.#youngNewest;
    this.#young = new Map();
    this.#youngNewest = 0;
    return true;
  }
}

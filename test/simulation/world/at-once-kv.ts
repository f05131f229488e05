import {
  type Commit,
  type CommitResult,
  CommitTooLate,
  type CountRange,
  type Entry,
  type Kv,
  type ScanRange,
  StorageUnavailable,
} from "../../../engine/kernel/kv.ts";
import { assertCommit, assertCountRange, assertKey, assertKeys, assertRange } from "../../../storage/kv/limits.ts";
import type { SimStore } from "./sim-store.ts";

/** A way to the simulated store that takes no time: for what happens before a history, and for the contract that every store keeps. */
export class AtOnceKv implements Kv {
  readonly #store: SimStore;
  #closed = false;

  constructor(store: SimStore) {
    this.#store = store;
  }

  async get(key: string): Promise<Entry | null> {
    assertKey(key);
    return this.#open().get(key);
  }

  async getMany(keys: readonly string[]): Promise<(Entry | null)[]> {
    assertKeys(keys);
    const store = this.#open();
    return keys.map((key) => store.get(key));
  }

  async scan(range: ScanRange): Promise<Entry[]> {
    assertRange(range);
    return this.#open().scan(range);
  }

  async count(range: CountRange): Promise<number> {
    assertCountRange(range);
    return this.#open().scan(range).length;
  }

  async commit(commit: Commit): Promise<CommitResult> {
    assertCommit(commit);
    const store = this.#open();
    const answer = store.commit(commit, "at once", store.lost);
    if (answer.type === "too late") throw new CommitTooLate();
    if (answer.type === "refused") throw new StorageUnavailable("the store has lost some of its history");
    return answer;
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  #open(): SimStore {
    if (this.#closed) throw new StorageUnavailable("the store is closed");
    return this.#store;
  }
}

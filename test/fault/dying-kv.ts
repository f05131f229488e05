import { type Commit, type CommitResult, type Entry, type Kv, type ScanRange, StorageUnavailable } from "../../engine/kernel/kv.ts";
import type { MemoryKv } from "../engine/kernel/memory-kv.ts";

/** The store as a node sees it that is killed with its n-th commit: before the store has it, or after, when the node does not know. */
export class DyingKv implements Kv {
  readonly #kv: MemoryKv;
  readonly #dies: { commit: number; stored: boolean };
  #commits = 0;
  isDead = false;

  constructor(kv: MemoryKv, dies: { commit: number; stored: boolean }) {
    this.#kv = kv;
    this.#dies = dies;
  }

  async get(key: string): Promise<Entry | null> {
    this.#live();
    return this.#kv.get(key);
  }

  async getMany(keys: readonly string[]): Promise<(Entry | null)[]> {
    this.#live();
    return this.#kv.getMany(keys);
  }

  async scan(range: ScanRange): Promise<Entry[]> {
    this.#live();
    return this.#kv.scan(range);
  }

  async count(range: ScanRange): Promise<number> {
    this.#live();
    return this.#kv.count(range);
  }

  async commit(commit: Commit): Promise<CommitResult> {
    this.#live();
    this.#commits += 1;
    if (this.#commits !== this.#dies.commit) return this.#kv.commit(commit);
    this.isDead = true;
    if (this.#dies.stored) await this.#kv.commit(commit);
    throw new StorageUnavailable("killed");
  }

  async close(): Promise<void> {}

  #live(): void {
    if (this.isDead) throw new StorageUnavailable("killed");
  }
}

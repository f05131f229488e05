import { type Commit, type CommitResult, type Entry, type Kv, type ScanRange, StorageUnavailable } from "../../engine/kernel/kv.ts";
import type { MemoryKv } from "../engine/kernel/memory-kv.ts";
import { turns } from "./intents/sim-gateway.ts";
import type { Random } from "./random.ts";

/** The store as one process sees it: each call takes its time, and when the process is killed nothing of it happens any more. */
export class ProcessKv implements Kv {
  readonly #kv: MemoryKv;
  readonly #random: Random;
  isDead = false;
  /** How likely a commit is not done, or done and not answered. */
  trouble = 0;

  constructor(kv: MemoryKv, random: Random) {
    this.#kv = kv;
    this.#random = random;
  }

  async get(key: string): Promise<Entry | null> {
    await this.#turn();
    return this.#kv.get(key);
  }

  async getMany(keys: readonly string[]): Promise<(Entry | null)[]> {
    await this.#turn();
    return this.#kv.getMany(keys);
  }

  async scan(range: ScanRange): Promise<Entry[]> {
    await this.#turn();
    return this.#kv.scan(range);
  }

  async count(range: ScanRange): Promise<number> {
    await this.#turn();
    return this.#kv.count(range);
  }

  async commit(commit: Commit): Promise<CommitResult> {
    await this.#turn();
    if (this.#random.chance(this.trouble)) {
      if (this.#random.chance(0.5)) await this.#kv.commit(commit);
      throw new StorageUnavailable("away");
    }
    const result = await this.#kv.commit(commit);
    await this.#turn();
    return result;
  }

  async close(): Promise<void> {}

  async #turn(): Promise<void> {
    await turns(this.#random.between(0, 12));
    if (this.isDead) throw new StorageUnavailable("killed");
  }
}

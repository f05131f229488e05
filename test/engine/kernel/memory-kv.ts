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

/** What becomes of a commit: done, refused without having happened, or done and its answer lost. */
export type Fate = "done" | "refused" | "answer lost";

/** A Kv in memory whose commits a test can hold, fail, or make uncertain. */
export class MemoryKv implements Kv {
  readonly #entries = new Map<string, { value: string; version: number }>();
  readonly #late: { commit: Commit; happen: boolean }[] = [];
  #version = 0;
  #sorted: string[] | null = null;
  #held: (() => void)[] | null = null;
  #heldAnswers: (() => void)[] | null = null;
  /** Decides what becomes of each commit. */
  fate: (commit: Commit) => Fate = () => "done";
  /** True: reads are refused too. */
  unreadable = false;
  /** What `withinMs` of a commit is held against. */
  nowMs: () => number = () => 0;
  commits = 0;
  reads = 0;

  /** From now on commits are decided and applied when `release` is called. */
  hold(): void {
    this.#held = [];
  }

  /** From now on commits happen at once, and are answered when `release` is called. */
  holdAnswers(): void {
    this.#heldAnswers = [];
  }

  release(): void {
    const held = [...(this.#held ?? []), ...(this.#heldAnswers ?? [])];
    this.#held = null;
    this.#heldAnswers = null;
    for (const go of held) go();
  }

  get lastVersion(): number {
    return this.#version;
  }

  get holding(): number {
    return this.#held?.length ?? 0;
  }

  /** The next commit is answered with a failure at once and happens only when `arrive` is called. */
  delayNext(): void {
    const before = this.fate;
    this.fate = (commit) => {
      this.fate = before;
      this.#late.push({ commit, happen: true });
      return "refused";
    };
  }

  /** What was delayed arrives at the store now. */
  arrive(): CommitResult[] {
    return this.#late.splice(0).map(({ commit }) => this.#apply(commit));
  }

  async get(key: string): Promise<Entry | null> {
    this.#assertReadable();
    const entry = this.#entries.get(key);
    return entry === undefined ? null : { key, ...entry };
  }

  async getMany(keys: readonly string[]): Promise<(Entry | null)[]> {
    return Promise.all(keys.map((key) => this.get(key)));
  }

  async scan({ from, to, limit, reverse }: ScanRange): Promise<Entry[]> {
    this.#assertReadable();
    const sorted = this.#sortedKeys();
    const keys = sorted.slice(placeOf(sorted, from), placeOf(sorted, to));
    if (reverse === true) keys.reverse();
    return keys.slice(0, limit).flatMap((key) => {
      const entry = this.#entries.get(key);
      return entry === undefined ? [] : [{ key, ...entry }];
    });
  }

  async count(range: CountRange): Promise<number> {
    return (await this.scan(range)).length;
  }

  async commit(commit: Commit): Promise<CommitResult> {
    this.commits += 1;
    const askedAtMs = this.nowMs();
    if (this.#held !== null) await new Promise<void>((go) => this.#held?.push(go));
    const fate = this.fate(commit);
    if (fate === "refused") throw new StorageUnavailable("refused");
    if (this.nowMs() - askedAtMs > (commit.withinMs ?? Number.POSITIVE_INFINITY)) throw new CommitTooLate();
    const result = this.#apply(commit);
    if (this.#heldAnswers !== null) await new Promise<void>((go) => this.#heldAnswers?.push(go));
    if (fate === "answer lost") throw new StorageUnavailable("the answer is lost");
    return result;
  }

  async close(): Promise<void> {}

  keys(prefix: string): string[] {
    return [...this.#entries.keys()].filter((key) => key.startsWith(prefix)).sort();
  }

  /** In order; kept from one scan to the next while no key comes or goes. */
  #sortedKeys(): readonly string[] {
    this.#sorted ??= [...this.#entries.keys()].sort();
    return this.#sorted;
  }

  #assertReadable(): void {
    this.reads += 1;
    if (this.unreadable) throw new StorageUnavailable("unreadable");
  }

  #apply({ checks, operations }: Commit): CommitResult {
    for (const { key, version } of checks) {
      if ((this.#entries.get(key)?.version ?? 0) !== version) return { type: "conflict", key };
    }
    this.#version += 1;
    for (const operation of operations) {
      if ((operation.type === "delete") === this.#entries.has(operation.key)) this.#sorted = null;
      if (operation.type === "delete") this.#entries.delete(operation.key);
      else this.#entries.set(operation.key, { value: operation.value, version: this.#version });
    }
    return { type: "committed", version: this.#version };
  }
}

/** Index of the first key that is not below `bound`. */
function placeOf(sorted: readonly string[], bound: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? "") < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

import type { ChainedBatch, ClassicLevel } from "classic-level";
import { expiryKey, LAST_VERSION_KEY } from "./embedded-layout.ts";
import type { CommitResult } from "./kv.ts";

/**
 * The commits of some turns of the event loop, written as one. Operations go to the native batch as they come (a chained batch
 * costs 1 µs an operation, an array of operations 15 µs).
 */
export class CommitBatch {
  readonly #batch: ChainedBatch<ClassicLevel, string, string>;
  readonly #waiters: { result: CommitResult; resolve: (result: CommitResult) => void; reject: (error: Error) => void }[] = [];
  #operations = 0;
  #length = 0;

  constructor(level: ClassicLevel) {
    this.#batch = level.batch();
  }

  /** Operations and callers in it; what the store's bound counts. */
  get size(): number {
    return this.#operations + this.#waiters.length;
  }

  /** UTF-16 units of its keys and values. */
  get length(): number {
    return this.#length;
  }

  put(key: string, header: string, value: string): void {
    this.#batch.put(key, header + value);
    this.#operations++;
    this.#length += key.length + value.length;
  }

  /** Puts its entry in the index of expiries, too. */
  putExpiring(key: string, header: string, value: string, expiresAtMs: number): void {
    this.put(key, header, value);
    this.#batch.put(expiryKey(expiresAtMs, key), "");
  }

  delete(key: string): void {
    this.#batch.del(key);
    this.#operations++;
    this.#length += key.length;
  }

  /** Removes an entry of the index of expiries. */
  deleteIndexEntry(indexKey: string): void {
    this.#batch.del(indexKey);
    this.#operations++;
    this.#length += indexKey.length;
  }

  /** Answers with `result` once the batch is on disk. */
  wait(result: CommitResult): Promise<CommitResult> {
    return new Promise((resolve, reject) => {
      this.#waiters.push({ result, resolve, reject });
    });
  }

  /** Resolves when all of it is on disk. */
  async write(lastVersion: number): Promise<void> {
    this.#batch.put(LAST_VERSION_KEY, String(lastVersion));
    await this.#batch.write({ sync: true });
  }

  acknowledge(): void {
    for (const waiter of this.#waiters) waiter.resolve(waiter.result);
  }

  fail(error: Error): void {
    for (const waiter of this.#waiters) waiter.reject(error);
  }
}

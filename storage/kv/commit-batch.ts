import type { CommitResult } from "../../engine/kernel/kv.ts";
import { expiryKey, LAST_VERSION_KEY, LAYOUT_KEY, LAYOUT_VERSION, type Standing } from "./embedded-layout.ts";
import type { NativeBatch, NativeBatches } from "./native-batch.ts";

/** Keys of one kind and their state. If a key occurs more than once, the last one counts. */
interface Kind {
  keys: string[];
  standings: Standing[];
  /** Holds the first `indexed` entries. It is created, and completed, when a key is looked up. */
  byKey: Map<string, Standing> | null;
  indexed: number;
}

/**
 * The commits of some turns of the event loop, written as one. Operations are added to the native batch as they arrive, because passing an
 * array of operations at the end is much slower (infra/docs/decisions/0025-figures-behind-the-code.md). The batch knows the state that its
 * keys will have, which cannot be read from the disk yet.
 */
export class CommitBatch {
  readonly #natives: NativeBatches;
  readonly #native: NativeBatch;
  readonly #waiters: { result: CommitResult; resolve: (result: CommitResult) => void; reject: (error: Error) => void }[] = [];
  /** By the first character of their keys, which is their kind: in most batches, keys of some kinds are never looked up. */
  readonly #kinds = new Map<number, Kind>();
  #operations = 0;
  #length = 0;

  constructor(natives: NativeBatches) {
    this.#natives = natives;
    this.#native = natives.take();
  }

  /** Number of operations and waiting callers, which the store's bound counts. */
  get size(): number {
    return this.#operations + this.#waiters.length;
  }

  /** UTF-16 units of its keys and values. */
  get length(): number {
    return this.#length;
  }

  /** The state of a key once this batch is on disk; undefined for a key that is not in the batch. */
  standingOf(key: string): Standing | undefined {
    const kind = this.#kinds.get(key.charCodeAt(0));
    if (kind === undefined) return undefined;
    kind.byKey ??= new Map();
    const { keys, standings, byKey } = kind;
    for (; kind.indexed < keys.length; kind.indexed++) {
      const [indexed, standing] = [keys[kind.indexed], standings[kind.indexed]];
      if (indexed !== undefined && standing !== undefined) byKey.set(indexed, standing);
    }
    return byKey.get(key);
  }

  /** A key that expires also gets an entry in the index of expiries. `header` is the part of the state that is stored with the value. */
  put(key: string, header: string, value: string, standing: Standing): void {
    this.#native._put(key, header + value);
    this.#note(key, standing);
    this.#operations++;
    this.#length += key.length + value.length;
    if (standing.expiresAtMs !== 0) this.#native._put(expiryKey(standing.expiresAtMs, key), "");
  }

  delete(key: string, standing: Standing): void {
    this.#native._del(key);
    this.#note(key, standing);
    this.#operations++;
    this.#length += key.length;
  }

  #note(key: string, standing: Standing): void {
    const code = key.charCodeAt(0);
    let kind = this.#kinds.get(code);
    if (kind === undefined) {
      kind = { keys: [], standings: [], byKey: null, indexed: 0 };
      this.#kinds.set(code, kind);
    }
    kind.keys.push(key);
    kind.standings.push(standing);
  }

  /** Removes an entry of the index of expiries. */
  deleteIndexEntry(indexKey: string): void {
    this.#native._del(indexKey);
    this.#operations++;
    this.#length += indexKey.length;
  }

  /** Resolves with `result` once the batch is on disk. */
  wait(result: CommitResult): Promise<CommitResult> {
    return new Promise((resolve, reject) => {
      this.#waiters.push({ result, resolve, reject });
    });
  }

  /** Resolves when all of it is on disk. The first batch in a directory of an older layout makes it one of this layout. */
  async write(lastVersion: number): Promise<void> {
    this.#native._put(LAYOUT_KEY, String(LAYOUT_VERSION));
    this.#native._put(LAST_VERSION_KEY, String(lastVersion));
    await this.#native._write({ sync: true });
    this.#natives.giveBack(this.#native, this.#length);
  }

  acknowledge(): void {
    for (const waiter of this.#waiters) waiter.resolve(waiter.result);
  }

  fail(error: Error): void {
    for (const waiter of this.#waiters) waiter.reject(error);
  }
}

import type { ChainedBatch, ClassicLevel } from "classic-level";

/** A batch that has held more UTF-16 units than this keeps too much memory to be used again. */
const KEPT_LENGTH_MAX = 1_048_576;

/**
 * A batch of LevelDB, by what abstract-level has its implementations provide: below the options, encodings, hooks and events of the public
 * `put`, `del` and `write`, which the store does not need, and which allow a batch to be written only once.
 */
export interface NativeBatch {
  _put(key: string, value: string): void;
  _del(key: string): void;
  _clear(): void;
  /** Resolves when all of it is written, which is synced where `sync` is true. Nothing may be added meanwhile. */
  _write(options: { sync: boolean }): Promise<void>;
  /** Releases the batch. */
  close(): Promise<void>;
}

function isNative(batch: ChainedBatch<ClassicLevel, string, string>): batch is typeof batch & NativeBatch {
  return ["_put", "_del", "_clear", "_write"].every((method) => method in batch);
}

/**
 * The batches of one database. Written batches are used again, because their memory is already allocated. (The pages of a new batch have to
 * be cleared by the system, and are returned only when the garbage collector finds the batch.)
 */
export class NativeBatches {
  readonly level: ClassicLevel;
  #spare: NativeBatch | null = null;

  constructor(level: ClassicLevel) {
    this.level = level;
  }

  /** An empty one. */
  take(): NativeBatch {
    const spare = this.#spare;
    if (spare !== null) {
      this.#spare = null;
      return spare;
    }
    const batch = this.level.batch();
    if (!isNative(batch)) throw new Error("this version of classic-level has other batches");
    return batch;
  }

  /** Takes back one that was written; `length` is what it held. */
  giveBack(batch: NativeBatch, length: number): void {
    if (length > KEPT_LENGTH_MAX || this.#spare !== null) {
      void batch.close();
      return;
    }
    batch._clear();
    this.#spare = batch;
  }
}

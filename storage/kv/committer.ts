import type { ClassicLevel } from "classic-level";
import { type Commit, type CommitResult, StorageUnavailable } from "../../engine/kernel/kv.ts";
import { CommitBatch } from "./commit-batch.ts";
import { ABSENT, hasExpired, readExpiryKey, readStanding, type Standing, writeHeader } from "./embedded-layout.ts";
import { KeyFilter } from "./key-filter.ts";
import { COMMIT_LENGTH_MAX } from "./limits.ts";
import { NativeBatches } from "./native-batch.ts";
import { VersionCache } from "./version-cache.ts";

/**
 * Maximum number of operations and callers that are not on disk yet; beyond it a commit is refused. About half a second of the highest
 * load.
 */
const PENDING_MAX = 20_000;

/** Characters of keys and values not yet on disk. */
const PENDING_LENGTH_MAX = 4 * COMMIT_LENGTH_MAX;

/**
 * Least time between the beginnings of two batches. A sync costs as much for one commit as for many: without this, at a thousand payments a second, nearly each
 * of their steps had one by itself, which was a third of what they cost and half of what was written (infra/docs/decisions/0025-figures-behind-the-code.md).
 */
const BATCH_EVERY_MS = 1;

const CACHED_KEYS_MAX = 200_000;

/** Of filtered keys, the latest: many more would be moved to the old generation, and be garbage there. */
const FILTERED_KEYS_MAX = 1_024;

/** The state of a deleted key, with the version that deleted it: like a key that expired long ago. */
function deletedAt(version: number): Standing {
  return { version, expiresAtMs: 1 };
}

function standingIn(text: string | undefined): Standing {
  return text === undefined ? ABSENT : readStanding(text);
}

function keep(cache: VersionCache, key: string, { version, expiresAtMs }: Standing): void {
  if (expiresAtMs === 0) cache.keep(key, version);
}

/**
 * Versions per millisecond of wall time. It is more than can be committed, so that versions still grow, by the clock alone, after a
 * directory was lost.
 */
export const VERSIONS_PER_MS = 1_024;

export interface CommitterOptions {
  nowMs: () => number;
  /** True for keys that are mostly checked once, to be absent: the filter answers for them without a read. */
  isFiltered: (key: string) => boolean;
  /** The highest version ever given. */
  lastVersion: number;
  /** Maximum number of keys whose version is known without a read. The default takes about 20 MB. */
  cachedKeysMax?: number;
  /** A batch could not be written; everything pending has been refused, and the database has to be opened again. */
  onWriteFailed: (error: unknown) => void;
  onReadFailed: (error: unknown) => void;
  /** A batch is on disk, after so long. */
  onWritten?: (durationMs: number) => void;
}

/**
 * Decides commits when they arrive (so none misses its deadline here), against the data on disk and in pending batches. Writes them in
 * batches: all commits that arrive while one batch is being synced go into the next.
 */
export class Committer {
  readonly #options: CommitterOptions;
  /**
   * Versions that keys will have once the pending batches are on disk. Pending keys themselves are known to their batch, however much is
   * read meanwhile.
   */
  readonly #cache: VersionCache;
  /** The same of filtered keys that were just put, or read: most are checked once more soon after, to be replaced by what expires. */
  readonly #filtered = new VersionCache(FILTERED_KEYS_MAX);
  /** Whoever opened the database has to add every filtered key that is on disk. */
  readonly filter = new KeyFilter();
  #natives: NativeBatches | null = null;
  #collecting: CommitBatch | null = null;
  #writing: CommitBatch | null = null;
  #flushScheduled = false;
  #lastVersion: number;
  #syncedVersion: number;
  #batches = 0;
  #lastSyncMs = 0;
  /** When the last batch was handed to the disk. */
  #flushedAtMs = Number.NEGATIVE_INFINITY;
  #drained: (() => void) | null = null;

  constructor(options: CommitterOptions) {
    this.#options = options;
    this.#cache = new VersionCache(options.cachedKeysMax ?? CACHED_KEYS_MAX);
    this.#lastVersion = options.lastVersion;
    this.#syncedVersion = options.lastVersion;
  }

  get lastVersion(): number {
    return this.#lastVersion;
  }

  /** The highest version that is on disk. */
  get syncedVersion(): number {
    return this.#syncedVersion;
  }

  /** Later versions are greater than this one. */
  skipTo(version: number): void {
    this.#lastVersion = Math.max(this.#lastVersion, version);
  }

  stats(): { pendingOperations: number; batches: number; lastSyncMs: number } {
    return {
      pendingOperations: (this.#collecting?.size ?? 0) + (this.#writing?.size ?? 0),
      batches: this.#batches,
      lastSyncMs: this.#lastSyncMs,
    };
  }

  /** Resolves when no batch is pending. */
  async drain(): Promise<void> {
    if (this.#writing === null && this.#collecting === null) return;
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
  }

  /** Everything up to handing the operations to the batch happens in this call, so no other commit can come between. */
  commit(commit: Commit, level: ClassicLevel): Promise<CommitResult> {
    this.#assertRoom(commit.operations.length);
    const nowMs = this.#options.nowMs();
    for (const check of commit.checks) {
      if (this.#versionOf(check.key, level, nowMs) !== check.version) return this.#conflict(check.key);
    }
    const batch = this.#batchFor(level);
    const version = this.#nextVersion(nowMs);
    const header = writeHeader(version, 0);
    const lasting: Standing = { version, expiresAtMs: 0 };
    for (const operation of commit.operations) {
      const { key } = operation;
      let standing = lasting;
      if (operation.type === "delete") {
        standing = deletedAt(version);
        batch.delete(key, standing);
      } else if (operation.expiresAtMs === undefined) {
        batch.put(key, header, operation.value, standing);
      } else {
        standing = { version, expiresAtMs: operation.expiresAtMs };
        batch.put(key, writeHeader(version, operation.expiresAtMs), operation.value, standing);
      }
      if (this.#options.isFiltered(key)) {
        if (operation.type === "put") this.filter.add(key);
        if (standing === lasting) this.#filtered.keep(key, version);
        else this.#filtered.forget(key);
      } else if (standing === lasting) {
        this.#cache.update(key, version);
      } else {
        this.#cache.forget(key);
      }
    }
    return batch.wait({ type: "committed", version });
  }

  /**
   * A conflict with a pending write is reported when that write is on disk. Otherwise the caller would read the older state and retry at
   * once; and if the write fails, there was no conflict.
   */
  #conflict(key: string): Promise<CommitResult> {
    const result: CommitResult = { type: "conflict", key };
    for (const batch of [this.#collecting, this.#writing]) {
      if (batch?.standingOf(key) !== undefined) return batch.wait(result);
    }
    return Promise.resolve(result);
  }

  /** The version that a check of the key has to name; 0 for a key that is absent or has expired. */
  #versionOf(key: string, level: ClassicLevel, nowMs: number): number {
    const cache = this.#cacheOf(key);
    const cached = cache.versionOf(key);
    if (cached !== undefined) return cached;
    if (cache === this.#filtered && this.filter.isComplete && !this.filter.mayHave(key)) return 0;
    let standing = this.#pendingStandingOf(key);
    if (standing === undefined) {
      standing = this.#readStanding(key, level);
      // Most of the filtered are checked this once.
      if (cache === this.#cache) keep(cache, key, standing);
    }
    return hasExpired(standing.expiresAtMs, nowMs) ? 0 : standing.version;
  }

  #cacheOf(key: string): VersionCache {
    return this.#options.isFiltered(key) ? this.#filtered : this.#cache;
  }

  #pendingStandingOf(key: string): Standing | undefined {
    return this.#collecting?.standingOf(key) ?? this.#writing?.standingOf(key);
  }

  /** Remembers the text that was just read from disk for a key (undefined: nothing), so that a check does not read it again. */
  remember(key: string, text: string | undefined): void {
    const cache = this.#cacheOf(key);
    if (cache.versionOf(key) !== undefined || this.#pendingStandingOf(key) !== undefined) return;
    // That a filtered key is absent is what the filter says.
    if (cache === this.#cache || text !== undefined) keep(cache, key, standingIn(text));
  }

  #readStanding(key: string, level: ClassicLevel): Standing {
    try {
      return standingIn(level.getSync(key));
    } catch (error) {
      this.#options.onReadFailed(error);
      throw new StorageUnavailable("the store could not read", { cause: error });
    }
  }

  /** An index entry is out of date if its key was put again or deleted; then only the entry is removed. */
  async removeExpired(indexKeys: readonly string[], level: ClassicLevel): Promise<number> {
    this.#assertRoom(2 * indexKeys.length);
    const batch = this.#batchFor(level);
    const gone = deletedAt(this.#lastVersion);
    let removed = 0;
    for (const indexKey of indexKeys) {
      const { key, expiresAtMs } = readExpiryKey(indexKey);
      const standing = this.#pendingStandingOf(key) ?? this.#readStanding(key, level);
      if (standing.expiresAtMs === expiresAtMs) {
        batch.delete(key, gone);
        this.#cache.forget(key);
        removed += 1;
      }
      batch.deleteIndexEntry(indexKey);
    }
    await batch.wait({ type: "committed", version: this.#lastVersion });
    return removed;
  }

  #nextVersion(nowMs: number): number {
    this.#lastVersion = Math.max(this.#lastVersion + 1, Math.floor(nowMs) * VERSIONS_PER_MS);
    return this.#lastVersion;
  }

  #assertRoom(operations: number): void {
    const size = (this.#collecting?.size ?? 0) + (this.#writing?.size ?? 0);
    const length = (this.#collecting?.length ?? 0) + (this.#writing?.length ?? 0);
    if (size + operations > PENDING_MAX || length > PENDING_LENGTH_MAX) throw new StorageUnavailable("too many commits wait for the disk");
  }

  #batchFor(level: ClassicLevel): CommitBatch {
    if (this.#collecting === null) {
      if (this.#natives?.level !== level) this.#natives = new NativeBatches(level);
      this.#collecting = new CommitBatch(this.#natives);
      this.#scheduleFlush();
    }
    return this.#collecting;
  }

  /**
   * Writes at the end of the turn, so that all commits of the turn are in the batch; after a batch that was begun just before, as much later as makes
   * BATCH_EVERY_MS between the two.
   */
  #scheduleFlush(): void {
    if (this.#flushScheduled || this.#writing !== null) return;
    this.#flushScheduled = true;
    const flush = () => {
      this.#flushScheduled = false;
      this.#flush();
    };
    const leftMs = this.#flushedAtMs + BATCH_EVERY_MS - performance.now();
    if (leftMs > 0) setTimeout(flush, leftMs);
    else setImmediate(flush);
  }

  #flush(): void {
    const batch = this.#collecting;
    if (batch === null || this.#writing !== null) return;
    this.#collecting = null;
    this.#writing = batch;
    const startedMs = performance.now();
    this.#flushedAtMs = startedMs;
    const version = this.#lastVersion;
    batch.write(version).then(
      () => {
        this.#syncedVersion = version;
        this.#lastSyncMs = performance.now() - startedMs;
        this.#options.onWritten?.(this.#lastSyncMs);
        this.#written(batch);
      },
      (error: unknown) => this.#failed(batch, error),
    );
  }

  #written(batch: CommitBatch): void {
    this.#writing = null;
    this.#batches++;
    // First, so that the disk works while the waiting callers get their results, which takes as long.
    if (performance.now() - this.#flushedAtMs >= BATCH_EVERY_MS) this.#flush();
    else if (this.#collecting !== null) this.#scheduleFlush();
    batch.acknowledge();
    if (this.#writing === null && this.#collecting === null) this.#drained?.();
  }

  #failed(batch: CommitBatch, error: unknown): void {
    const validatedOnTop = this.#collecting;
    this.#writing = null;
    this.#collecting = null;
    this.#cache.clear();
    this.#filtered.clear();
    const unavailable = new StorageUnavailable("the store could not write", { cause: error });
    batch.fail(unavailable);
    validatedOnTop?.fail(unavailable);
    this.#options.onWriteFailed(error);
    this.#drained?.();
  }
}

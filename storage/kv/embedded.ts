import { setTimeout as delay } from "node:timers/promises";
import type { ClassicLevel } from "classic-level";
import { CommitBatch } from "./commit-batch.ts";
import { openDirectory } from "./embedded-directory.ts";
import {
  ABSENT,
  expiredRange,
  FIRST_KEY,
  hasExpired,
  LAST_VERSION_KEY,
  readEntry,
  readExpiryKey,
  readStanding,
  type Standing,
  writeHeader,
} from "./embedded-layout.ts";
import { type Commit, type CommitResult, type Entry, type Kv, type ScanRange, StorageUnavailable } from "./kv.ts";
import { assertCommit, assertKey, assertKeys, assertRange, COMMIT_LENGTH_MAX } from "./limits.ts";
import { VersionCache } from "./version-cache.ts";

/** Operations and callers not yet on disk; beyond it a commit is refused. About half a second of the fastest load. */
const PENDING_MAX = 20_000;

/** Characters of keys and values not yet on disk. */
const PENDING_LENGTH_MAX = 4 * COMMIT_LENGTH_MAX;

/** Keys whose version is known without reading: some 30 MB. */
const VERSION_CACHE_ENTRIES_MAX = 200_000;

/** Entries that one slice of a sweep removes (below 1 ms of the event loop), and slices of one sweep. */
const SWEEP_SLICE_ENTRIES = 100;
const SWEEP_SLICES_MAX = 100;

/** Bytes that a scan holds natively at once. */
const SCAN_BUFFER_BYTES = 1_048_576;

/** Pauses between attempts to open again after a failed write. */
const REOPEN_PAUSE_MIN_MS = 100;
const REOPEN_PAUSE_MAX_MS = 5_000;

/** Versions a millisecond of wall time: more than can be committed, so that the clock alone keeps them growing over a lost directory. */
const VERSIONS_PER_MS = 1_024;

export interface EmbeddedKvOptions {
  /** Made when it does not exist; used by one process and one thread at a time. */
  directory: string;
  /** Wall time, for expiry. */
  nowMs: () => number;
  /** Told of every failed write, failed attempt to open again, and unreadable record. Must not throw. */
  onFailure?: (error: unknown) => void;
}

export interface EmbeddedKv extends Kv {
  /** Removes expired entries, at most some ten thousand, in slices; answers how many. For its owner to call now and then. */
  sweep(): Promise<number>;
  stats(): EmbeddedKvStats;
}

export interface EmbeddedKvStats {
  state: "open" | "reopening" | "closed";
  /** Operations and callers whose batch is not yet on disk. */
  pendingOperations: number;
  /** Batches written since it was opened. */
  batches: number;
  /** How long the last batch took to be on disk. */
  lastSyncMs: number;
}

/**
 * The store of a node that runs by itself: LevelDB in `directory`. All commits that arrive while a batch is being synced go into the
 * next one. A commit is seen by readers only once it is on disk.
 * @throws DirectoryRefused when the directory is locked, damaged, of another layout, or cannot be accessed
 */
export async function openEmbeddedKv(options: EmbeddedKvOptions): Promise<EmbeddedKv> {
  const level = await openDirectory(options.directory);
  return new LevelKv(options, level);
}

class LevelKv implements EmbeddedKv {
  readonly #directory: string;
  readonly #nowMs: () => number;
  readonly #report: (error: unknown) => void;
  readonly #cache = new VersionCache(VERSION_CACHE_ENTRIES_MAX);
  readonly #stop = new AbortController();
  /** Null while it is opened again after a failure, and once closed. */
  #level: ClassicLevel | null;
  #collecting: CommitBatch | null = null;
  #writing: CommitBatch | null = null;
  #flushScheduled = false;
  #lastVersion: number;
  #batches = 0;
  #lastSyncMs = 0;
  #reopening: Promise<void> = Promise.resolve();
  #closing: Promise<void> | null = null;
  #drained: (() => void) | null = null;

  constructor(options: EmbeddedKvOptions, level: ClassicLevel) {
    this.#directory = options.directory;
    this.#nowMs = options.nowMs;
    this.#report = options.onFailure ?? (() => {});
    this.#level = level;
    this.#lastVersion = Number(level.getSync(LAST_VERSION_KEY) ?? 0);
  }

  async get(key: string): Promise<Entry | null> {
    assertKey(key);
    const level = this.#opened();
    try {
      const text = await level.get(key);
      return text === undefined ? null : readEntry(key, text, this.#nowMs());
    } catch (error) {
      throw this.#unreadable(error);
    }
  }

  async getMany(keys: readonly string[]): Promise<(Entry | null)[]> {
    assertKeys(keys);
    const level = this.#opened();
    try {
      const texts = await level.getMany([...keys]);
      const nowMs = this.#nowMs();
      return keys.map((key, index) => {
        const text = texts[index];
        return text === undefined ? null : readEntry(key, text, nowMs);
      });
    } catch (error) {
      throw this.#unreadable(error);
    }
  }

  async scan(range: ScanRange): Promise<Entry[]> {
    assertRange(range);
    const level = this.#opened();
    // The store's own keys sort before FIRST_KEY.
    let gte = range.from;
    if (gte < FIRST_KEY) gte = FIRST_KEY;
    if (range.to <= gte) return [];
    const entries: Entry[] = [];
    try {
      const nowMs = this.#nowMs();
      const iterator = level.iterator({ gte, lt: range.to, reverse: range.reverse ?? false, highWaterMarkBytes: SCAN_BUFFER_BYTES });
      try {
        while (entries.length < range.limit) {
          const page = await iterator.nextv(range.limit - entries.length);
          if (page.length === 0) break;
          for (const [key, text] of page) {
            const entry = readEntry(key, text, nowMs);
            if (entry !== null) entries.push(entry);
          }
        }
      } finally {
        await iterator.close();
      }
    } catch (error) {
      throw this.#unreadable(error);
    }
    return entries;
  }

  commit(commit: Commit): Promise<CommitResult> {
    try {
      assertCommit(commit);
      return this.#accept(commit, this.#opened());
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async sweep(): Promise<number> {
    let removed = 0;
    for (let slice = 0; slice < SWEEP_SLICES_MAX; slice++) {
      const level = this.#opened();
      let indexKeys: string[];
      try {
        indexKeys = await level.keys({ ...expiredRange(this.#nowMs()), limit: SWEEP_SLICE_ENTRIES }).all();
      } catch (error) {
        throw this.#unreadable(error);
      }
      if (indexKeys.length === 0) break;
      removed += await this.#removeExpired(indexKeys);
      if (indexKeys.length < SWEEP_SLICE_ENTRIES) break;
    }
    return removed;
  }

  stats(): EmbeddedKvStats {
    return {
      state: this.#closing !== null ? "closed" : this.#level === null ? "reopening" : "open",
      pendingOperations: (this.#collecting?.size ?? 0) + (this.#writing?.size ?? 0),
      batches: this.#batches,
      lastSyncMs: this.#lastSyncMs,
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Everything up to handing the operations to the batch happens in this call, so no other commit can come between. */
  #accept(commit: Commit, level: ClassicLevel): Promise<CommitResult> {
    this.#assertRoom(commit.operations.length);
    const nowMs = this.#nowMs();
    for (const check of commit.checks) {
      const standing = this.#standingOf(check.key, level);
      const version = hasExpired(standing.expiresAtMs, nowMs) ? 0 : standing.version;
      if (version !== check.version) return this.#conflict(check.key);
    }
    const batch = this.#batchFor(level);
    const version = this.#nextVersion(nowMs);
    const header = writeHeader(version, 0);
    const standing: Standing = { version, expiresAtMs: 0 };
    for (const operation of commit.operations) {
      if (operation.type === "delete") batch.delete(operation.key);
      else if (operation.expiresAtMs === undefined) batch.put(operation.key, header, operation.value, standing);
      else {
        const { key, value, expiresAtMs } = operation;
        batch.put(key, writeHeader(version, expiresAtMs), value, { version, expiresAtMs });
      }
    }
    return batch.wait({ type: "committed", version });
  }

  /**
   * A conflict with something that is not yet on disk is told when it is: the caller would otherwise read, find the older state and try
   * again at once; and if the write fails, there was no conflict.
   */
  #conflict(key: string): Promise<CommitResult> {
    const result: CommitResult = { type: "conflict", key };
    if (this.#collecting?.overlay.has(key)) return this.#collecting.wait(result);
    if (this.#writing?.overlay.has(key)) return this.#writing.wait(result);
    return Promise.resolve(result);
  }

  #standingOf(key: string, level: ClassicLevel): Standing {
    const known = this.#known(key);
    if (known !== undefined) return known;
    const read = this.#readStanding(key, level);
    // That a key is absent is found out in half a microsecond, and most such keys are new uuids: not worth a place.
    if (read !== ABSENT) this.#cache.set(key, read);
    return read;
  }

  #known(key: string): Standing | undefined {
    return this.#collecting?.overlay.get(key) ?? this.#writing?.overlay.get(key) ?? this.#cache.get(key);
  }

  #readStanding(key: string, level: ClassicLevel): Standing {
    try {
      const text = level.getSync(key);
      return text === undefined ? ABSENT : readStanding(text);
    } catch (error) {
      throw this.#unreadable(error);
    }
  }

  /** An index entry is out of date when its key was put again or deleted; the entry goes, the key stays. */
  async #removeExpired(indexKeys: readonly string[]): Promise<number> {
    const level = this.#opened();
    this.#assertRoom(2 * indexKeys.length);
    const batch = this.#batchFor(level);
    let removed = 0;
    for (const indexKey of indexKeys) {
      const { key, expiresAtMs } = readExpiryKey(indexKey);
      const standing = this.#known(key) ?? this.#readStanding(key, level);
      if (standing.expiresAtMs === expiresAtMs) {
        batch.delete(key);
        removed++;
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

  #opened(): ClassicLevel {
    if (this.#closing !== null) throw new StorageUnavailable("the store is closed");
    if (this.#level === null) throw new StorageUnavailable("the store is being opened again after a failure");
    return this.#level;
  }

  #batchFor(level: ClassicLevel): CommitBatch {
    if (this.#collecting === null) {
      this.#collecting = new CommitBatch(level);
      this.#scheduleFlush();
    }
    return this.#collecting;
  }

  /** Written at the end of the turn, so that what else arrives in it goes along. */
  #scheduleFlush(): void {
    if (this.#flushScheduled || this.#writing !== null) return;
    this.#flushScheduled = true;
    setImmediate(() => {
      this.#flushScheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    const batch = this.#collecting;
    if (batch === null || this.#writing !== null) return;
    this.#collecting = null;
    this.#writing = batch;
    const startedMs = performance.now();
    batch.write(this.#lastVersion).then(
      () => {
        this.#lastSyncMs = performance.now() - startedMs;
        this.#written(batch);
      },
      (error: unknown) => this.#failed(batch, error),
    );
  }

  #written(batch: CommitBatch): void {
    this.#writing = null;
    this.#batches++;
    for (const [key, standing] of batch.overlay) {
      if (standing === ABSENT) this.#cache.delete(key);
      else this.#cache.set(key, standing);
    }
    batch.acknowledge();
    if (this.#collecting !== null) this.#scheduleFlush();
    else this.#drained?.();
  }

  /** LevelDB takes no write after a failed one, and its log may end in half a record: only opening it again makes it whole. */
  #failed(batch: CommitBatch, error: unknown): void {
    const broken = this.#level;
    const validatedOnTop = this.#collecting;
    this.#level = null;
    this.#writing = null;
    this.#collecting = null;
    this.#cache.clear();
    const unavailable = new StorageUnavailable("the store could not write", { cause: error });
    batch.fail(unavailable);
    validatedOnTop?.fail(unavailable);
    this.#report(error);
    this.#drained?.();
    if (broken !== null) this.#reopening = this.#reopen(broken);
  }

  async #reopen(broken: ClassicLevel): Promise<void> {
    let pauseMs = REOPEN_PAUSE_MIN_MS;
    while (!this.#stop.signal.aborted) {
      try {
        await broken.close();
        this.#level = await this.#openWritable();
        return;
      } catch (error) {
        this.#report(error);
      }
      await delay(pauseMs, undefined, { signal: this.#stop.signal }).catch(() => {});
      pauseMs = Math.min(2 * pauseMs, REOPEN_PAUSE_MAX_MS);
    }
    await broken.close().catch(this.#report);
  }

  /** A full disk may let LevelDB open; only a write that succeeds tells that it is over. */
  async #openWritable(): Promise<ClassicLevel> {
    const level = await openDirectory(this.#directory);
    try {
      await level.put(LAST_VERSION_KEY, String(this.#lastVersion), { sync: true });
    } catch (error) {
      await level.close();
      throw error;
    }
    return level;
  }

  async #close(): Promise<void> {
    this.#stop.abort();
    if (this.#writing !== null || this.#collecting !== null) {
      await new Promise<void>((resolve) => {
        this.#drained = resolve;
      });
    }
    await this.#reopening;
    const level = this.#level;
    this.#level = null;
    await level?.close();
  }

  #unreadable(error: unknown): StorageUnavailable {
    this.#report(error);
    return new StorageUnavailable("the store could not read", { cause: error });
  }
}

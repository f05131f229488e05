import { setTimeout as delay } from "node:timers/promises";
import type { ClassicLevel } from "classic-level";
import {
  type Commit,
  type CommitResult,
  type CountRange,
  type Entry,
  type Kv,
  prefixRange,
  type ScanRange,
  StorageUnavailable,
} from "../../engine/kernel/kv.ts";
import { Committer, VERSIONS_PER_MS } from "./committer.ts";
import { DeletedLogs } from "./deleted-logs.ts";
import { openDirectory } from "./embedded-directory.ts";
import { expiredRange, FIRST_KEY, LAST_VERSION_KEY, LOST_VERSION_KEY, readEntry } from "./embedded-layout.ts";
import type { KvHistory } from "./history.ts";
import { assertCommit, assertCountRange, assertKey, assertKeys, assertRange } from "./limits.ts";

/** Entries that one slice of a sweep removes (less than 1 ms of the event loop), and slices per sweep. */
const SWEEP_SLICE_ENTRIES = 100;
const SWEEP_SLICES_MAX = 100;

/** Bytes that a scan holds natively at once. */
const SCAN_BUFFER_BYTES = 1_048_576;

/** Keys that are looked at in one turn: about a millisecond. */
const KEYS_PAGE = 2_000;

/** Pauses between attempts to open again after a failed write. */
const REOPEN_PAUSE_MIN_MS = 100;
const REOPEN_PAUSE_MAX_MS = 5_000;

export interface EmbeddedKvOptions {
  /** Made when it does not exist; used by one process and one thread at a time. */
  directory: string;
  /** Wall time, for expiry. */
  nowMs: () => number;
  /** Keys with this prefix are mostly checked once, to be absent (uuids): a filter in memory answers for keys that never existed. */
  mostlyAbsentPrefix?: string;
  /** Called for every failed write, failed attempt to reopen, and unreadable record. Must not throw. */
  onFailure?: (error: unknown) => void;
  /** Called for each batch of commits that is on disk, with the time that its write and sync took. Must not throw. */
  onCommitted?: (durationMs: number) => void;
}

export interface EmbeddedKv extends Kv, KvHistory {
  /** Removes expired entries, at most some ten thousand, in slices. Returns how many. The owner calls it periodically. */
  sweep(): Promise<number>;
  stats(): EmbeddedKvStats;
}

export interface EmbeddedKvStats {
  state: "open" | "reopening" | "closed";
  /** Whether the filter of mostly absent keys is complete and in use. */
  filtering: boolean;
  /** Operations and callers whose batch is not yet on disk. */
  pendingOperations: number;
  /** Batches written since it was opened. */
  batches: number;
  /** How long the last batch took to be on disk. */
  lastSyncMs: number;
}

/**
 * The store of a single node: LevelDB in `directory`. All commits that arrive while a batch is being synced go into the next one. A commit
 * is seen by readers only once it is on disk. @throws DirectoryRefused when the directory is locked, damaged, of another layout, or cannot
 * be accessed
 */
export async function openEmbeddedKv(options: EmbeddedKvOptions): Promise<EmbeddedKv> {
  return new LevelKv(options, await openDirectory(options.directory));
}

class LevelKv implements EmbeddedKv {
  readonly versionsPerMs = VERSIONS_PER_MS;
  readonly #directory: string;
  readonly #nowMs: () => number;
  readonly #filteredPrefix: string | null;
  readonly #report: (error: unknown) => void;
  readonly #committer: Committer;
  readonly #stop = new AbortController();
  /** Null while it is opened again after a failure, and once closed. */
  #level: ClassicLevel | null;
  #reopening: Promise<void> = Promise.resolve();
  #closing: Promise<void> | null = null;
  #deletedLogs: DeletedLogs;
  #lostVersion: number;

  constructor(options: EmbeddedKvOptions, { level, lastVersion, lostVersion }: Awaited<ReturnType<typeof openDirectory>>) {
    this.#directory = options.directory;
    this.#nowMs = options.nowMs;
    this.#filteredPrefix = options.mostlyAbsentPrefix ?? null;
    this.#report = options.onFailure ?? (() => {});
    this.#level = level;
    this.#lostVersion = lostVersion;
    this.#committer = new Committer({
      nowMs: options.nowMs,
      isFiltered: (key) => this.#filteredPrefix !== null && key.startsWith(this.#filteredPrefix),
      lastVersion,
      onWriteFailed: (error) => this.#writeFailed(error),
      onReadFailed: this.#report,
      ...(options.onCommitted === undefined ? {} : { onWritten: options.onCommitted }),
    });
    this.#deletedLogs = this.#holdDeletedLogs();
    this.#fillFilter(level).catch(this.#report);
  }

  #holdDeletedLogs(): DeletedLogs {
    return new DeletedLogs({ directory: this.#directory, onFailure: this.#report });
  }

  /** Adds every key there is to the filter, in the background; until it is complete such keys are read. */
  async #fillFilter(level: ClassicLevel): Promise<void> {
    const prefix = this.#filteredPrefix;
    if (prefix === null) return;
    const { from, to } = prefixRange(prefix);
    const keys = level.keys({ gte: from, lt: to, highWaterMarkBytes: SCAN_BUFFER_BYTES });
    try {
      for (;;) {
        const page = await keys.nextv(KEYS_PAGE);
        if (page.length === 0) break;
        for (const key of page) this.#committer.filter.add(key);
      }
    } finally {
      await keys.close();
    }
    this.#committer.filter.completed();
  }

  get(key: string): Promise<Entry | null> {
    try {
      assertKey(key);
      return Promise.resolve(this.#read(key, this.#opened()));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #read(key: string, level: ClassicLevel): Entry | null {
    try {
      // Synchronous: this is much faster than a promise, and the version read is the one that a check of this key will see.
      const text = level.getSync(key);
      this.#committer.remember(key, text);
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
    const gte = startOf(range);
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

  async count(range: CountRange): Promise<number> {
    assertCountRange(range);
    const level = this.#opened();
    const gte = startOf(range);
    if (range.to <= gte) return 0;
    let count = 0;
    try {
      const keys = level.keys({ gte, lt: range.to, limit: range.limit, highWaterMarkBytes: SCAN_BUFFER_BYTES });
      try {
        for (;;) {
          const page = await keys.nextv(KEYS_PAGE);
          if (page.length === 0) break;
          count += page.length;
        }
      } finally {
        await keys.close();
      }
    } catch (error) {
      throw this.#unreadable(error);
    }
    return count;
  }

  commit(commit: Commit): Promise<CommitResult> {
    try {
      assertCommit(commit);
      return this.#committer.commit(commit, this.#opened());
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
      removed += await this.#committer.removeExpired(indexKeys, this.#opened());
      if (indexKeys.length < SWEEP_SLICE_ENTRIES) break;
    }
    return removed;
  }

  async lastVersion(): Promise<number> {
    return this.#committer.syncedVersion;
  }

  lostVersion(): number {
    return this.#lostVersion;
  }

  async lose(lostVersion: number, aboveVersion: number): Promise<void> {
    const lost = Math.max(this.#lostVersion, lostVersion);
    this.#committer.skipTo(aboveVersion);
    try {
      const level = this.#opened();
      const versions = level.batch().put(LOST_VERSION_KEY, String(lost)).put(LAST_VERSION_KEY, String(this.#committer.lastVersion));
      await versions.write({ sync: true });
    } catch (error) {
      throw error instanceof StorageUnavailable ? error : new StorageUnavailable("the store could not write", { cause: error });
    }
    this.#lostVersion = lost;
  }

  stats(): EmbeddedKvStats {
    return {
      state: this.#closing !== null ? "closed" : this.#level === null ? "reopening" : "open",
      filtering: this.#committer.filter.isComplete,
      ...this.#committer.stats(),
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #opened(): ClassicLevel {
    if (this.#closing !== null) throw new StorageUnavailable("the store is closed");
    if (this.#level === null) throw new StorageUnavailable("the store is being opened again after a failure");
    return this.#level;
  }

  /** LevelDB accepts no write after a failed one, and its log may end in half a record: only reopening repairs it. */
  #writeFailed(error: unknown): void {
    const broken = this.#level;
    this.#level = null;
    this.#report(error);
    if (broken !== null) this.#reopening = this.#reopen(broken);
  }

  async #reopen(broken: ClassicLevel): Promise<void> {
    let pauseMs = REOPEN_PAUSE_MIN_MS;
    // If the disk is full, the space of deleted logs is needed at once.
    await this.#deletedLogs.stop();
    while (!this.#stop.signal.aborted) {
      try {
        await broken.close();
        this.#level = await this.#openWritable();
        this.#deletedLogs = this.#holdDeletedLogs();
        return;
      } catch (error) {
        this.#report(error);
      }
      await delay(pauseMs, undefined, { signal: this.#stop.signal }).catch(() => {});
      pauseMs = Math.min(2 * pauseMs, REOPEN_PAUSE_MAX_MS);
    }
    await broken.close().catch(this.#report);
  }

  /** LevelDB may open on a full disk; only a successful write shows that there is space again. */
  async #openWritable(): Promise<ClassicLevel> {
    const { level } = await openDirectory(this.#directory);
    try {
      await level.put(LAST_VERSION_KEY, String(this.#committer.lastVersion), { sync: true });
    } catch (error) {
      await level.close();
      throw error;
    }
    return level;
  }

  async #close(): Promise<void> {
    this.#stop.abort();
    await this.#committer.drain();
    await this.#reopening;
    const level = this.#level;
    this.#level = null;
    await level?.close();
    await this.#deletedLogs.stop();
  }

  #unreadable(error: unknown): StorageUnavailable {
    this.#report(error);
    return new StorageUnavailable("the store could not read", { cause: error });
  }
}

/** The store's own keys sort before FIRST_KEY. */
function startOf({ from }: CountRange): string {
  return from < FIRST_KEY ? FIRST_KEY : from;
}

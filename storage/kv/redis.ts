import {
  type Commit,
  type CommitResult,
  type CountRange,
  type Entry,
  type Kv,
  type ScanRange,
  StorageUnavailable,
} from "../../engine/kernel/kv.ts";
import type { KvHistory } from "./history.ts";
import { assertCommit, assertCountRange, assertKey, assertKeys, assertRange } from "./limits.ts";
import { RedisCommits } from "./redis-commits.ts";
import { type HistoryLost, plain, RedisConnection } from "./redis-connection.ts";
import { RedisReads } from "./redis-reads.ts";
import { RedisSweep } from "./redis-sweep.ts";

/** Long enough for a Redis that restarts; shorter than the time that callers on other threads wait (remote.ts). */
const DEADLINE_MS = 3_000;
const OPEN_TIMEOUT_MS = 10_000;
const EXPIRE_EVERY_MS = 50;

/** Versions are microseconds (lua/commit.lua). */
const VERSIONS_PER_MS = 1_000;

export interface RedisKvOptions {
  /** `redis://` or `rediss://`, with user and password where it has them; or of Sentinels (storage/redis/sentinel-url.ts). */
  url: string;
  /** Before all keys. The braces keep them together on a Redis Cluster. Default `{relay}:`. */
  keyPrefix?: string;
  /** Replicas that have a commit on disk before it is acknowledged (WAITAOF, Redis 7.2 or newer). Default 0. */
  waitReplicas?: number;
  /**
   * True (production): a Redis that could lose acknowledged commits is not used. False (sandbox): this is reported, and the Redis is used.
   */
  refuseProblems: boolean;
  /** Every call resolves or rejects within this time, ms. */
  deadlineMs?: number;
  openTimeoutMs?: number;
  /** Wall time that expiry goes by, for tests. Default: Redis's own clock. */
  nowMs?: () => number;
  /** Called for every lost connection and failed attempt; the error never contains a key or a value. Must not throw. */
  onFailure?: (error: unknown) => void;
  /** Called once, with the reason as far as it is known, while it takes longer than 2 s to open. Must not throw. */
  onWaiting?: (reason: string | null) => void;
  /** Called for each batch of commits that Redis has acknowledged, with the time that it took, replicas included. Must not throw. */
  onCommitted?: (durationMs: number) => void;
  /** Called at each connection with the problems of Redis's settings, and with an empty list when they are corrected. Must not throw. */
  onProblems?: (problems: readonly string[]) => void;
  /**
   * Called, before the store is used again, when acknowledged commits may be lost. Waiting commits have been rejected by then, and
   * `lostVersion` says which entries are concerned. Several stores may report the same loss. Must not throw.
   */
  onHistoryLost?: (lost: HistoryLost) => void;
}

export interface RedisKv extends Kv, KvHistory {
  /**
   * The last version that the store had when its last loss happened; 0 if nothing was ever lost. It may be lower than `lostVersion`, since
   * other stores may have made commits before the loss was found. Rejects with StorageUnavailable.
   */
  lostFrom(): Promise<number>;
  /** Whether calls can succeed now; for readiness. */
  available(): boolean;
  stats(): RedisKvStats;
  /** Removes expired entries of the next part of the store (lua/sweep.lua). Returns how many. The owner calls it periodically. */
  sweep(): Promise<number>;
}

export interface RedisKvStats {
  state: "connecting" | "ready" | "refused" | "closed";
  /** Problems of Redis's settings; empty if they are as the relay requires. */
  problems: readonly string[];
  pendingCommits: number;
  pendingReads: number;
  /** Round trips with commits since it was opened. */
  batches: number;
  /** How long the last one took. */
  lastBatchMs: number;
}

/**
 * The store of a cluster: one Redis, written by lua/commit.lua alone.
 * @throws RedisRefused when Redis is not durable as configured and `refuseProblems` is set; StorageUnavailable when it cannot be reached
 */
export async function openRedisKv(options: RedisKvOptions): Promise<RedisKv> {
  const kv = new RedisStore(options);
  try {
    await kv.open(options.openTimeoutMs ?? OPEN_TIMEOUT_MS);
  } catch (error) {
    await kv.close();
    throw error;
  }
  return kv;
}

class RedisStore implements RedisKv {
  readonly versionsPerMs = VERSIONS_PER_MS;
  readonly #connection: RedisConnection;
  readonly #commits: RedisCommits;
  readonly #reads: RedisReads;
  readonly #sweep: RedisSweep;
  readonly #expiring: NodeJS.Timeout;
  #closing: Promise<void> | null = null;

  constructor(options: RedisKvOptions) {
    const monotonicMs = () => performance.now();
    const deadlineMs = options.deadlineMs ?? DEADLINE_MS;
    const waitReplicas = options.waitReplicas ?? 0;
    this.#connection = new RedisConnection({
      url: options.url,
      keyPrefix: options.keyPrefix ?? "{relay}:",
      waitReplicas,
      refuseProblems: options.refuseProblems,
      deadlineMs,
      monotonicMs,
      onFailure: options.onFailure ?? (() => {}),
      onWaiting: options.onWaiting ?? (() => {}),
      onProblems: options.onProblems ?? (() => {}),
      onHistoryLost: (lost) => {
        // They were decided on entries that may be outdated.
        this.#commits.rejectWaiting("Redis has lost part of its history");
        options.onHistoryLost?.(lost);
      },
      onReady: () => {
        this.#commits.flush();
        this.#reads.flush();
      },
      onRefused: () => {
        const reason = `this Redis is refused: ${this.#connection.problems.join("; ")}`;
        this.#commits.rejectWaiting(reason);
        this.#reads.rejectWaiting(reason);
      },
    });
    const shared = { connection: this.#connection, monotonicMs, deadlineMs, nowMs: options.nowMs ?? null };
    this.#commits = new RedisCommits({ ...shared, waitReplicas, onCommitted: options.onCommitted ?? (() => {}) });
    this.#reads = new RedisReads(shared);
    this.#sweep = new RedisSweep(shared);
    this.#expiring = setInterval(() => {
      this.#commits.expire();
      this.#reads.expire();
    }, EXPIRE_EVERY_MS);
    this.#expiring.unref();
  }

  open(timeoutMs: number): Promise<void> {
    return this.#connection.open(timeoutMs);
  }

  async get(key: string): Promise<Entry | null> {
    assertKey(key);
    this.#assertUsable();
    return (await this.#reads.getMany([key]))[0] ?? null;
  }

  async getMany(keys: readonly string[]): Promise<(Entry | null)[]> {
    assertKeys(keys);
    this.#assertUsable();
    return keys.length === 0 ? [] : this.#reads.getMany(keys);
  }

  async scan(range: ScanRange): Promise<Entry[]> {
    assertRange(range);
    this.#assertUsable();
    return this.#reads.scan(range);
  }

  async count(range: CountRange): Promise<number> {
    assertCountRange(range);
    this.#assertUsable();
    return this.#reads.count(range);
  }

  async commit(commit: Commit): Promise<CommitResult> {
    assertCommit(commit);
    this.#assertUsable();
    return this.#commits.commit(commit);
  }

  async sweep(): Promise<number> {
    if (!this.available()) throw new StorageUnavailable("Redis cannot be reached");
    try {
      return await this.#sweep.run();
    } catch (error) {
      throw new StorageUnavailable("the sweep did not end", { cause: plain(error) });
    }
  }

  available(): boolean {
    return this.#closing === null && this.#connection.state === "ready";
  }

  lostVersion(): number {
    return this.#connection.lostVersion;
  }

  lostFrom(): Promise<number> {
    return this.#history(() => this.#connection.lostFrom());
  }

  lastVersion(): Promise<number> {
    return this.#history(() => this.#connection.lastVersion());
  }

  lose(lostVersion: number, aboveVersion: number): Promise<void> {
    return this.#history(() => this.#connection.lose(lostVersion, aboveVersion));
  }

  async #history<T>(work: () => Promise<T>): Promise<T> {
    if (!this.available()) throw new StorageUnavailable("Redis cannot be reached");
    try {
      return await work();
    } catch (error) {
      throw new StorageUnavailable("Redis did not answer", { cause: plain(error) });
    }
  }

  stats(): RedisKvStats {
    return {
      state: this.#closing === null ? this.#connection.state : "closed",
      problems: this.#connection.problems,
      pendingCommits: this.#commits.pending,
      pendingReads: this.#reads.pending,
      batches: this.#commits.batches,
      lastBatchMs: this.#commits.lastBatchMs,
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all([this.#commits.close(), this.#reads.close()]);
    clearInterval(this.#expiring);
    this.#connection.close();
  }

  #assertUsable(): void {
    if (this.#closing !== null) throw new StorageUnavailable("the store is closed");
    if (this.#connection.state === "refused")
      throw new StorageUnavailable(`this Redis is refused: ${this.#connection.problems.join("; ")}`);
  }
}

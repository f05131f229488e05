import { RelayError } from "./errors.ts";

/**
 * A small atomic, ordered key-value store; everything that the relay keeps is written once on top of it. Two engines pass the
 * same contract suite (test/contract): LevelDB in the process and Redis.
 *
 * Keys are non-empty strings of printable ASCII up to 512 bytes, ordered byte-wise; values are UTF-8 text up to 1 MiB.
 */
export interface Kv {
  /** The entry, or null when it is absent or its expiry has passed. Sees every commit that was acknowledged before the call. */
  get(key: string): Promise<Entry | null>;
  /** Several at once; answers stand in the order of the keys. */
  getMany(keys: readonly string[]): Promise<(Entry | null)[]>;
  /** Entries with `from` <= key < `to` in key order (or backwards), at most `limit` (1 to 10,000) of them, expired ones left out. */
  scan(range: ScanRange): Promise<Entry[]>;
  /**
   * How many entries have `from` <= key < `to`, counted up to `limit` (1 to 1,000,000). No value is read, so one that has expired counts until it is removed.
   * Redis knows it at once, whatever it is; the embedded store steps from key to key.
   */
  count(range: CountRange): Promise<number>;
  /**
   * All of it or nothing: when every check holds, every operation is applied and on stable storage before the answer.
   * Rejects with StorageUnavailable when it cannot be said whether the commit happened; the caller reads again.
   */
  commit(commit: Commit): Promise<CommitResult>;
  close(): Promise<void>;
}

export interface Entry {
  key: string;
  value: string;
  /** Grows with every write of the key; never 0 and never used twice for one key, also across deletion and restart. */
  version: number;
}

export interface ScanRange {
  from: string;
  to: string;
  limit: number;
  reverse?: boolean;
}

export type CountRange = Omit<ScanRange, "reverse">;

export interface Commit {
  /** Each key must stand at just this version; 0 means absent (or expired). */
  checks: readonly { key: string; version: number }[];
  operations: readonly Operation[];
  /**
   * Ms from the call on: where the store comes to it later it does not happen any more, and rejects with CommitTooLate. For a commit that nobody waits for
   * any longer by then. A duration, since clocks are stepped and differ. Absent: whenever the store comes to it.
   */
  withinMs?: number;
}

export type Operation = { type: "put"; key: string; value: string; expiresAtMs?: number } | { type: "delete"; key: string };

/** `version` is the new version of every key that was put; `key` the first check that did not hold. */
export type CommitResult = { type: "committed"; version: number } | { type: "conflict"; key: string };

/** The store cannot answer now; whether a commit under way happened is not known. */
export class StorageUnavailable extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = "StorageUnavailable";
  }
}

/** The store came to a commit later than its `withinMs`, and certainly did nothing of it. */
export class CommitTooLate extends Error {
  constructor() {
    super("the commit missed its deadline; nothing was committed");
    this.name = "CommitTooLate";
  }
}

/** The range of all keys that start with `prefix`. */
export function prefixRange(prefix: string): { from: string; to: string } {
  return { from: prefix, to: `${prefix}\u{7f}` };
}

/** Runs a store operation; what the store cannot answer becomes RelayError `unavailable`. */
export async function available<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    return unavailable(error);
  }
}

export function unavailable(error: unknown): never {
  throw relayError(error);
}

function relayError(error: unknown): unknown {
  if (!(error instanceof StorageUnavailable)) return error;
  return new RelayError("unavailable", "The store cannot confirm this now; ask again with the same uuid", {
    cause: error,
    retryAfterSeconds: 1,
  });
}

const PAGE = 10_000;

/** Every entry under a prefix, in key order; for tables that are held in memory as a whole. */
export async function scanAll(kv: Kv, prefix: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  let { from, to } = prefixRange(prefix);
  for (;;) {
    const page = await kv.scan({ from, to, limit: PAGE });
    entries.push(...page);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return entries;
    from = `${last.key}\u0001`;
  }
}

import { RelayError } from "./errors.ts";

/**
 * A small atomic, ordered key-value store; all of the relay's stores are written on it. Two engines pass the same contract suite
 * (test/contract): LevelDB in the process and Redis.
 *
 * Keys are non-empty strings of printable ASCII up to 512 bytes, ordered byte-wise; values are UTF-8 text up to 1 MiB.
 */
export interface Kv {
  /** The entry, or null when it is absent or its expiry has passed. Sees every commit that was acknowledged before the call. */
  get(key: string): Promise<Entry | null>;
  /** Several entries at once, in the order of the keys. */
  getMany(keys: readonly string[]): Promise<(Entry | null)[]>;
  /** Entries with `from` <= key < `to` in key order (or backwards), at most `limit` (1 to 10,000) of them, expired ones left out. */
  scan(range: ScanRange): Promise<Entry[]>;
  /**
   * How many entries have `from` <= key < `to`, counted up to `limit` (1 to 1,000,000). No value is read, so one that has expired counts
   * until it is removed. Redis returns it at once, however large it is; the embedded store steps from key to key.
   */
  count(range: CountRange): Promise<number>;
  /**
   * All or nothing: if every check holds, every operation is applied, and on stable storage when this resolves. Rejects with
   * StorageUnavailable if it is not known whether the commit happened; the caller has to read again.
   */
  commit(commit: Commit): Promise<CommitResult>;
  close(): Promise<void>;
}

export interface Entry {
  key: string;
  value: string;
  /** Increases with every write of the key; never 0 and never used twice for one key, also across deletion and restart. */
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
  /** Each key must have exactly this version; 0 means absent (or expired). */
  checks: readonly { key: string; version: number }[];
  operations: readonly Operation[];
  /**
   * Milliseconds from the call on: if the store processes the commit later, it is not executed and rejects with CommitTooLate. For a commit
   * for which nobody waits any longer then. A duration, because clocks are adjusted and differ. Absent: no limit.
   */
  withinMs?: number;
}

export type Operation = { type: "put"; key: string; value: string; expiresAtMs?: number } | { type: "delete"; key: string };

/** `version` is the new version of every key that was put; `key` the first check that did not hold. */
export type CommitResult = { type: "committed"; version: number } | { type: "conflict"; key: string };

/** The store cannot answer now; it is not known whether a commit in progress was executed. */
export class StorageUnavailable extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = "StorageUnavailable";
  }
}

/** The store processed a commit later than its `withinMs`, and certainly executed nothing of it. */
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

const AWAY = "The store could not confirm this; retry with the same uuid";

/** Runs a store operation; StorageUnavailable becomes RelayError `unavailable` with this message. */
export async function available<T>(work: () => Promise<T>, message = AWAY): Promise<T> {
  try {
    return await work();
  } catch (error) {
    return unavailable(error, message);
  }
}

export function unavailable(error: unknown, message = AWAY): never {
  throw relayError(error, message);
}

function relayError(error: unknown, message: string): unknown {
  if (!(error instanceof StorageUnavailable)) return error;
  return new RelayError("unavailable", message, {
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

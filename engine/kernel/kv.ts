import { RelayError } from "./errors.ts";

/**
 * A small atomic, ordered key-value store, on which all of the relay's stores are written. Two
 * engines pass the same contract suite (test/contract): LevelDB in the process and Redis.
 *
 * Keys are non-empty strings of printable ASCII up to 512 bytes, ordered byte-wise. Values are
 * UTF-8 text up to 1 MiB.
 */
export interface Kv {
  /**
   * Returns the entry, or null if it is absent or has expired. Sees every commit that was
   * acknowledged before the call.
   */
  get(key: string): Promise<Entry | null>;
  /** Returns several entries at once, in the order of the keys. */
  getMany(keys: readonly string[]): Promise<(Entry | null)[]>;
  /**
   * Returns the entries with `from` <= key < `to` in key order (or backwards), `limit` (1 to
   * 10,000) at most. Expired entries are skipped.
   */
  scan(range: ScanRange): Promise<Entry[]>;
  /**
   * Counts the entries with `from` <= key < `to`, up to `limit` (1 to 1,000,000). It reads no
   * value, so an expired entry counts until it is removed. Redis answers at once for any number.
   * The embedded store steps from key to key.
   */
  count(range: CountRange): Promise<number>;
  /**
   * Applies all operations if every check holds, and none otherwise. They are on stable storage
   * when this resolves. Rejects with StorageUnavailable if the outcome is unknown; the caller then
   * has to read again.
   */
  commit(commit: Commit): Promise<CommitResult>;
  close(): Promise<void>;
}

export interface Entry {
  key: string;
  value: string;
  /**
   * Increases with every write of the key. It is never 0 and never repeats for one key, even across
   * deletion and restart.
   */
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
  /** Each key must have exactly this version; 0 means absent or expired. */
  checks: readonly { key: string; version: number }[];
  operations: readonly Operation[];
  /**
   * Milliseconds from the call on. If the store processes the commit later, it executes nothing and
   * rejects with CommitTooLate. This is for a commit whose caller stops waiting by then. It is a
   * duration, because clocks are adjusted and differ. There is no limit if it is absent.
   */
  withinMs?: number;
}

export type Operation = { type: "put"; key: string; value: string; expiresAtMs?: number } | { type: "delete"; key: string };

/** `version` is the new version of every key that was put; `key` is the first check that failed. */
export type CommitResult = { type: "committed"; version: number } | { type: "conflict"; key: string };

/** The store cannot answer now. The outcome of a commit in progress is unknown. */
export class StorageUnavailable extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = "StorageUnavailable";
  }
}

/** The store processed a commit later than its `withinMs`, and executed none of it. */
export class CommitTooLate extends Error {
  constructor() {
    super("the commit missed its deadline; nothing was committed");
    this.name = "CommitTooLate";
  }
}

/** Returns the range of all keys that start with `prefix`. */
export function prefixRange(prefix: string): { from: string; to: string } {
  return { from: prefix, to: `${prefix}\u{7f}` };
}

const AWAY = "The store could not confirm this; retry with the same uuid";

/**
 * Runs a store operation, and turns StorageUnavailable into RelayError `unavailable` with this
 * message.
 */
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

/** Returns every entry under a prefix in key order, for tables that memory holds as a whole. */
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

import type { Commit, CommitResult, Entry, ScanRange } from "../../../engine/kernel/kv.ts";

interface Held {
  value: string;
  version: number;
  expiresAtMs: number | null;
}

/** What an earlier state of the store is made of. */
export interface StoreCopy {
  entries: ReadonlyMap<string, Held>;
  last: number;
  lost: number;
  lastOf: ReadonlyMap<string, number>;
  takenAtMs: number;
}

/** A commit that the store did not look at: it came too late for its client, or from one who has not heard of a loss; or later than its own `withinMs`. */
export type StoreAnswer = CommitResult | { type: "refused" } | { type: "too late" };

/**
 * The memory store behind all clients: entries with versions and expiry, copies that it can be taken back to, and what a Redis remembers of its own
 * history (storage/kv/lua/commit.lua). Everything here happens at once; waiting is for the clients.
 */
export class SimStore {
  readonly #nowMs: () => number;
  #entries = new Map<string, Held>();
  #sorted: string[] | null = null;
  #last = 0;
  #lastOf = new Map<string, number>();
  /** Entries up to this version may not be the last that was said of them. */
  lost = 0;
  /** Counts the times that it was taken back; each is a history of its own. */
  history = 0;

  /** `nowMs`: wall time that versions and expiry go by. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get(key: string): Entry | null {
    const held = this.#entries.get(key);
    return held === undefined || this.#expired(held) ? null : { key, value: held.value, version: held.version };
  }

  scan({ from, to, limit, reverse }: ScanRange): Entry[] {
    this.#sorted ??= [...this.#entries.keys()].sort();
    const sorted = this.#sorted;
    const keys = sorted.slice(placeOf(sorted, from), placeOf(sorted, to));
    if (reverse === true) keys.reverse();
    const found: Entry[] = [];
    for (const key of keys) {
      if (found.length >= limit) break;
      const entry = this.get(key);
      if (entry !== null) found.push(entry);
    }
    return found;
  }

  /** `writer` has heard of losses up to `knownLost`, and asked `sinceMs` ago. */
  commit({ checks, operations, withinMs = Number.POSITIVE_INFINITY }: Commit, writer: string, knownLost: number, sinceMs = 0): StoreAnswer {
    if (knownLost !== this.lost) return { type: "refused" };
    if (sinceMs > withinMs) return { type: "too late" };
    for (const { key, version } of checks) {
      if ((this.get(key)?.version ?? 0) !== version) return { type: "conflict", key };
    }
    this.#last = Math.max(this.#last + 1, this.#nowMs() * 1_000);
    this.#lastOf.set(writer, this.#last);
    for (const operation of operations) {
      if ((operation.type === "delete") === this.#entries.has(operation.key)) this.#sorted = null;
      if (operation.type === "delete") this.#entries.delete(operation.key);
      else {
        const { key, value, expiresAtMs = null } = operation;
        this.#entries.set(key, { value, version: this.#last, expiresAtMs });
      }
    }
    return { type: "committed", version: this.#last };
  }

  /** The version of a writer's last commit, as far as the store remembers. */
  lastOf(writer: string): number {
    return this.#lastOf.get(writer) ?? 0;
  }

  /** Notes that commits which were acknowledged before this history may be gone; answers with the mark. */
  markLost(): number {
    this.lost = this.#last;
    return this.lost;
  }

  copy(): StoreCopy {
    return {
      entries: new Map(this.#entries),
      last: this.#last,
      lost: this.lost,
      lastOf: new Map(this.#lastOf),
      takenAtMs: this.#nowMs(),
    };
  }

  restore({ entries, last, lost, lastOf }: StoreCopy): void {
    this.#entries = new Map(entries);
    this.#sorted = null;
    this.#last = last;
    this.#lastOf = new Map(lastOf);
    this.lost = lost;
    this.history += 1;
  }

  #expired({ expiresAtMs }: Held): boolean {
    return expiresAtMs !== null && expiresAtMs <= this.#nowMs();
  }
}

/** Index of the first key that is not below `bound`. */
function placeOf(sorted: readonly string[], bound: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? "") < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

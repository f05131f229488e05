import { hashOf } from "./hash.ts";
import { available, type Kv, type Operation, prefixRange } from "./kv.ts";
import { TIME_DIGITS, timeDigits } from "./time-digits.ts";

/**
 * Number of partitions of the records with deadlines. Each partition has its own index. Its home,
 * which `homeOf` names as for a terminal, is the only shard that reads and processes it.
 */
export const DUE_PARTITIONS = 64;

/** An entry of the index: a record that is due at a time. */
export interface DueEntry {
  id: string;
  atMs: number;
}

/**
 * The deadlines of one kind of records. The commits that change the records store them. Every
 * method rejects with RelayError `unavailable` when the store cannot answer.
 */
export interface DueIndex {
  /**
   * Tells whether any partition has a deadline. If there is none, no partition needs to be read.
   */
  anyDue(): Promise<boolean>;
  /** Returns a partition's deadlines before `untilMs` in their order, after `after` only. */
  pageDue(partition: number, after: DueEntry | null, untilMs: number, limit: number): Promise<DueEntry[]>;
}

/**
 * Reads the deadlines `<prefix><partition>/<13 digits of milliseconds>/<id>`. Each kind has its own
 * prefix, `due/<kind>/` for all but the oldest kind, so that waiting entries of one kind never
 * delay another.
 */
export function createDueIndex(kv: Kv, prefix: string): DueIndex {
  return {
    anyDue: () => available(async () => (await kv.scan({ ...prefixRange(prefix), limit: 1 })).length > 0),
    pageDue: (partition, after, untilMs, limit) =>
      available(async () => {
        const start = partitionPrefix(prefix, partition);
        const from = after === null ? start : `${dueKey(prefix, after)}\u0001`;
        const entries = await kv.scan({ from, to: start + timeDigits(untilMs), limit });
        return entries.map(({ key }) => entryOf(key, start.length));
      }),
  };
}

/**
 * Returns the operations for a commit that moves a deadline from one time to another; null is no
 * deadline.
 */
export function dueOperations(prefix: string, id: string, beforeMs: number | null, afterMs: number | null): Operation[] {
  const before = beforeMs === null ? null : dueKey(prefix, { id, atMs: beforeMs });
  const after = afterMs === null ? null : dueKey(prefix, { id, atMs: afterMs });
  if (before === after) return [];
  const operations: Operation[] = [];
  if (before !== null) operations.push({ type: "delete", key: before });
  if (after !== null) operations.push({ type: "put", key: after, value: "1" });
  return operations;
}

/** Returns the partition of an id, which is equal on every node. */
export function duePartitionOf(id: string): number {
  return hashOf(id) % DUE_PARTITIONS;
}

function partitionPrefix(prefix: string, partition: number): string {
  return `${prefix}${String(partition).padStart(2, "0")}/`;
}

function dueKey(prefix: string, { id, atMs }: DueEntry): string {
  return `${partitionPrefix(prefix, duePartitionOf(id))}${timeDigits(atMs)}/${id}`;
}

function entryOf(key: string, startLength: number): DueEntry {
  const atMs = Number(key.slice(startLength, startLength + TIME_DIGITS));
  return { id: key.slice(startLength + TIME_DIGITS + 1), atMs };
}

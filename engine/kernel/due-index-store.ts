import { hashOf } from "./hash.ts";
import { available, type Kv, type Operation, prefixRange } from "./kv.ts";
import { TIME_DIGITS, timeDigits } from "./time-digits.ts";

/**
 * What has deadlines is divided into this many partitions, each with an index of its deadlines. A partition lives where `homeOf` says, as a terminal
 * does, and that shard looks after it: it reads its own partitions only, and nobody else reads them.
 */
export const DUE_PARTITIONS = 64;

/** Something that wants to be looked at, as the index of its kind has it. */
export interface DueEntry {
  id: string;
  atMs: number;
}

/**
 * The deadlines of one kind of records, stored in the commits that change them. Every method rejects with RelayError `unavailable` when the store
 * cannot answer.
 */
export interface DueIndex {
  /** Whether anything of any partition has a deadline: where there is none, no partition needs to be read. */
  anyDue(): Promise<boolean>;
  /** What of a partition has its deadline before `untilMs`, by deadline, those after `after` only. */
  pageDue(partition: number, after: DueEntry | null, untilMs: number, limit: number): Promise<DueEntry[]>;
}

/**
 * Deadlines on the key-value store: `<prefix><partition>/<13 digits of milliseconds>/<id>`. The prefix is the kind's own, `due/<kind>/` for all but the
 * oldest one: so what waits of one kind never lies in the way of another's.
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

/** For the commit that moves a deadline from one time to another; null is no deadline. */
export function dueOperations(prefix: string, id: string, beforeMs: number | null, afterMs: number | null): Operation[] {
  const before = beforeMs === null ? null : dueKey(prefix, { id, atMs: beforeMs });
  const after = afterMs === null ? null : dueKey(prefix, { id, atMs: afterMs });
  if (before === after) return [];
  const operations: Operation[] = [];
  if (before !== null) operations.push({ type: "delete", key: before });
  if (after !== null) operations.push({ type: "put", key: after, value: "1" });
  return operations;
}

/** The partition of an id, the same on every node. */
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

import { hashOf } from "../kernel/hash.ts";

/** Counters shared by all shards of a node; a power of two. Two terminals on one counter cost an unneeded question, nothing else. */
const COUNTERS = 65_536;

/**
 * How many commands wait, by terminal hash, readable from every shard: zero answers a poll at once (ARCHITECTURE.md, "The way of a poll"). Written
 * only by the home, after the step that changes the queue is stored and before its caller is answered.
 */
export interface WaitingCounters {
  add(terminalId: string, delta: number): void;
  /** False when certainly nothing waits for the terminal. */
  mayWait(terminalId: string): boolean;
}

/** The same for terminals of other nodes, as far as this shard knows: told of at once, and read from the index of outstanding work. */
export interface WaitingElsewhere {
  told(terminalId: string): void;
  /** Replaces all that was known by these terminals. */
  replace(terminalIds: Iterable<string>): void;
  mayWait(terminalId: string): boolean;
}

export function createWaitingElsewhere(): WaitingElsewhere {
  let known = new Set<string>();
  let told = new Set<string>();
  return {
    told: (terminalId) => {
      told.add(terminalId);
    },
    replace: (terminalIds) => {
      known = new Set(terminalIds);
      // What was told of while the index was read may not stand in it yet: it is kept until the next time.
      for (const terminalId of told) known.add(terminalId);
      told = new Set();
    },
    mayWait: (terminalId) => known.has(terminalId) || told.has(terminalId),
  };
}

export function waitingCountersBuffer(): SharedArrayBuffer {
  return new SharedArrayBuffer(COUNTERS * Int32Array.BYTES_PER_ELEMENT);
}

export function createWaitingCounters(buffer: SharedArrayBuffer): WaitingCounters {
  const counts = new Int32Array(buffer);
  const slotOf = (terminalId: string) => hashOf(terminalId) & (COUNTERS - 1);
  return {
    add: (terminalId, delta) => {
      if (delta !== 0) Atomics.add(counts, slotOf(terminalId), delta);
    },
    // A plain read, which polls are full of: whoever was answered that a command waits asks later than the counter was written.
    mayWait: (terminalId) => (counts[slotOf(terminalId)] ?? 0) > 0,
  };
}

import type { Address, Homes } from "./bus.ts";
import type { Clock } from "./clock.ts";
import { DUE_PARTITIONS, type DueEntry, type DueIndex, duePartitionOf } from "./due-index-store.ts";
import type { Pacer } from "./pacer.ts";
import { createTimerWheel, type Timed } from "./timer-wheel.ts";

/** How often and how far ahead the index is read. Only deadlines within seconds are in memory. */
const SCAN_MS = 1_000;
const AHEAD_MS = 2_500;

/**
 * How often the index is read again from its start, because another node may have moved an entry to
 * the front.
 */
const RELOOK_MS = 15_000;

const PAGE = 1_000;

/**
 * A deadline that is older than this was missed, because there was no home or no room. Missed
 * deadlines are spread over the time for catching up.
 */
const MISSED_MS = 2_000;

/** A failed deadline is tried again after this time. */
const RETRY_MS = 5_000;

/**
 * Fires the deadlines of one kind of records whose home this shard is, from their stored index.
 * Each kind has its own runner and limits, so that one that is blocked, or has a hundred thousand
 * deadlines at once, does not slow the others.
 */
export interface DeadlineRunner {
  /** The owner calls it about every 50 ms. */
  tick(): void;
  /** Begins nothing more, and resolves when the work in progress has ended. */
  stop(): Promise<void>;
  counts(): { held: number; underWay: number };
}

export interface DeadlineRunnerOptions {
  /** The prefix in reports of failures. */
  name: string;
  index: DueIndex;
  /** Returns the name of a partition for finding its home. */
  placeOf(partition: number): string;
  homes: Homes;
  self: Address;
  clock: Clock;
  bounds: DeadlineBounds;
  /**
   * Processes a due record, and stores when it is due next, by the record's version: two shards may
   * fire the same deadline for a moment when homes change. It does nothing if nothing is due any
   * longer. It needs its own deadlines, because it uses a place until it resolves. If it rejects,
   * it is called again.
   */
  fire(id: string): Promise<unknown>;
  failed(what: string, error: unknown): void;
}

export interface DeadlineBounds {
  /**
   * Maximum number of due records in memory, about 250 bytes each. After a long outage these are
   * spread over `catchUpMs`, and the others wait in the index. So this also limits the speed of
   * catching up.
   */
  heldMax: number;
  /** Maximum number of deadlines in progress, including reading and storing. */
  atOnceMax: number;
  /** Missed deadlines are spread over this time. */
  catchUpMs: number;
  /**
   * How far a deadline that was not missed may be delayed, so that deadlines of the same moment are
   * not processed at the same moment. Zero if they are spread when they are stored.
   */
  slackMs: number;
  pacer: Pacer;
}

/** A record in the wheel, ready or in progress, with its deadline in the index. */
interface Held extends Timed {
  readonly id: string;
  atMs: number;
}

export function createDeadlineRunner(options: DeadlineRunnerOptions): DeadlineRunner {
  const { name, index, placeOf, homes, self, clock, bounds, fire, failed } = options;
  const { heldMax, atOnceMax, catchUpMs, slackMs, pacer } = bounds;
  const wheel = createTimerWheel<Held>();
  const held = new Map<string, Held>();
  const ready: Held[] = [];
  const underWay = new Set<Promise<void>>();
  let cursors: (DueEntry | null)[] = [];
  let scannedAt = Number.NEGATIVE_INFINITY;
  let relookedAt = Number.NEGATIVE_INFINITY;
  let scanning: Promise<void> | null = null;
  let nextPartition = 0;
  let stopped = false;

  homes.onChange(() => {
    relookedAt = Number.NEGATIVE_INFINITY;
  });

  function isHome(partition: number): boolean {
    return homes.homeOf(placeOf(partition)) === self;
  }

  async function scan(): Promise<void> {
    if (!(await index.anyDue())) return;
    for (let count = 0; count < DUE_PARTITIONS && !stopped; count += 1) {
      // If there is more due than possible, the next scan continues with the partition that this
      // one had no room for, so that none is skipped forever.
      if (held.size >= heldMax) return;
      if (isHome(nextPartition)) await scanPartition(nextPartition);
      if (held.size < heldMax) nextPartition = (nextPartition + 1) % DUE_PARTITIONS;
    }
  }

  async function scanPartition(partition: number): Promise<void> {
    while (held.size < heldMax) {
      const limit = Math.min(PAGE, heldMax);
      const page = await index.pageDue(partition, cursors[partition] ?? null, clock.nowMs() + AHEAD_MS, limit);
      for (const due of page) take(due);
      const last = page.at(-1);
      if (last !== undefined) cursors[partition] = last;
      if (page.length < limit) return;
    }
  }

  function take({ id, atMs }: DueEntry): void {
    const known = held.get(id);
    if (known?.atMs === atMs) return;
    const nowMs = clock.nowMs();
    const item = known ?? { id, atMs, slot: null };
    item.atMs = atMs;
    if (known === undefined) held.set(id, item);
    const missed = atMs < nowMs - MISSED_MS;
    wheel.arm(item, missed ? pacer.place(nowMs, catchUpMs, nowMs) : slackMs === 0 ? atMs : pacer.place(atMs, slackMs, nowMs));
  }

  function begin(): void {
    while (underWay.size < atOnceMax && !stopped) {
      const item = ready.shift();
      if (item === undefined) return;
      const { id, atMs } = item;
      const work = fire(id)
        .then(() => {
          // A scan may have found its next deadline in the meantime.
          if (item.atMs === atMs) held.delete(id);
        })
        .catch((error: unknown) => {
          failed(`${name}.deadline`, error);
          // If the home has changed meanwhile, the new home finds the record in the index.
          if (isHome(duePartitionOf(id))) wheel.arm(item, clock.nowMs() + RETRY_MS);
          else held.delete(id);
        })
        .finally(() => {
          underWay.delete(work);
          begin();
        });
      underWay.add(work);
    }
  }

  return {
    tick: () => {
      if (stopped) return;
      const nowMs = clock.nowMs();
      for (const item of wheel.due(nowMs)) ready.push(item);
      begin();
      const now = clock.monotonicMs();
      if (scanning !== null || now - scannedAt < SCAN_MS) return;
      scannedAt = now;
      if (now - relookedAt >= RELOOK_MS) {
        relookedAt = now;
        cursors = [];
      }
      scanning = scan()
        .catch((error: unknown) => failed(`${name}.scan`, error))
        .finally(() => {
          scanning = null;
        });
    },
    stop: async () => {
      stopped = true;
      await scanning;
      await Promise.all(underWay);
    },
    counts: () => ({ held: held.size, underWay: underWay.size }),
  };
}

import type { Address, Homes } from "./bus.ts";
import type { Clock } from "./clock.ts";
import { DUE_PARTITIONS, type DueEntry, type DueIndex, duePartitionOf } from "./due-index-store.ts";
import type { Pacer } from "./pacer.ts";
import { createTimerWheel, type Timed } from "./timer-wheel.ts";

/** The index is read this often, and this far ahead: of all deadlines only those within seconds are in memory. */
const SCAN_MS = 1_000;
const AHEAD_MS = 2_500;

/** The index is read from its start again this often, for what another node has moved to the front. */
const RELOOK_MS = 15_000;

const PAGE = 1_000;

/** Older than this, a deadline was missed while nobody was home, or while there was no room: such ones are spread over the time for catching up. */
const MISSED_MS = 2_000;

/** What could not be done is tried again after this time. */
const RETRY_MS = 5_000;

/**
 * Fires the deadlines of one kind of records whose home this shard is, from their stored index. Each kind has a runner and bounds of its own: one
 * that is stuck, or has a hundred thousand due at once, takes nothing from the others.
 */
export interface DeadlineRunner {
  /** Called by the owner every 50 ms or so. */
  tick(): void;
  /** Nothing is begun any more; resolves when what is under way has ended. */
  stop(): Promise<void>;
  counts(): { held: number; underWay: number };
}

export interface DeadlineRunnerOptions {
  /** What is told of failures begins with it. */
  name: string;
  index: DueIndex;
  /** What a partition is called where homes are asked for. */
  placeOf(partition: number): string;
  homes: Homes;
  self: Address;
  clock: Clock;
  bounds: DeadlineBounds;
  /**
   * Does what is due, and stores when it is due next, by the record's version: where homes change, two shards may fire the same for a moment. Does
   * nothing where nothing is due any more. Has deadlines of its own, because it holds a place until it resolves; rejects to be called again.
   */
  fire(id: string): Promise<unknown>;
  failed(what: string, error: unknown): void;
}

export interface DeadlineBounds {
  /**
   * What is in memory because it is due, some 250 bytes each. When a node returns after long these are spread over `catchUpMs`, and the rest waits in
   * the index: so this is also what bounds the pace of catching up.
   */
  heldMax: number;
  /** Fired at once, reading and storing included. */
  atOnceMax: number;
  /** What was missed is spread over this time. */
  catchUpMs: number;
  /** How far what is on time may be moved, so that what is due at one moment is not done at one moment. Zero for what is spread when it is stored. */
  slackMs: number;
  pacer: Pacer;
}

/** Something that is in the wheel, ready or under way, with the deadline by which the index knows it. */
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
      // Where more is due than can be done, the next scan goes on with the partition that this one had no room for: none is left out for ever.
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
          // Where it has another home meanwhile, that one has it in its index.
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

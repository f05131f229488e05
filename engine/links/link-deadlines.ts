import type { Address, Homes } from "../kernel/bus.ts";
import type { Clock } from "../kernel/clock.ts";
import { createTimerWheel, type Timed } from "../kernel/timer-wheel.ts";
import type { LinkPacer } from "./link-pacer.ts";
import { type DueLink, LINK_PARTITIONS, type LinkStore, partitionName } from "./link-store.ts";

/** The index is read this often, and this far ahead: of the links that are pending only those due within seconds are in memory. */
const SCAN_MS = 1_000;
const AHEAD_MS = 2_500;

/** The index is read from its start again this often, for what another node has moved to the front. */
const RELOOK_MS = 15_000;

const PAGE = 1_000;

/**
 * Links in memory because they are due, some 250 bytes each. When a node returns after long these are spread over CATCH_UP_MS, the rest waits in
 * the index: so this is also what bounds the pace of catching up, at some 8,000 a second.
 */
const HELD_MAX = 120_000;

/** Links looked after at once, reading and storing included: on a slow disk most of them wait for it. How many are at the gateway is bounded apart. */
const AT_ONCE_MAX = 1_024;

/** Older than this, a deadline was missed while nobody was home; such ones are spread over the time that a round of verifies takes. */
const MISSED_MS = 2_000;
const CATCH_UP_MS = 30_000;

/** What could not be done is tried again after this time. */
const RETRY_MS = 5_000;

/** Fires the deadlines of the links whose home this shard is, from the stored index. */
export interface LinkDeadlines {
  tick(): void;
  /** Nothing is begun any more; resolves when what is under way has ended. */
  stop(): Promise<void>;
  counts(): { held: number; underWay: number };
}

/** A link that is in the wheel, ready or under way, with the deadline by which the index knows it. */
interface HeldLink extends Timed {
  readonly txId: string;
  atMs: number;
}

export interface LinkDeadlinesOptions {
  store: LinkStore;
  homes: Homes;
  self: Address;
  clock: Clock;
  pacer: LinkPacer;
  /** Does what is due for the link, and stores when it is due next. */
  fire(txId: string): Promise<unknown>;
  failed(what: string, error: unknown): void;
}

export function createLinkDeadlines({ store, homes, self, clock, pacer, fire, failed }: LinkDeadlinesOptions): LinkDeadlines {
  const wheel = createTimerWheel<HeldLink>();
  const held = new Map<string, HeldLink>();
  const ready: HeldLink[] = [];
  const underWay = new Set<Promise<void>>();
  let cursors: (DueLink | null)[] = [];
  let scannedAt = Number.NEGATIVE_INFINITY;
  let relookedAt = Number.NEGATIVE_INFINITY;
  let scanning: Promise<void> | null = null;
  let nextPartition = 0;
  let stopped = false;

  homes.onChange(() => {
    relookedAt = Number.NEGATIVE_INFINITY;
  });

  async function scan(): Promise<void> {
    if (!(await store.anyDue())) return;
    for (let count = 0; count < LINK_PARTITIONS && !stopped; count += 1) {
      // Where more is due than can be done, the next scan goes on with the partition that this one had no room for: none is left out for ever.
      if (held.size >= HELD_MAX) return;
      if (homes.homeOf(partitionName(nextPartition)) === self) await scanPartition(nextPartition);
      if (held.size < HELD_MAX) nextPartition = (nextPartition + 1) % LINK_PARTITIONS;
    }
  }

  async function scanPartition(partition: number): Promise<void> {
    while (held.size < HELD_MAX) {
      const page = await store.pageDue(partition, cursors[partition] ?? null, clock.nowMs() + AHEAD_MS, PAGE);
      for (const due of page) take(due);
      const last = page.at(-1);
      if (last !== undefined) cursors[partition] = last;
      if (page.length < PAGE) return;
    }
  }

  function take({ txId, atMs }: DueLink): void {
    const known = held.get(txId);
    if (known?.atMs === atMs) return;
    const nowMs = clock.nowMs();
    const link = known ?? { txId, atMs, slot: null };
    link.atMs = atMs;
    if (known === undefined) held.set(txId, link);
    wheel.arm(link, atMs < nowMs - MISSED_MS ? pacer.place(nowMs, CATCH_UP_MS, nowMs) : atMs);
  }

  function begin(): void {
    while (underWay.size < AT_ONCE_MAX && !stopped) {
      const link = ready.shift();
      if (link === undefined) return;
      const { txId, atMs } = link;
      const work = fire(txId)
        .then(() => {
          // A scan may have found its next deadline in the meantime.
          if (link.atMs === atMs) held.delete(txId);
        })
        .catch((error: unknown) => {
          failed("link.deadline", error);
          wheel.arm(link, clock.nowMs() + RETRY_MS);
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
      for (const link of wheel.due(nowMs)) ready.push(link);
      begin();
      const now = clock.monotonicMs();
      if (scanning !== null || now - scannedAt < SCAN_MS) return;
      scannedAt = now;
      if (now - relookedAt >= RELOOK_MS) {
        relookedAt = now;
        cursors = [];
      }
      scanning = scan()
        .catch((error: unknown) => failed("link.scan", error))
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

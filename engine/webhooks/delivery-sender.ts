import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { type PlaceBounds, SharedPlaces } from "../kernel/shared-places.ts";
import type { Stored } from "../kernel/stored.ts";

/** A query for records that are due. */
export interface DueQuery {
  readonly untilMs: number;
  /** The position where the last query ended; null begins at the start. */
  readonly after: string | null;
  /** Maximum number of records that can begin now. */
  readonly limit: number;
  /** Returns how many more deliveries of a lane can begin. */
  room(lane: string): number;
}

export interface DuePage<R> {
  /** The records of one lane are in the order in which they are attempted. */
  readonly found: readonly Stored<R>[];
  /** The position where the next query begins; null if everything was read. */
  readonly next: string | null;
  /** Whether a due record was skipped because its lane had no room. */
  readonly left: boolean;
  /** The earliest due time that was seen. */
  readonly oldestMs: number | null;
}

/**
 * A kind of delivery. Its store returns what is due. A claim by the version of the record gives one
 * sender the right to an attempt for the time of a lease. The attempt stores its outcome.
 */
export interface DeliveryKind<R> {
  /** The name in reports of failures. */
  readonly name: string;
  /** Limits for deliveries in progress: in all, for one holder, and for one lane. */
  readonly underWay: PlaceBounds;
  readonly laneMax: number;
  due(query: DueQuery): Promise<DuePage<R>>;
  idOf(record: R): string;
  /** Returns the receiver. A slow receiver delays only its own lane. */
  laneOf(record: R): string;
  /** Returns the sender's owner, so that one with many receivers leaves room for others. */
  holderOf(record: R): string;
  /**
   * Returns the queue whose records are attempted one after the other; null for a record without a
   * queue.
   */
  queueOf(record: R): string | null;
  /** Resolves with null if another node changed the record first. */
  claim(stored: Stored<R>, atMs: number): Promise<Stored<R> | null>;
  /** Makes one attempt, and resolves after its outcome is stored. `ended`: nothing was sent. */
  attempt(claimed: Stored<R>): Promise<"delivered" | "failed" | "ended">;
}

export interface DeliverySender {
  /** The owner calls it about every 50 ms. */
  tick(): void;
  /** Begins no more deliveries, and waits for the ones in progress. */
  stop(): Promise<void>;
  /**
   * When the longest waiting record was due at the last complete check; null if nothing was due.
   */
  oldestDueMs(): number | null;
}

export interface DeliverySenderOptions<R> {
  kind: DeliveryKind<R>;
  clock: Clock;
  failed(what: string, error: unknown): void;
}

/** How often the store is queried for due records. */
const LOOK_MS = 500;
/** Pause before the next check if one did not read everything. */
const GO_ON_MS = 100;
/** Maximum number of pages in one check, so that each check is short. */
const PAGES_MAX = 8;
/**
 * A lane is held back if its last attempt failed or took longer than SLOW_MS, until a faster one
 * succeeds. It then has little room, and all such lanes together have half of all places. Other
 * lanes continue, however many are blocked.
 */
const SLOW_MS = 3_000;
const HELD_BACK_LANE_MAX = 2;
/**
 * Maximum number of lanes that are remembered as held back. Beyond it the earliest count as healthy
 * again.
 */
const HELD_BACK_KEPT_MAX = 10_000;

/**
 * Sends what is due, at least once. Each node runs a sender. The one that claims a record, by its
 * version, has the record for the time of a lease. So nodes do not send the same record together,
 * and another node sends a record whose sender died.
 */
export function createDeliverySender<R>({ kind, clock, failed }: DeliverySenderOptions<R>): DeliverySender {
  const underWay = new Map<string, Promise<void>>();
  const places = new SharedPlaces(kind.underWay);
  const lanes = new Map<string, number>();
  const queues = new Set<string>();
  const heldBack = new Set<string>();
  /**
   * Lanes in which this round has skipped a record. Later records of the lane must not overtake it.
   */
  const passed = new Set<string>();
  let heldBackUnderWay = 0;
  let cursor: string | null = null;
  let oldestOfRoundMs: number | null = null;
  let oldestDueMs: number | null = null;
  /**
   * Whether a due record was skipped, because its lane had no room or because all places were
   * taken.
   */
  let [left, full] = [false, false];
  let nextLookMs = 0;
  let looking: Promise<void> = Promise.resolve();
  let busy = false;
  let stopped = false;

  function room(lane: string): number {
    if (passed.has(lane)) return 0;
    const taken = lanes.get(lane) ?? 0;
    if (!heldBack.has(lane)) return Math.max(0, kind.laneMax - taken);
    return Math.max(0, Math.min(HELD_BACK_LANE_MAX - taken, Math.floor(kind.underWay.all / 2) - heldBackUnderWay));
  }

  async function look(): Promise<void> {
    [left, full] = [false, false];
    for (let pages = 0; pages < PAGES_MAX && !stopped; pages += 1) {
      const limit = kind.underWay.all - underWay.size;
      if (limit <= 0) {
        full = true;
        return;
      }
      const page = await kind.due({ untilMs: clock.nowMs(), after: cursor, limit, room });
      if (stopped) return;
      beginAll(page.found);
      cursor = page.next;
      left ||= page.left;
      if (page.oldestMs !== null) oldestOfRoundMs = Math.min(page.oldestMs, oldestOfRoundMs ?? page.oldestMs);
      if (cursor === null) {
        oldestDueMs = oldestOfRoundMs;
        oldestOfRoundMs = null;
        passed.clear();
        return;
      }
    }
    nextLookMs = Math.min(nextLookMs, clock.monotonicMs() + GO_ON_MS);
  }

  function beginAll(found: readonly Stored<R>[]): void {
    const leftOut: string[] = [];
    for (const stored of found) {
      const [id, lane, queue] = [kind.idOf(stored.record), kind.laneOf(stored.record), kind.queueOf(stored.record)];
      if (underWay.has(id)) continue;
      if (underWay.size >= kind.underWay.all) full = true;
      const hasPlace = !full && places.refusalOf(kind.holderOf(stored.record)) === null;
      if (!hasPlace || room(lane) === 0 || (queue !== null && queues.has(queue))) leftOut.push(lane);
      else begin(stored, id, lane, queue);
    }
    for (const lane of leftOut) passed.add(lane);
    left ||= leftOut.length > 0;
  }

  function begin(stored: Stored<R>, id: string, lane: string, queue: string | null): void {
    const wasHeldBack = heldBack.has(lane);
    const giveBack = places.take(kind.holderOf(stored.record));
    if (wasHeldBack) heldBackUnderWay += 1;
    if (queue !== null) queues.add(queue);
    lanes.set(lane, (lanes.get(lane) ?? 0) + 1);
    const work = send(stored, lane)
      .catch((error: unknown) => {
        // The store is unavailable, or the outcome of its commit is unknown. The lease expires, and
        // the record is sent again.
        if (!isUnavailable(error)) failed(kind.name, error);
      })
      .finally(() => {
        underWay.delete(id);
        giveBack();
        if (wasHeldBack) heldBackUnderWay -= 1;
        if (queue !== null) queues.delete(queue);
        const others = (lanes.get(lane) ?? 1) - 1;
        if (others === 0) lanes.delete(lane);
        else lanes.set(lane, others);
        if (left || full) nextLookMs = 0;
        if (full && underWay.size <= kind.underWay.all / 2) lookNow();
      });
    underWay.set(id, work);
  }

  async function send(stored: Stored<R>, lane: string): Promise<void> {
    const claimed = await kind.claim(stored, clock.nowMs());
    if (claimed === null) return;
    const begunMs = clock.monotonicMs();
    const outcome = await kind.attempt(claimed);
    const slow = clock.monotonicMs() - begunMs >= SLOW_MS;
    if (outcome === "delivered" && !slow) heldBack.delete(lane);
    if (outcome !== "failed" && !slow) return;
    const [earliest] = heldBack;
    if (heldBack.size >= HELD_BACK_KEPT_MAX && earliest !== undefined) heldBack.delete(earliest);
    heldBack.add(lane);
  }

  function lookNow(): void {
    if (stopped || busy) return;
    nextLookMs = clock.monotonicMs() + LOOK_MS;
    busy = true;
    looking = look()
      .catch((error: unknown) => {
        // The store is unavailable, and the due records stay due.
        if (!isUnavailable(error)) failed(kind.name, error);
      })
      .finally(() => {
        busy = false;
      });
  }

  return {
    tick: () => {
      if (clock.monotonicMs() >= nextLookMs) lookNow();
    },
    stop: async () => {
      stopped = true;
      await looking;
      await Promise.all(underWay.values());
    },
    oldestDueMs: () => oldestDueMs,
  };
}

function isUnavailable(error: unknown): boolean {
  return error instanceof RelayError && error.code === "unavailable";
}

import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { type PlaceBounds, SharedPlaces } from "../kernel/shared-places.ts";
import type { Stored } from "../kernel/stored.ts";

/** What one look at the store asks for. */
export interface DueQuery {
  readonly untilMs: number;
  /** Where the last look ended; null: from the beginning. */
  readonly after: string | null;
  /** Records that can be begun now. */
  readonly limit: number;
  /** How many more of a lane can be begun. */
  room(lane: string): number;
}

export interface DuePage<R> {
  /** Those of one lane in the order in which they are to be tried. */
  readonly found: readonly Stored<R>[];
  /** Where to go on; null: everything was looked at. */
  readonly next: string | null;
  /** Whether something due was left out because its lane had no room. */
  readonly left: boolean;
  /** When the longest due one that was seen was due. */
  readonly oldestMs: number | null;
}

/**
 * What is delivered, and how. Its store says what is due, a claim by the version of the record gives one sender the right to an attempt for the time of a
 * lease, and an attempt stores what came of it.
 */
export interface DeliveryKind<R> {
  /** For reports of failures. */
  readonly name: string;
  /** Under way at once, in all, of one holder and in one lane. */
  readonly underWay: PlaceBounds;
  readonly laneMax: number;
  due(query: DueQuery): Promise<DuePage<R>>;
  idOf(record: R): string;
  /** Who receives it: one that is slow costs only itself. */
  laneOf(record: R): string;
  /** Who has it sent: one with many receivers leaves room for the others. */
  holderOf(record: R): string;
  /** Records of one queue are tried one after the other; null: without regard to others. */
  queueOf(record: R): string | null;
  /** Null where somebody else changed it first. */
  claim(stored: Stored<R>, atMs: number): Promise<Stored<R> | null>;
  /** One attempt, of which the outcome is stored when this resolves. `ended`: nothing was sent. */
  attempt(claimed: Stored<R>): Promise<"delivered" | "failed" | "ended">;
}

export interface DeliverySender {
  /** Called by the owner every 50 ms or so. */
  tick(): void;
  /** Begins nothing more, and waits for what is under way. */
  stop(): Promise<void>;
  /** When the longest due record was due, as of the last time that all were looked at; null: nothing was. */
  oldestDueMs(): number | null;
}

export interface DeliverySenderOptions<R> {
  kind: DeliveryKind<R>;
  clock: Clock;
  failed(what: string, error: unknown): void;
}

/** How often the store is asked for what is due. */
const LOOK_MS = 500;
/** Where one look did not see everything, the next one goes on after this time. */
const GO_ON_MS = 100;
/** Of one look, so that each of them is short. */
const PAGES_MAX = 8;
/**
 * A lane whose last attempt failed, or took longer than this, has little room until one succeeds sooner, and all such lanes together have half of all places:
 * however many are stuck, the others go on.
 */
const SLOW_MS = 3_000;
const HELD_BACK_LANE_MAX = 2;
/** Lanes that are remembered as such; of more, the earliest count as healthy again. */
const HELD_BACK_KEPT_MAX = 10_000;

/**
 * Sends what is due, at least once. Each node runs one; who claims a record (by its version) has it for the time of a lease, so nodes do not send the
 * same one together, and one whose sender died is sent by another.
 */
export function createDeliverySender<R>({ kind, clock, failed }: DeliverySenderOptions<R>): DeliverySender {
  const underWay = new Map<string, Promise<void>>();
  const places = new SharedPlaces(kind.underWay);
  const lanes = new Map<string, number>();
  const queues = new Set<string>();
  const heldBack = new Set<string>();
  /** Lanes of which this round has left something out: what comes after it must not overtake it. */
  const passed = new Set<string>();
  let heldBackUnderWay = 0;
  let cursor: string | null = null;
  let oldestOfRoundMs: number | null = null;
  let oldestDueMs: number | null = null;
  /** Something due was left out: its lane had no room, or there was none at all. */
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
        // The store is away, or it is not known what it did: the lease ends, and it is sent again.
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
        // The store is away: what is due stays so.
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

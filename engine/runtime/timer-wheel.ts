/** Width of a slot: deadlines fire at most this late (and the tick of the owner later). */
const SLOT_MS = 100;

/** Keys of moved and removed deadlines that may stay in their old slots, beside as many as there are deadlines. */
const STALE_MAX = 1_024;

/**
 * Absolute deadlines of many keys, one each, in slots of 100 ms. Arming, moving and removing cost O(1), taken over all of them; the owner
 * calls `due` with the time.
 */
export interface TimerWheel {
  /** Sets, moves or (with null) removes the deadline of a key. */
  arm(key: string, atMs: number | null): void;
  /** Keys whose deadline has passed, each once; they are no longer armed. */
  due(nowMs: number): string[];
  size(): number;
}

export function createTimerWheel(): TimerWheel {
  /** Slots are counted from the first that is heard of: small numbers take no room of their own, and most of the memory is these two. */
  let origin: number | null = null;
  /** The slot in which each key's deadline will have passed. */
  const deadlines = new Map<string, number>();
  /** Keys by the slot in which they are looked at; one that was moved or removed stays where it was until then. */
  const slots = new Map<number, string[]>();
  let placed = 0;
  /** The last slot that was looked at. */
  let cursor = Number.NEGATIVE_INFINITY;

  function place(key: string, slot: number): void {
    // A deadline in the past goes to the next slot to be looked at.
    const place = Math.max(slot, cursor + 1);
    const keys = slots.get(place);
    if (keys === undefined) slots.set(place, [key]);
    else keys.push(key);
    placed += 1;
  }

  function placeAll(): void {
    slots.clear();
    placed = 0;
    for (const [key, slot] of deadlines) place(key, slot);
  }

  /** Wall time may be set back: then slots that were looked at lie ahead again, and overdue keys wait in slots too far away. */
  function turnBack(slot: number): void {
    cursor = slot;
    placeAll();
  }

  function look(slot: number, passed: string[]): void {
    const keys = slots.get(slot);
    if (keys === undefined) return;
    slots.delete(slot);
    placed -= keys.length;
    for (const key of keys) {
      const deadline = deadlines.get(key);
      if (deadline === undefined || deadline > slot) continue;
      deadlines.delete(key);
      passed.push(key);
    }
  }

  return {
    arm: (key, atMs) => {
      if (atMs === null) {
        deadlines.delete(key);
        return;
      }
      const absolute = Math.ceil(atMs / SLOT_MS);
      origin ??= absolute;
      const slot = absolute - origin;
      if (deadlines.get(key) === slot) return;
      deadlines.set(key, slot);
      place(key, slot);
      if (placed > 2 * deadlines.size + STALE_MAX) placeAll();
    },
    due: (nowMs) => {
      const absolute = Math.floor(nowMs / SLOT_MS);
      origin ??= absolute;
      const last = absolute - origin;
      if (last < cursor) turnBack(last - 1);
      const passed: string[] = [];
      // After a jump of the clock it is cheaper to look at the slots there are than at each one in between.
      if (last - cursor > slots.size) {
        for (const slot of [...slots.keys()].sort((a, b) => a - b)) if (slot <= last) look(slot, passed);
      } else {
        for (let slot = cursor + 1; slot <= last; slot += 1) look(slot, passed);
      }
      cursor = Math.max(cursor, last);
      return passed;
    },
    size: () => deadlines.size,
  };
}

/** Width of a slot. Deadlines fire at most this late, plus the owner's tick. */
const SLOT_MS = 100;

/**
 * Outdated entries of moved and removed deadlines that may remain, besides as many as there are
 * deadlines.
 */
const STALE_MAX = 1_024;

/**
 * An item with a deadline. The wheel stores its own data in the item, so that it needs no table of
 * all items.
 */
export interface Timed {
  /** Only for the wheel: the slot in which the deadline passes; null without a deadline. */
  slot: number | null;
}

/**
 * Absolute deadlines of many items, one each, in slots of 100 ms. Arming, moving and removing have
 * an amortized cost of O(1). The owner calls `due` with the time.
 */
export interface TimerWheel<T extends Timed> {
  /** Sets, moves or (with null) removes the deadline of an item. */
  arm(item: T, atMs: number | null): void;
  /** Returns each item whose deadline has passed once, and disarms it. */
  due(nowMs: number): T[];
  size(): number;
}

export function createTimerWheel<T extends Timed>(): TimerWheel<T> {
  /** Slots are counted from the first one in use, since small integers need no separate memory. */
  let origin: number | null = null;
  /**
   * Items by the slot in which they are checked. An item that was moved or removed stays there
   * until then.
   */
  const slots = new Map<number, T[]>();
  let armed = 0;
  let placed = 0;
  /** The last slot that was checked. */
  let cursor = Number.NEGATIVE_INFINITY;

  function place(item: T, slot: number): void {
    // A deadline in the past goes to the next slot that is checked.
    const place = Math.max(slot, cursor + 1);
    const items = slots.get(place);
    if (items === undefined) slots.set(place, [item]);
    else items.push(item);
    placed += 1;
  }

  function placeAll(): void {
    const all = new Set<T>();
    for (const items of slots.values()) for (const item of items) all.add(item);
    slots.clear();
    placed = 0;
    for (const item of all) if (item.slot !== null) place(item, item.slot);
  }

  /**
   * Wall time may be set back. Then slots that were already processed are ahead again, and overdue
   * items are in slots too far away.
   */
  function turnBack(slot: number): void {
    cursor = slot;
    placeAll();
  }

  function disarm(item: T): void {
    if (item.slot !== null) armed -= 1;
    item.slot = null;
  }

  function look(slot: number, passed: T[]): void {
    const items = slots.get(slot);
    if (items === undefined) return;
    slots.delete(slot);
    placed -= items.length;
    for (const item of items) {
      if (item.slot === null || item.slot > slot) continue;
      disarm(item);
      passed.push(item);
    }
  }

  return {
    arm: (item, atMs) => {
      if (atMs === null) {
        disarm(item);
        return;
      }
      const absolute = Math.ceil(atMs / SLOT_MS);
      origin ??= absolute;
      const slot = absolute - origin;
      if (item.slot === slot) return;
      if (item.slot === null) armed += 1;
      item.slot = slot;
      place(item, slot);
      if (placed > 2 * armed + STALE_MAX) placeAll();
    },
    due: (nowMs) => {
      const absolute = Math.floor(nowMs / SLOT_MS);
      origin ??= absolute;
      const last = absolute - origin;
      if (last < cursor) turnBack(last - 1);
      const passed: T[] = [];
      // After a jump of the clock, checking the existing slots is cheaper than checking each one in
      // between.
      if (last - cursor > slots.size) {
        for (const slot of [...slots.keys()].sort((a, b) => a - b)) if (slot <= last) look(slot, passed);
      } else {
        for (let slot = cursor + 1; slot <= last; slot += 1) look(slot, passed);
      }
      cursor = Math.max(cursor, last);
      return passed;
    },
    size: () => armed,
  };
}

/** Width of a slot: deadlines fire at most this late (and the tick of the owner later). */
const SLOT_MS = 100;

/**
 * Absolute deadlines of many keys, one each, in slots of 100 ms. Arming, moving and removing cost O(1) and leave nothing behind;
 * the owner calls `due` with the time.
 */
export interface TimerWheel {
  /** Sets, moves or (with null) removes the deadline of a key. */
  arm(key: string, atMs: number | null): void;
  /** Keys whose deadline has passed, each once; they are no longer armed. */
  due(nowMs: number): string[];
  size(): number;
}

interface Deadline {
  atMs: number;
  slot: number;
}

export function createTimerWheel(): TimerWheel {
  const deadlines = new Map<string, Deadline>();
  const slots = new Map<number, Set<string>>();
  /** The last slot that was looked at. */
  let cursor = Number.NEGATIVE_INFINITY;

  function place(key: string, deadline: Deadline): void {
    // A deadline in the past goes to the next slot to be looked at.
    deadline.slot = Math.max(Math.ceil(deadline.atMs / SLOT_MS), cursor + 1);
    const keys = slots.get(deadline.slot);
    if (keys === undefined) slots.set(deadline.slot, new Set([key]));
    else keys.add(key);
  }

  function displace(key: string, { slot }: Deadline): void {
    const keys = slots.get(slot);
    if (keys?.delete(key) === true && keys.size === 0) slots.delete(slot);
  }

  /** Wall time may be set back: then slots that were looked at lie ahead again, and overdue keys wait in slots too far away. */
  function turnBack(slot: number): void {
    cursor = slot;
    slots.clear();
    for (const [key, deadline] of deadlines) place(key, deadline);
  }

  return {
    arm: (key, atMs) => {
      const deadline = deadlines.get(key);
      if (deadline?.atMs === atMs) return;
      if (deadline !== undefined) displace(key, deadline);
      if (atMs === null) {
        deadlines.delete(key);
        return;
      }
      const moved = deadline ?? { atMs, slot: 0 };
      moved.atMs = atMs;
      if (deadline === undefined) deadlines.set(key, moved);
      place(key, moved);
    },
    due: (nowMs) => {
      const last = Math.floor(nowMs / SLOT_MS);
      if (last < cursor) turnBack(last - 1);
      const passed: string[] = [];
      const look = (slot: number) => {
        const keys = slots.get(slot);
        if (keys === undefined) return;
        slots.delete(slot);
        for (const key of keys) {
          deadlines.delete(key);
          passed.push(key);
        }
      };
      // After a jump of the clock it is cheaper to look at the slots there are than at each one in between.
      if (last - cursor > slots.size) {
        for (const slot of [...slots.keys()].sort((a, b) => a - b)) if (slot <= last) look(slot);
      } else {
        for (let slot = cursor + 1; slot <= last; slot += 1) look(slot);
      }
      cursor = Math.max(cursor, last);
      return passed;
    },
    size: () => deadlines.size,
  };
}

/** Width of a slot: deadlines fire at most this late (and the tick of the owner later). */
const SLOT_MS = 100;

/**
 * Absolute deadlines of many keys, one each, in slots of 100 ms. Arming and re-arming cost O(1); the owner calls `due` with the time.
 * A key that is re-armed leaves its old slot entry behind, which is dropped when that slot comes up.
 */
export interface TimerWheel {
  /** Sets, moves or (with null) removes the deadline of a key. */
  arm(key: string, atMs: number | null): void;
  /** Keys whose deadline has passed, each once; they are no longer armed. */
  due(nowMs: number): string[];
  size(): number;
}

export function createTimerWheel(): TimerWheel {
  const deadlines = new Map<string, number>();
  const slots = new Map<number, string[]>();
  let cursor: number | null = null;

  const slotOf = (atMs: number) => Math.ceil(atMs / SLOT_MS);

  return {
    arm: (key, atMs) => {
      if (atMs === null) {
        deadlines.delete(key);
        return;
      }
      const before = deadlines.get(key);
      if (before === atMs) return;
      deadlines.set(key, atMs);
      // A deadline in the past goes to the next slot to be looked at.
      const slot = cursor === null ? slotOf(atMs) : Math.max(slotOf(atMs), cursor + 1);
      if (before !== undefined && slotOf(before) === slot) return;
      const keys = slots.get(slot);
      if (keys === undefined) slots.set(slot, [key]);
      else keys.push(key);
    },
    due: (nowMs) => {
      const last = Math.floor(nowMs / SLOT_MS);
      const passed: string[] = [];
      const look = (slot: number) => {
        const keys = slots.get(slot);
        if (keys === undefined) return;
        slots.delete(slot);
        for (const key of keys) {
          const atMs = deadlines.get(key);
          if (atMs !== undefined && atMs <= nowMs) {
            deadlines.delete(key);
            passed.push(key);
          }
        }
      };
      // After a jump of the clock it is cheaper to look at the slots there are than at each one in between.
      if (cursor === null || last - cursor > slots.size) {
        for (const slot of [...slots.keys()].sort((a, b) => a - b)) if (slot <= last) look(slot);
      } else {
        for (let slot = cursor + 1; slot <= last; slot += 1) look(slot);
      }
      cursor = cursor === null ? last : Math.max(cursor, last);
      return passed;
    },
    size: () => deadlines.size,
  };
}

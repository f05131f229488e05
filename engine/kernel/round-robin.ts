/** Iterates over the items of a table in turn, one per call. */
export interface RoundRobin<T> {
  /** Returns the next item, and the first one again after the last. Undefined if there are none. */
  next(): T | undefined;
}

/**
 * Iterates in turn over the items of `begin` (the keys or values of a Map or Set, which may change
 * meanwhile), and continues where it stopped the last time. Reading the first entry of a Map each
 * time would walk over all entries that were deleted from its front.
 */
export function createRoundRobin<T>(begin: () => Iterator<T, undefined>): RoundRobin<T> {
  let items = begin();
  return {
    next: () => {
      const { done, value } = items.next();
      if (done !== true) return value;
      items = begin();
      return items.next().value;
    },
  };
}

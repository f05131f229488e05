/** Iterates over the items of a table in turn, one per call. */
export interface RoundRobin<T> {
  /** The next item; after the last one the first again. Undefined while there are none. */
  next(): T | undefined;
}

/**
 * Iterates in turn over the items of `begin` (the keys or values of a Map or Set, which may change meanwhile), and continues where it
 * stopped the last time. Asking a Map for its first entry again would walk over the places of all entries that were deleted from its front.
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

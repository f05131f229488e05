/** Selects a part of a list that is ordered by creation, newest first. */
export interface PageQuery {
  readonly limit: number;
  /** Selects items older than the item with this id. */
  readonly startingAfter: string | null;
  /** Selects the nearest items that are newer than the item with this id. */
  readonly endingBefore: string | null;
  /** Limits of the creation time; each may be absent. */
  readonly fromMs: number | null;
  readonly beforeMs: number | null;
}

export interface Page<T> {
  /** The items, newest first. */
  readonly items: readonly T[];
  /** Whether there are more items in the requested direction. */
  readonly hasMore: boolean;
}

/**
 * Returns a page of a list in memory, which may have any order. Returns null for a cursor that is
 * not among the items.
 */
export function pageOf<T extends { readonly id: string; readonly createdAtMs: number }>(
  all: readonly T[],
  query: PageQuery,
): Page<T> | null {
  const { limit, startingAfter, endingBefore, fromMs, beforeMs } = query;
  const newestFirst = [...all].sort((a, b) => b.createdAtMs - a.createdAtMs || (a.id < b.id ? 1 : -1));
  const cursor = startingAfter ?? endingBefore;
  const at = cursor === null ? -1 : newestFirst.findIndex(({ id }) => id === cursor);
  if (cursor !== null && at === -1) return null;
  const within = newestFirst.filter(
    ({ createdAtMs }, index) =>
      (startingAfter === null || index > at) &&
      (startingAfter !== null || endingBefore === null || index < at) &&
      (fromMs === null || createdAtMs >= fromMs) &&
      (beforeMs === null || createdAtMs < beforeMs),
  );
  const backwards = startingAfter === null && endingBefore !== null;
  return { items: backwards ? within.slice(-limit) : within.slice(0, limit), hasMore: within.length > limit };
}

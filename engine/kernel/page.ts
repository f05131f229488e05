/** Which part of a list that is ordered by creation, newest first, is wanted. */
export interface PageQuery {
  readonly limit: number;
  /** Those older than the item with this id. */
  readonly startingAfter: string | null;
  /** Those newer than the item with this id, the nearest ones. */
  readonly endingBefore: string | null;
  /** Bounds of the creation; each may be absent. */
  readonly fromMs: number | null;
  readonly beforeMs: number | null;
}

export interface Page<T> {
  /** Newest first. */
  readonly items: readonly T[];
  /** Whether there are more in the direction that was asked for. */
  readonly hasMore: boolean;
}

/** A page of a list that is in memory as a whole, in any order. Null where the cursor is none of its items. */
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

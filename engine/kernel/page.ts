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

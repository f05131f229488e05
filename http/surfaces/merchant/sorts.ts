/**
 * The columns by which a list can be sorted, with the values of `sort` for each direction. The
 * endpoint accepts these values, and the page makes these headers buttons. The relay returns the
 * newest first by default.
 */
export interface ListSorts {
  readonly [column: string]: { readonly ascending: string; readonly descending: string };
}

export const NEWEST = "newest";

export const BY_CREATION = { createdAt: { ascending: "oldest", descending: NEWEST } } as const satisfies ListSorts;

export const BY_CREATION_AND_AMOUNT = {
  ...BY_CREATION,
  amount: { ascending: "smallest", descending: "largest" },
} as const satisfies ListSorts;

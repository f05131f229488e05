/** The content of a cell. Null is an empty cell. */
export type Cell =
  | string
  | number
  | boolean
  | null
  /** Milliseconds since the epoch. */
  | { readonly atMs: number }
  | { readonly minor: number; readonly currency: string };

export type Row = readonly Cell[];

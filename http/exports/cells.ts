/** What stands in a cell: a text, a time, an amount, a number, or yes and no. Null: nothing. */
export type Cell =
  | string
  | number
  | boolean
  | null
  /** Milliseconds. */
  | { readonly atMs: number }
  | { readonly minor: number; readonly currency: string };

export type Row = readonly Cell[];

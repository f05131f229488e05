import type { Locale } from "../../engine/accounts/account.ts";
import type { Cell } from "./cells.ts";

/**
 * What goes to the thread that makes a sheet: the head, batches of rows, the rows of totals below them, the end. Its answers: how many batches it has taken (so that no more than a few wait), then the
 * file, or why there is none. Times are those of the zone's clocks, as if they were UTC: a sheet knows no zones.
 */
export type ToSheet =
  | {
      readonly type: "head";
      readonly name: string;
      readonly headings: readonly string[];
      readonly widths: readonly number[];
      readonly lang: Locale;
    }
  | { readonly type: "rows" | "totals"; readonly rows: readonly (readonly Cell[])[] }
  | { readonly type: "end" };

export type FromSheet =
  | { readonly type: "taken" }
  | { readonly type: "file"; readonly bytes: Uint8Array }
  | { readonly type: "failed"; readonly why: string };

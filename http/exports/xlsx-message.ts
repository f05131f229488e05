import type { Locale } from "../../engine/accounts/account.ts";
import type { Cell } from "./cells.ts";

/**
 * Messages to the thread that makes a sheet: the head, batches of rows, the rows of totals below
 * them, and the end. The thread reports how many batches it has taken, so that only a few wait, and
 * then the file or the reason why there is none. Times are local times written as if they were UTC,
 * because a sheet has no time zones.
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

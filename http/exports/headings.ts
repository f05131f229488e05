import type { Locale } from "../../engine/accounts/account.ts";
import type { ExportOrder } from "../../engine/exports/export.ts";
import { columnsOf } from "../surfaces/merchant/exports/columns.ts";

/** Returns the texts above the columns of a file. Times name their zone. */
export function headingsOf({ list, columns, lang }: Pick<ExportOrder, "list" | "columns" | "lang">, zone: string): string[] {
  const known = columnsOf(list);
  return columns.map((name) => {
    const column = known.get(name);
    if (column === undefined) throw new Error(`${list} has no column ${name}`);
    const { heading, kind } = column;
    return kind === "time" ? `${heading[lang]} (${zone})` : heading[lang];
  });
}

export const FLAGS: Readonly<Record<Locale, { readonly yes: string; readonly no: string }>> = {
  it: { yes: "sì", no: "no" },
  en: { yes: "yes", no: "no" },
};

import writeXlsxFile, { type CellObject, type SheetData } from "write-excel-file/node";
import type { Locale } from "../../engine/accounts/account.ts";
import { decimalsOf } from "../../engine/kernel/money.ts";
import type { Cell } from "./cells.ts";
import { FLAGS } from "./headings.ts";
import type { ToSheet } from "./xlsx-message.ts";

/** Excel's own limit for a cell. */
const TEXT_LENGTH_MAX = 32_767;

const DATE_FORMATS: Readonly<Record<Locale, string>> = { it: "dd/mm/yyyy hh:mm:ss", en: "yyyy-mm-dd hh:mm:ss" };

export interface Sheet {
  add(rows: readonly (readonly Cell[])[]): void;
  /** Adds rows below all others, in bold. */
  addTotals(rows: readonly (readonly Cell[])[]): void;
  file(): Promise<Uint8Array>;
}

/**
 * Returns a workbook with one sheet. Every text becomes a text cell, whatever it begins with, so
 * that no text is ever a formula.
 */
export function createSheet({ name, headings, widths, lang }: Extract<ToSheet, { type: "head" }>): Sheet {
  const data: SheetData = [headings.map((value) => ({ type: String, value, fontWeight: "bold" as const }))];
  const dateFormat = DATE_FORMATS[lang];
  // Formats are stored once for each currency. Cells cannot be shared, because each has its own
  // value.
  const formats = new Map<string, string>();

  function amountFormat(currency: string): string {
    let format = formats.get(currency);
    if (format === undefined) {
      const decimals = decimalsOf(currency);
      format = decimals === 0 ? "#,##0" : `#,##0.${"0".repeat(decimals)}`;
      formats.set(currency, format);
    }
    return format;
  }

  function cellOf(cell: Cell): CellObject | null {
    if (cell === null || cell === "") return null;
    if (typeof cell === "string") return { type: String, value: escaped(cell.slice(0, TEXT_LENGTH_MAX)) };
    if (typeof cell === "number") return { type: Number, value: cell };
    if (typeof cell === "boolean") return { type: String, value: cell ? FLAGS[lang].yes : FLAGS[lang].no };
    if ("atMs" in cell) return { type: Date, value: new Date(cell.atMs), format: dateFormat };
    const { minor, currency } = cell;
    return { type: Number, value: minor / 10 ** decimalsOf(currency), format: amountFormat(currency) };
  }

  return {
    add: (rows) => {
      for (const row of rows) data.push(row.map(cellOf));
    },
    addTotals: (rows) => {
      for (const row of rows) data.push(row.map((cell) => inBold(cellOf(cell))));
    },
    file: () => writeXlsxFile(data, { sheet: name, stickyRowsCount: 1, columns: widths.map((width) => ({ width })) }).toBuffer(),
  };
}

/**
 * The file format reads `_xHHHH_` as the character with that code, so the first sign of such a text
 * is written as a code.
 */
function escaped(text: string): string {
  return text.replace(/_(?=x[0-9a-f]{4}_)/gi, "_x005F_");
}

function inBold(cell: CellObject | null): CellObject | null {
  return cell === null ? null : { ...cell, fontWeight: "bold" };
}

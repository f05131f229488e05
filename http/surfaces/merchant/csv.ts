import { stringify } from "csv-stringify/sync";
import type { Locale } from "../../../engine/accounts/account.ts";

/** How the CSV of a language is written: spreadsheets take a comma for the decimal sign where the list separator is a semicolon. */
export const CSV_FORMS: Readonly<Record<Locale, { readonly delimiter: string; readonly point: "." | "," }>> = {
  it: { delimiter: ";", point: "," },
  en: { delimiter: ",", point: "." },
};

/** Excel reads UTF-8 only where the file says so. */
export const BYTE_ORDER_MARK = "\ufeff";

/** Lines of a language's CSV. */
export function csvLines(locale: Locale, rows: string[][]): string {
  // A line break alone would not be quoted, since it is not what ends a record.
  return stringify(rows, { delimiter: CSV_FORMS[locale].delimiter, record_delimiter: "windows", quoted_match: /[\r\n]/ });
}

/**
 * What a spreadsheet would take for a formula, also in full width or small, and behind what it may cut off or not see (spaces, characters without a form), is a
 * text with an apostrophe before it. Amounts are no texts, and stay numbers.
 */
export function textCell(text: string): string {
  return /^(?:[\t\r\n]|[\s\p{C}]*[=+\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b])/u.test(text) ? `'${text}` : text;
}

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

/** What a formula begins with, also in full width or small. */
const SIGNS = "[=+\\-@\\uff1d\\uff0b\\uff0d\\uff20\\ufe66\\ufe62\\ufe63\\ufe6b]";

/** Behind what a spreadsheet may cut off or not see: spaces, characters without a form. */
const BEGINS = new RegExp(`^(?:[\\t\\r\\n]|[\\s\\p{C}]*${SIGNS})`, "u");

/**
 * Behind what ends a cell or a line in a file of any language: a spreadsheet of the other one does not see that a cell is quoted. From one such sign to the next, so
 * that a text of nothing else is read once.
 */
const BEGINS_WITHIN = new RegExp(`([,;\\t\\r\\n](?:(?![\\t\\r\\n])["\\s\\p{C}])*)(?=${SIGNS})`, "gu");

/** What a spreadsheet would read as another number: codes with leading zeros, with more digits than it keeps, or that look like an exponent. */
const CHANGED_CODE = /^\s*(?:0[0-9]+|[0-9]{16,}|[0-9]+[eE][0-9]+)\s*$/;

/** What a spreadsheet would take for a formula, or a code that it would change, is a text with an apostrophe before it. Amounts are no texts, and stay numbers. */
export function textCell(text: string): string {
  if (CHANGED_CODE.test(text)) return `'${text}`;
  const whole = text.replace(BEGINS_WITHIN, "$1'");
  return BEGINS.test(text) ? `'${whole}` : whole;
}

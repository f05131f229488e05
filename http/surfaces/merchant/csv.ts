import { stringify } from "csv-stringify/sync";
import type { Locale } from "../../../engine/accounts/account.ts";

/**
 * The CSV dialect of a language. Spreadsheets read a comma as the decimal sign where the list
 * separator is a semicolon.
 */
export const CSV_FORMS: Readonly<Record<Locale, { readonly delimiter: string; readonly point: "." | "," }>> = {
  it: { delimiter: ";", point: "," },
  en: { delimiter: ",", point: "." },
};

/** Excel reads a file as UTF-8 only if it begins with this mark. */
export const BYTE_ORDER_MARK = "\ufeff";

/** Returns rows as lines of a language's CSV. */
export function csvLines(locale: Locale, rows: string[][]): string {
  // Quotes a single line feed too, which the library would not do, because it does not end a
  // record.
  return stringify(rows, { delimiter: CSV_FORMS[locale].delimiter, record_delimiter: "windows", quoted_match: /[\r\n]/ });
}

/** Signs that begin a formula, with their full-width and small forms. */
const SIGNS = "[=+\\-@\\uff1d\\uff0b\\uff0d\\uff20\\ufe66\\ufe62\\ufe63\\ufe6b]";

/**
 * Finds such a sign behind characters that a spreadsheet may strip or ignore: spaces and characters
 * without a form.
 */
const BEGINS = new RegExp(`^(?:[\\t\\r\\n]|[\\s\\p{C}]*${SIGNS})`, "u");

/**
 * Finds such a sign behind a separator of cells or lines in the CSV of any language, because a
 * spreadsheet of another language ignores the quotes of a cell. A match runs from one separator to
 * the next, so that a text of separators only is read once.
 */
const BEGINS_WITHIN = new RegExp(`([,;\\t\\r\\n](?:(?![\\t\\r\\n])["\\s\\p{C}])*)(?=${SIGNS})`, "gu");

/**
 * Codes that a spreadsheet would change to another number: with leading zeros, with more digits
 * than it stores, or with the look of an exponent.
 */
const CHANGED_CODE = /^\s*(?:0[0-9]+|[0-9]{16,}|[0-9]+[eE][0-9]+)\s*$/;

/**
 * Puts an apostrophe before a text that a spreadsheet would read as a formula, or whose code it
 * would change. Amounts do not pass through this function and stay numbers.
 */
export function textCell(text: string): string {
  if (CHANGED_CODE.test(text)) return `'${text}`;
  const whole = text.replace(BEGINS_WITHIN, "$1'");
  return BEGINS.test(text) ? `'${whole}` : whole;
}

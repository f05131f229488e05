import { stringify } from "csv-stringify/sync";
import type { Locale } from "../../../engine/accounts/account.ts";
import type { MerchantTransaction } from "../../../engine/payments/merchant-transactions.ts";
import type { LocalTime } from "../local-time.ts";
import { itemOf, majorUnits } from "./transaction-item.ts";

/** How the CSV of a language is written: spreadsheets take a comma for the decimal sign where the list separator is a semicolon. */
const FORMS: Readonly<Record<Locale, { delimiter: string; point: "." | ","; headings(zone: string): readonly string[] }>> = {
  it: {
    delimiter: ";",
    point: ",",
    headings: (zone) => [
      `Data e ora (${zone})`,
      "UUID",
      "Terminale",
      "Metodo",
      "Esito",
      "Importo",
      "Valuta",
      "Circuito",
      "Ultime 4 cifre",
      "Codice di autorizzazione",
      "Messaggio",
    ],
  },
  en: {
    delimiter: ",",
    point: ".",
    headings: (zone) => [
      `Date and time (${zone})`,
      "UUID",
      "Terminal",
      "Method",
      "Status",
      "Amount",
      "Currency",
      "Brand",
      "Last 4 digits",
      "Authorization code",
      "Message",
    ],
  },
};

/** Excel reads UTF-8 only where the file says so. */
const BYTE_ORDER_MARK = "\ufeff";

export interface TransactionsCsv {
  /** The beginning of the file. */
  readonly head: string;
  /** Lines of these transactions. */
  lines(transactions: readonly MerchantTransaction[]): string;
}

export function transactionsCsv(locale: Locale, localTime: LocalTime): TransactionsCsv {
  const { delimiter, point, headings } = FORMS[locale];
  // A line break alone would not be quoted, since it is not what ends a record.
  const write = (rows: string[][]) => stringify(rows, { delimiter, record_delimiter: "windows", quoted_match: /[\r\n]/ });

  function row(found: MerchantTransaction): string[] {
    const { uuid, terminalId, method, status, amountMinor, currency, brand, last4, authCode, message } = itemOf(found);
    const at = localTime.format(found.transaction.createdAtMs).slice(0, "YYYY-MM-DDTHH:MM:SS".length).replace("T", " ");
    const texts = [brand, last4, authCode, message].map((text) => textCell(text ?? ""));
    return [
      at,
      textCell(uuid),
      textCell(terminalId),
      method,
      status,
      majorUnits(amountMinor, currency, point),
      textCell(currency),
      ...texts,
    ];
  }

  return {
    head: BYTE_ORDER_MARK + write([[...headings(localTime.zone)]]),
    lines: (transactions) => (transactions.length === 0 ? "" : write(transactions.map(row))),
  };
}

/**
 * What a spreadsheet would take for a formula, also in full width or small, and behind what it may cut off or not see (spaces, characters without a form), is a
 * text with an apostrophe before it. Amounts are no texts, and stay numbers.
 */
function textCell(text: string): string {
  return /^(?:[\t\r\n]|[\s\p{C}]*[=+\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b])/u.test(text) ? `'${text}` : text;
}

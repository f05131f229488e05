import type { Locale } from "../../../engine/accounts/account.ts";
import type { MerchantTransaction } from "../../../engine/payments/merchant-transactions.ts";
import type { LocalTime } from "../local-time.ts";
import { BYTE_ORDER_MARK, CSV_FORMS, csvLines, textCell } from "./csv.ts";
import { itemOf, majorUnits } from "./transaction-item.ts";

const HEADINGS: Readonly<Record<Locale, (zone: string) => readonly string[]>> = {
  it: (zone) => [
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
  en: (zone) => [
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
};

export interface TransactionsCsv {
  /** The beginning of the file. */
  readonly head: string;
  /** Lines of these transactions. */
  lines(transactions: readonly MerchantTransaction[]): string;
}

export function transactionsCsv(locale: Locale, localTime: LocalTime): TransactionsCsv {
  const { point } = CSV_FORMS[locale];

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
    head: BYTE_ORDER_MARK + csvLines(locale, [[...HEADINGS[locale](localTime.zone)]]),
    lines: (transactions) => (transactions.length === 0 ? "" : csvLines(locale, transactions.map(row))),
  };
}

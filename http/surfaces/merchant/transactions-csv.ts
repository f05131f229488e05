import type { Locale } from "../../../engine/accounts/account.ts";
import type { MerchantTransaction } from "../../../engine/payments/merchant-transactions.ts";
import type { LocalTime } from "../parts/time.ts";
import { BYTE_ORDER_MARK, CSV_FORMS, csvLines, textCell } from "./csv.ts";
import { EXPORT_COLUMNS } from "./exports/columns.ts";
import { declineWords, itemOf, majorUnits, outcomeWord } from "./transaction-item.ts";

/** The columns of an export that chooses none. */
const COLUMNS = Object.values(EXPORT_COLUMNS.transactions);

export interface TransactionsCsv {
  /** The beginning of the file. */
  readonly head: string;
  /** Returns the lines of these transactions. */
  lines(transactions: readonly MerchantTransaction[]): string;
}

export function transactionsCsv(locale: Locale, localTime: LocalTime): TransactionsCsv {
  const { point } = CSV_FORMS[locale];

  function row(found: MerchantTransaction): string[] {
    const { uuid, terminalId, method, amountMinor, refundedMinor, netMinor, currency, brand, last4, authCode, message } = itemOf(found);
    const words = declineWords(found, locale);
    const amount = (minor: number) => majorUnits(minor, currency, point);
    const at = localTime.format(found.transaction.createdAtMs).slice(0, "YYYY-MM-DDTHH:MM:SS".length).replace("T", " ");
    const texts = [brand, last4, authCode, message].map((text) => textCell(text ?? ""));
    return [
      at,
      textCell(uuid),
      textCell(terminalId),
      method,
      outcomeWord(found),
      amount(amountMinor),
      textCell(currency),
      ...texts,
      amount(refundedMinor),
      amount(netMinor),
      textCell(found.transaction.auth?.actionCode ?? ""),
      words?.reason ?? "",
      words?.next ?? "",
    ];
  }

  const headings = COLUMNS.map(({ kind, heading }) => (kind === "time" ? `${heading[locale]} (${localTime.zone})` : heading[locale]));
  return {
    head: BYTE_ORDER_MARK + csvLines(locale, [headings]),
    lines: (transactions) => (transactions.length === 0 ? "" : csvLines(locale, transactions.map(row))),
  };
}

import type { Locale } from "../../engine/accounts/account.ts";
import type { ExportOrder } from "../../engine/exports/export.ts";
import { currencyDecimals } from "../../engine/kernel/money.ts";
import { type MerchantTransaction, netMinorOf } from "../../engine/payments/merchant-transactions.ts";
import { type ColumnName, columnsOf } from "../surfaces/merchant/exports/columns.ts";
import type { Cell, Row } from "./cells.ts";

/** The columns that have a total. */
type Summed = Extract<ColumnName<"transactions">, "amount" | "refundedAmount" | "netAmount">;
type Sums = Record<Summed, number>;

const LABELS: Readonly<Record<Locale, (currency: string) => string>> = {
  it: (currency) => `Totale pagamenti approvati ${currency}`,
  en: (currency) => `Total of approved payments ${currency}`,
};

/** Sums the approved payments of a file for the rows below it, in each known currency. */
export class TransactionTotals {
  readonly #sums = new Map<string, Sums>();

  add(found: MerchantTransaction): void {
    const { transaction, isPayment, refundedMinor } = found;
    const { status, currency, amountCents } = transaction;
    // A terminal may write any text as the currency. An unknown one has no total.
    if (!isPayment || status !== "OK" || currencyDecimals(currency) === null) return;
    const sums = this.#sums.get(currency) ?? { amount: 0, refundedAmount: 0, netAmount: 0 };
    sums.amount += amountCents;
    sums.refundedAmount += refundedMinor;
    sums.netAmount += netMinorOf(found);
    this.#sums.set(currency, sums);
  }

  /**
   * Returns a row for each currency, with the columns of the order, or no row if no column has a
   * total.
   */
  rows({ list, columns, lang }: Pick<ExportOrder, "list" | "columns" | "lang">): Row[] {
    const known = columnsOf(list);
    if (!columns.some(isSummed)) return [];
    const labelled = columns.find((name) => known.get(name)?.kind !== "amount");
    const cell = (name: string, currency: string, sums: Sums): Cell => {
      if (isSummed(name)) return { minor: sums[name], currency };
      if (name === labelled) return LABELS[lang](currency);
      return name === "currency" ? currency : null;
    };
    const sorted = [...this.#sums].sort(([one], [other]) => (one < other ? -1 : 1));
    return sorted.map(([currency, sums]) => columns.map((name) => cell(name, currency, sums)));
  }
}

function isSummed(name: string): name is Summed {
  return name === "amount" || name === "refundedAmount" || name === "netAmount";
}

import { signal } from "@preact/signals";
import type { TransactionItemJson } from "../../../../surfaces/merchant/transaction-schemas.ts";
import { Amount } from "../../components/amount.tsx";
import type { Column } from "../../components/table.tsx";
import { text } from "../../i18n/texts.ts";
import { c, desk } from "../../list/columns.tsx";
import { TransactionStatus } from "./transaction-status.tsx";
import { methodName } from "./words.ts";

/** These columns can be hidden. Time, amount and status are always visible. */
export const CHOOSABLE = ["refunded", "net", "method", "card", "terminal", "authCode", "message"] as const;
export type Choosable = (typeof CHOOSABLE)[number];

/** The name changed when the refund columns were added, because no stored choice contained them. */
const KEPT_AS = "portal.transactionColumns2";
const USUAL: readonly Choosable[] = ["refunded", "net", "method", "card", "terminal"];

/** The visible columns, stored in this browser. */
export const shownColumns = signal<ReadonlySet<Choosable>>(new Set(kept()));

function kept(): readonly Choosable[] {
  try {
    const text = localStorage.getItem(KEPT_AS);
    return text === null ? USUAL : CHOOSABLE.filter((name) => text.split(" ").includes(name));
  } catch {
    // The browser denies access to its storage.
    return USUAL;
  }
}

export function toggleColumn(name: Choosable): void {
  const shown = new Set(shownColumns.value);
  if (!shown.delete(name)) shown.add(name);
  shownColumns.value = shown;
  try {
    localStorage.setItem(KEPT_AS, [...shown].join(" "));
  } catch {
    // The choice lasts until the page is closed.
  }
}

export function columnsShown(): Column<TransactionItemJson>[] {
  const { transactions: words } = text();
  const choosable: Readonly<Record<Choosable, Column<TransactionItemJson>>> = {
    refunded: desk({
      ...{ key: "refunded", header: words.columns.refunded, align: "right" },
      cell: ({ refundedMinor, currency }) => (refundedMinor === 0 ? "–" : <Amount minor={refundedMinor} currency={currency} />),
    }),
    net: desk({
      ...{ key: "net", header: words.columns.net, align: "right" },
      cell: ({ netMinor, currency }) => <Amount minor={netMinor} currency={currency} />,
    }),
    method: { key: "method", header: words.columns.method, cell: ({ method }) => methodName(method) },
    card: desk({ key: "card", header: words.columns.card, cell: cardOf }),
    terminal: desk({ key: "terminal", header: words.columns.terminal, cell: ({ terminalId }) => terminalId }),
    authCode: desk({ key: "authCode", header: words.columns.authCode, cell: ({ authCode }) => authCode ?? "–" }),
    message: desk({ key: "message", header: words.columns.message, cell: ({ message }) => message ?? "–" }),
  };
  return [
    c.time("createdAt", words.columns.time),
    c.amount(words.columns.amount),
    { key: "status", header: words.columns.status, cell: (item) => <TransactionStatus item={item} /> },
    ...CHOOSABLE.filter((name) => shownColumns.value.has(name)).map((name) => choosable[name]),
  ];
}

/** For example `VISA ···· 1111`; a dash for a payment without a card. */
export function cardOf({ brand, last4 }: Pick<TransactionItemJson, "brand" | "last4">): string {
  if (brand === null && last4 === null) return "–";
  return [brand, last4 === null ? null : `···· ${last4}`].filter((part) => part !== null).join(" ");
}

import type { Caller } from "../../engine/access/caller.ts";
import type { Locale } from "../../engine/accounts/account.ts";
import type { DisputeBoard } from "../../engine/cases/case-list.ts";
import type { ExportList, ExportOrder } from "../../engine/exports/export.ts";
import { type MerchantTransaction, type MerchantTransactions, netMinorOf } from "../../engine/payments/merchant-transactions.ts";
import { type DisputeItemJson, disputeItem, itemOf as disputeItemOf } from "../surfaces/merchant/disputes/schemas.ts";
import { type ColumnKind, type ColumnName, columnsOf } from "../surfaces/merchant/exports/columns.ts";
import { listQueryOf } from "../surfaces/merchant/exports/filters.ts";
import { type PaymentLinkJson, paymentLink } from "../surfaces/merchant/payment-links/schemas.ts";
import { type PaymentLinkOperations, paymentLinkContext } from "../surfaces/merchant/payment-links/surface.ts";
import { type SubscriptionJson, subscription } from "../surfaces/merchant/subscriptions/schemas.ts";
import { type SubscriptionOperations, subscriptionContext } from "../surfaces/merchant/subscriptions/surface.ts";
import { merchantOwnerOf } from "../surfaces/merchant/surface.ts";
import { declineWords, itemOf, outcomeWord } from "../surfaces/merchant/transaction-item.ts";
import type { LocalTime } from "../surfaces/parts/time.ts";
import type { Cell, Row } from "./cells.ts";
import type { TransactionTotals } from "./transaction-totals.ts";

/** The collaborators that read the rows of lists, as the lists' endpoints read them. */
export interface ListOperations
  extends Pick<PaymentLinkOperations, "portalLinks" | "paymentLinkUrl" | "users">,
    Pick<SubscriptionOperations, "subscriptions" | "subscriptionUrl" | "clock"> {
  merchantTransactions: Pick<MerchantTransactions, "stream">;
  disputeBoard: DisputeBoard;
  localTime: LocalTime;
}

/** The largest page that the lists' endpoints permit. */
const PAGE_ITEMS = 200;

/**
 * Rows made in one turn. They take a millisecond or two, so that payments do not wait for a file.
 */
const ROWS_AT_ONCE = 250;

type Column<Item> = (item: Item) => Cell;

const time = (iso: string | null): Cell => (iso === null ? null : { atMs: Date.parse(iso) });

/** Columns that items have as members of the same name, or as the amount of an item. */
type Derived<Item> = keyof Item | (Item extends { readonly amountMinor: number; readonly currency: string } ? "amount" : never);

/** Readers of the columns that items do not have as members. */
type Columns<L extends ExportList, Item> = Readonly<Record<Exclude<ColumnName<L>, Derived<Item>>, Column<Item>>>;

const transactionColumns = (lang: Locale): Columns<"transactions", MerchantTransaction> => ({
  createdAt: ({ transaction }) => ({ atMs: transaction.createdAtMs }),
  uuid: ({ transaction }) => transaction.uuid,
  terminalId: ({ transaction }) => transaction.terminalId,
  method: (found) => itemOf(found).method,
  status: outcomeWord,
  amount: ({ transaction: { amountCents, currency } }) => ({ minor: amountCents, currency }),
  currency: ({ transaction }) => transaction.currency,
  brand: ({ transaction }) => transaction.card?.brand ?? null,
  last4: (found) => itemOf(found).last4,
  authCode: ({ transaction }) => transaction.auth?.authCode ?? null,
  message: ({ transaction }) => transaction.message ?? null,
  refundedAmount: ({ transaction: { currency }, refundedMinor }) => ({ minor: refundedMinor, currency }),
  netAmount: (found) => ({ minor: netMinorOf(found), currency: found.transaction.currency }),
  actionCode: ({ transaction }) => transaction.auth?.actionCode ?? null,
  declineReason: (found) => declineWords(found, lang)?.reason ?? null,
  declineAdvice: (found) => declineWords(found, lang)?.next ?? null,
});

const OF_LINKS: Columns<"payment-links", PaymentLinkJson> = {
  paymentUuid: ({ attempts }) => attempts.find(({ state }) => state === "paid")?.uuid ?? null,
};

const OF_DISPUTES: Columns<"disputes", DisputeItemJson> = {};

const OF_SUBSCRIPTIONS: Columns<"subscriptions", SubscriptionJson> = {
  planName: ({ plan }) => plan.name,
  amount: ({ plan: { amountMinor, currency } }) => ({ minor: amountMinor, currency }),
  currency: ({ plan }) => plan.currency,
  interval: ({ plan }) => plan.interval,
  count: ({ plan }) => plan.count,
  customerName: ({ customer }) => customer.name,
  customerEmail: ({ customer }) => customer.email,
  unpaidAmount: ({ unpaid }) => (unpaid === null ? null : { minor: unpaid.amountMinor, currency: unpaid.currency }),
  unpaidSince: ({ unpaid }) => time(unpaid?.dueAt ?? null),
};

/**
 * Returns the rows of a list in its order, a few at a time, as the caller may see them. `askedAtMs`
 * is the time of the request. Transactions are added to `totals`. Throws the RelayErrors of the
 * list's endpoint.
 */
export async function* listRows(
  operations: ListOperations,
  caller: Caller,
  order: Pick<ExportOrder, "list" | "filters" | "columns" | "lang">,
  askedAtMs: number,
  totals?: TransactionTotals,
): AsyncGenerator<readonly Row[]> {
  const { list, filters, columns } = order;
  const owner = merchantOwnerOf(caller);
  const query = listQueryOf(list, filters, caller, operations.localTime, askedAtMs);
  switch (query.list) {
    case "transactions": {
      const row = rowOf(list, transactionColumns(order.lang), columns);
      for await (const batch of operations.merchantTransactions.stream(owner.merchantId, query.filter)) {
        for (const found of batch) totals?.add(found);
        for (let start = 0; start < batch.length; start += ROWS_AT_ONCE) yield batch.slice(start, start + ROWS_AT_ONCE).map(row);
      }
      return;
    }
    case "payment-links": {
      const row = rowOf(list, OF_LINKS, columns);
      const { filter } = query;
      for await (const page of pages((cursor) => operations.portalLinks.list(owner, { ...filter, limit: PAGE_ITEMS, cursor }))) {
        const context = await paymentLinkContext(operations, caller, page);
        yield page.map((link) => row(paymentLink.json(link, context)));
      }
      return;
    }
    case "disputes": {
      const row = rowOf(list, OF_DISPUTES, columns);
      const { filter } = query;
      for await (const page of pages((cursor) => operations.disputeBoard.list(owner, { ...filter, limit: PAGE_ITEMS, cursor }))) {
        yield page.map((item) => row(disputeItem.json(disputeItemOf(item), { caller })));
      }
      return;
    }
    case "subscriptions": {
      const row = rowOf(list, OF_SUBSCRIPTIONS, columns);
      const { filter } = query;
      for await (const page of pages((cursor) => operations.subscriptions.list(owner, { ...filter, limit: PAGE_ITEMS, cursor }))) {
        const context = await subscriptionContext(operations, caller, page);
        yield page.map((record) => row(subscription.item.json(record, context)));
      }
    }
  }
}

async function* pages<Item>(
  read: (cursor: string | null) => Promise<{ items: readonly Item[]; next: string | null }>,
): AsyncGenerator<readonly Item[]> {
  let cursor: string | null = null;
  do {
    const page: { items: readonly Item[]; next: string | null } = await read(cursor);
    if (page.items.length > 0) yield page.items;
    cursor = page.next;
  } while (cursor !== null);
}

function rowOf<Item extends object>(
  list: ExportList,
  own: { readonly [name: string]: Column<Item> },
  columns: readonly string[],
): (item: Item) => Row {
  const known = columnsOf(list);
  const wanted = columns.map((name) => {
    const kind = known.get(name)?.kind;
    // Column names were checked when the export was requested.
    if (kind === undefined) throw new Error(`${list} has no column ${name}`);
    return own[name] ?? ((item: Item) => cellOf(kind, name, item));
  });
  return (item) => wanted.map((column) => column(item));
}

function cellOf(kind: ColumnKind, name: string, item: object): Cell {
  if (kind === "amount") return { minor: Reflect.get(item, "amountMinor"), currency: Reflect.get(item, "currency") };
  return kind === "time" ? time(Reflect.get(item, name)) : Reflect.get(item, name);
}

import { Type } from "@sinclair/typebox";
import { ok, okOf } from "./envelope.ts";
import { sortOf } from "./list-filters.ts";
import { READ_DEADLINE_MS, reads } from "./reads.ts";
import { listOf, PAGE_QUERY } from "./schema-parts.ts";
import { BY_CREATION_AND_AMOUNT } from "./sorts.ts";
import { MERCHANT_BASE, merchantOf, PORTAL_RATE } from "./surface.ts";
import { ITEM_EXAMPLE, itemOf } from "./transaction-item.ts";
import { cursorOf, filterOf, readCursor } from "./transaction-query.ts";
import { TRANSACTION_FILTERS, TransactionItem } from "./transaction-schemas.ts";

export const listMerchantTransactions = reads.endpoint({
  name: "merchantTransactions",
  method: "GET",
  path: `${MERCHANT_BASE}/transactions`,
  summary: "List transactions",
  description:
    "Lists payments of terminals and payment links as soon as they are stored, each with its refunded amount; refunds count on the day of the payment. Days are those of the installation's time zone. Pass `next` as `cursor`, with the same filters and `sort`, to get the next page. The response is 503 if ClickHouse does not respond; payments are not affected.",
  auth: "merchantUserOrKey",
  may: "look",
  rateLimit: PORTAL_RATE,
  deadlineMs: READ_DEADLINE_MS,
  query: Type.Object({
    ...TRANSACTION_FILTERS,
    ...sortOf(BY_CREATION_AND_AMOUNT, " The orders by amount read the whole filtered period; choose fewer days if the response is 503."),
    ...PAGE_QUERY,
  }),
  responses: {
    200: {
      description: "A page.",
      body: okOf(listOf(TransactionItem)),
      example: { status: "ok", data: { items: [ITEM_EXAMPLE], next: null } },
    },
    ...reads.errors(400, 401, 403, 429, 503),
  },
  handle: async ({ merchantTransactions, localTime }, { caller, query, request }) => {
    const { limit, cursor, sort: order = "newest" } = query;
    const filter = filterOf(query, localTime);
    const after = cursor === undefined ? null : readCursor(cursor, order);
    const { items, next } = await merchantTransactions.page(merchantOf(caller), { filter, after, limit, order }, request.gone);
    return { status: 200, body: ok({ items: items.map(itemOf), next: next === null ? null : cursorOf(next, order) }) };
  },
});

import { type Static, Type } from "@sinclair/typebox";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { ATTENTION_KINDS } from "../../../engine/payments/attention-kinds.ts";
import { iso } from "../../endpoint/time.ts";
import { okBody } from "../parts/relay-envelope.ts";
import { adminOfSearch } from "./search.ts";
import { admin } from "./surface.ts";

const PAGE_DEFAULT = 100;
const PAGE_MAX = 500;

const Item = Type.Object(
  {
    id: Type.String({ description: "Sorted by kind, terminal and uuid. Pass the last one of a page as `after` to get the next page." }),
    kind: Type.Union(
      ATTENTION_KINDS.map((kind) => Type.Literal(kind)),
      {
        description:
          "unknown: the command was sent and no result came. unsolicited: a result for which there is no command. unreadable: a posted result whose outcome cannot be determined. conflict: a second, different result for the same uuid. amount_differs: the amount or the currency of a result, or of what was paid by a link, differs from what was requested. currency_unknown: the currency of a result is not a known one; it is kept as received. late: a result arrived after the command was shown as expired or cancelled. link_late: a payment link was paid after it had been shown as expired or failed. link_unverified: a link has expired and the gateway cannot be asked whether it was paid. link_operation_unknown: the response to a capture, reversal or refund of a link was lost, and the gateway does not confirm that it was executed. link_reversal: a payment was made by link for an order that was canceled or already paid; `detail` says whether the relay reverses it or the money has to be given back by hand. link_paid_twice: a payment link of the portal was paid a second time; its merchant gives one of the payments back. dispute_undelivered: a response to a dispute has not reached its network as far as is known. alert_refund_failed: the automatic refund of an alert was refused. alert_refund_unknown: the response to the refund of an alert was lost, and it is not confirmed that it was executed. alert_refunded_twice: a payment was refunded because of an alert that ended otherwise, so the network may have paid it back too. subscription_unknown: for a day nobody has said whether the customer of a subscription was charged. subscription_late: a payment was made after its subscription had been paused or cancelled. subscription_paid_twice: one cycle of a subscription was paid a second time. feed_refused: ClickHouse or Kafka refused a row of a result, a command's life or a conflict. The row is set aside and missing from ClickHouse until `npm run rebuild-analytics` has sent it again; the relay's own API still returns it. clickhouse_damaged: ClickHouse cannot read a part of a table (named in the place of a uuid), or has set it aside: rows are missing until the part is dropped and `npm run rebuild-analytics` has sent them again. store_lost_commits: the store has lost, or may have lost, commits that it had acknowledged; the lost time begins at `uuid`, and `detail` names its end. zvt_undelivered: a payment of a cash register was approved and the register was not told. zvt_refused_by_ecr: a cash register refused to be told that its payment was approved; the card was charged.",
      },
    ),
    at: Type.String({ description: "ISO 8601 UTC." }),
    terminalId: Type.String(),
    uuid: Type.Union([Type.String(), Type.Null()]),
    detail: Type.String(),
    raw: Type.Union([Type.String(), Type.Null()], { description: "The posted text, with card numbers masked." }),
  },
  { title: "AttentionItem" },
);

export type AttentionItemJson = Static<typeof Item>;

export const listAttention = admin.endpoint({
  name: "listAttention",
  method: "GET",
  path: "/admin/attention",
  summary: "List what needs attention",
  description:
    "Entries are kept for 90 days. An `unknown` is removed when its result arrives, a `link_unverified` when the gateway answers, a `feed_refused` when the row has been sent again, a `clickhouse_damaged` by `npm run rebuild-analytics`.",
  auth: "admin",
  role: "read-only",
  query: Type.Object({
    after: Type.Optional(Type.String({ maxLength: 256, pattern: "^[\\x21-\\x7e]*$", description: "The last id of the previous page." })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: PAGE_DEFAULT, parameterName: "PageSize" })),
  }),
  responses: {
    200: { description: "A page.", body: okBody(Type.Array(Item)) },
    ...admin.errors(400, 401, 503),
  },
  handle: async ({ terminals }, { query }) => {
    const page = await terminals.attention({ after: query.after ?? "", limit: query.limit ?? PAGE_DEFAULT });
    const data = page.map(({ id, item: { atMs, ...item } }) => ({ ...item, id, at: iso(atMs) }));
    return { status: 200, body: { status: "ok", data } };
  },
});

export const removeAttention = adminOfSearch.endpoint({
  name: "removeAttention",
  method: "DELETE",
  path: "/admin/attention/{id}",
  summary: "Delete an item that needs attention",
  description: "The id of the list, with its slashes as %2F. Nothing else changes; where the same happens again, the item is there again.",
  auth: "admin",
  role: "operator",
  machine: "operation",
  params: Type.Object({ id: Type.String({ minLength: 1, maxLength: 256, pattern: "^[\\x21-\\x7e]+$" }) }),
  audit: { action: "attention.remove" },
  responses: {
    200: { description: "It is gone.", body: okBody(Type.Object({ id: Type.String() })) },
    ...adminOfSearch.errors(400, 401, 403, 404, 503),
  },
  handle: async ({ attentionItems }, { params: { id } }) => {
    if (!(await attentionItems.remove(id)))
      throw new RelayError("not_found", "There is no such item, or it has changed: read the list again");
    return { status: 200, body: { status: "ok", data: { id } } };
  },
});

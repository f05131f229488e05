import { Type } from "@sinclair/typebox";
import { okBody } from "../relay-envelope.ts";
import { admin } from "./surface.ts";

const PAGE_DEFAULT = 100;
const PAGE_MAX = 500;

const Item = Type.Object({
  id: Type.String({ description: "Sorts by kind, terminal and uuid; the page after it starts with `after`." }),
  kind: Type.Union(
    [
      "unknown",
      "unsolicited",
      "unreadable",
      "conflict",
      "amount_differs",
      "currency_unknown",
      "late",
      "link_late",
      "link_unverified",
      "link_operation_unknown",
      "feed_refused",
    ].map((word) => Type.Literal(word)),
    {
      description:
        "unknown: sent, and no result came. unsolicited: a result that no command asked for. unreadable: a posting without a certain outcome. conflict: a second, different result. amount_differs: a result, or what was paid by a link, is of another amount than was asked for. currency_unknown: a result in a currency that is none that is known, kept as it came. late: a result after the command was shown as expired or cancelled. link_late: a payment link was paid after it had been shown as expired or failed. link_unverified: a link's time is over and the gateway cannot be asked whether it was paid. link_operation_unknown: the answer to a capture, reversal or refund of a link was lost, and the gateway does not say that it was executed. feed_refused: ClickHouse or Kafka refused a row of a result, a life or a conflict, which is set aside and missing for analysts until `npm run rebuild-analytics` has sent it again; what the relay itself answers has it.",
    },
  ),
  at: Type.String({ description: "ISO 8601 UTC." }),
  terminalId: Type.String(),
  uuid: Type.Union([Type.String(), Type.Null()]),
  detail: Type.String(),
  raw: Type.Union([Type.String(), Type.Null()], { description: "What was posted, card numbers masked." }),
});

export const listAttention = admin.endpoint({
  name: "listAttention",
  method: "GET",
  path: "/admin/attention",
  summary: "What an operator has to look at",
  description:
    "Kept for 90 days; an `unknown` goes when its result comes, a `link_unverified` when the gateway answers, a `feed_refused` when the row was sent again.",
  auth: "admin",
  query: Type.Object({
    after: Type.Optional(Type.String({ maxLength: 256, pattern: "^[\\x21-\\x7e]*$", description: "The last id of the page before." })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: PAGE_DEFAULT })),
  }),
  responses: {
    200: { description: "A page.", body: okBody(Type.Array(Item)) },
    ...admin.errors(400, 401, 503),
  },
  handle: async ({ terminals }, { query }) => {
    const page = await terminals.attention({ after: query.after ?? "", limit: query.limit ?? PAGE_DEFAULT });
    const data = page.map(({ id, item: { atMs, ...item } }) => ({ ...item, id, at: new Date(atMs).toISOString() }));
    return { status: 200, body: { status: "ok", data } };
  },
});

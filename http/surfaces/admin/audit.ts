import { type Static, Type } from "@sinclair/typebox";
import { described } from "../../endpoint/described.ts";
import { iso } from "../../endpoint/time.ts";
import { okBody } from "../parts/relay-envelope.ts";
import { AdministratorRoleWord, AuditOutcome } from "../parts/schemas.ts";
import { admin } from "./surface.ts";

const PAGE_DEFAULT = 100;
const PAGE_MAX = 500;

const Entry = Type.Object(
  {
    id: Type.String({ description: "Pass the last one of a page as `before` to get the next page." }),
    at: Type.String({ description: "ISO 8601 UTC." }),
    actor: Type.String({
      description:
        "`administrator`, `machine:` and the name of the token, `command-line` (a command on the machine), `partner:` or `partner-api:` and the partner's id, or `merchant:` and the merchant's.",
    }),
    username: Type.String(),
    role: Type.Optional(described(AdministratorRoleWord, "The administrator's role at that time.")),
    ipAddress: Type.String(),
    requestId: Type.String({ description: "The `X-Request-Id` of the answer." }),
    action: Type.String({ description: "`noun.verb`, such as `partner.create`." }),
    subject: Type.String({ description: "Id or name of the changed object." }),
    members: Type.Array(Type.String(), { description: "Names of the members that were sent. Their values are never stored." }),
    outcome: AuditOutcome,
    code: Type.Optional(Type.String({ description: "Why the change was refused." })),
  },
  { title: "AuditEntry" },
);

export type AuditEntryJson = Static<typeof Entry>;

export const listAudit = admin.endpoint({
  name: "listAudit",
  method: "GET",
  path: "/admin/audit",
  summary: "List entries of the audit log",
  description:
    "Every change by an administrator, and by partners in their portal: who changed what, when and from which address. What merchants do themselves is only in their own logs (`merchantId`). Entries are kept for 400 days, at most 100,000 of them, and 10,000 of each merchant.",
  auth: "admin",
  role: "read-only",
  query: Type.Object({
    before: Type.Optional(Type.String({ maxLength: 128, pattern: "^[A-Za-z0-9.-]*$", description: "The last id of the previous page." })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: PAGE_DEFAULT, parameterName: "PageSize" })),
    merchantId: Type.Optional(
      Type.String({
        maxLength: 64,
        pattern: "^[A-Za-z0-9._-]+$",
        description: "The log of this merchant instead: what its people and its key did, and what was done to it.",
      }),
    ),
  }),
  responses: {
    200: {
      description: "A page.",
      body: okBody(Type.Array(Entry)),
      example: {
        status: "ok",
        data: [
          {
            id: "1763700000000-shard-0-1a2b3c4d-000000001",
            at: "2025-11-21T04:40:00.000Z",
            actor: "administrator",
            username: "admin",
            role: "owner",
            ipAddress: "192.0.2.7",
            requestId: "till-7.42",
            action: "partner.toggle",
            subject: "7",
            members: [],
            outcome: "done",
          },
        ],
      },
    },
    ...admin.errors(400, 401, 503),
  },
  handle: async ({ audit }, { query }) => {
    const { before = "", limit = PAGE_DEFAULT, merchantId } = query;
    const page = await (merchantId === undefined ? audit.page({ before, limit }) : audit.pageOfMerchant(merchantId, { before, limit }));
    const data = page.map(({ id, entry: { atMs, outcome, merchantId: _, ...entry } }) => ({
      id,
      at: iso(atMs),
      ...entry,
      outcome: outcome.type,
      ...(outcome.type === "refused" ? { code: outcome.code } : {}),
    }));
    return { status: 200, body: { status: "ok", data } };
  },
});

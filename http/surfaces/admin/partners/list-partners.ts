import { Type } from "@sinclair/typebox";
import { PARTNERS_MAX } from "../../../../engine/partners/partner.ts";
import { okBody } from "../../parts/relay-envelope.ts";
import { admin } from "../surface.ts";
import { example, Partner, shown } from "./partner.ts";

export const listPartners = admin.endpoint({
  name: "listPartners",
  method: "GET",
  path: "/admin/api/partners",
  summary: "List partners",
  auth: "admin",
  role: "read-only",
  query: Type.Object({
    after: Type.Optional(Type.Integer({ minimum: 0, description: "The last id of the previous page." })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PARTNERS_MAX, description: "Default: all of them." })),
  }),
  responses: {
    200: { description: "Without any secret.", body: okBody(Type.Array(Partner)), example: { status: "ok", data: [example] } },
    ...admin.errors(400, 401),
  },
  handle: ({ partners }, { query: { after = 0, limit = PARTNERS_MAX } }) => {
    const page = partners.list().filter(({ record }) => record.id > after);
    return { status: 200 as const, body: { status: "ok" as const, data: page.slice(0, limit).map(({ record }) => shown(record)) } };
  },
});

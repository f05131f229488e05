import { okBody } from "../../parts/relay-envelope.ts";
import { admin } from "../surface.ts";
import { example, notFound, Partner, PartnerParams, shown } from "./partner.ts";

export const showPartner = admin.endpoint({
  name: "showPartner",
  method: "GET",
  path: "/admin/api/partners/{id}",
  summary: "Get a partner",
  auth: "admin",
  role: "read-only",
  params: PartnerParams,
  responses: {
    200: { description: "Without any secret.", body: okBody(Partner), example: { status: "ok", data: example } },
    ...admin.errors(400, 401, 404),
  },
  handle: ({ partners }, { params }) => {
    const partner = partners.byId(params.id);
    if (partner === null) throw notFound();
    return { status: 200 as const, body: { status: "ok" as const, data: shown(partner.record) } };
  },
});

import { Type } from "@sinclair/typebox";
import { okBody } from "../../relay-envelope.ts";
import { admin } from "../surface.ts";
import { ofOne, Partner, shown } from "./partner.ts";

export const togglePartner = admin.endpoint({
  ...ofOne,
  role: "operator",
  name: "togglePartner",
  method: "PATCH",
  path: "/admin/api/partners/{id}/toggle",
  summary: "Enable a disabled partner, or disable an enabled one",
  body: Type.Optional(Type.Object({}, { additionalProperties: false })),
  audit: { action: "partner.toggle" },
  responses: {
    200: { description: "The change is in force on every node.", body: okBody(Partner) },
    ...admin.errors(400, 401, 404, 503),
  },
  handle: async ({ administerPartners }, { params }) => {
    const partner = await administerPartners.toggle(params.id);
    return { status: 200, body: { status: "ok", data: shown(partner) } };
  },
});

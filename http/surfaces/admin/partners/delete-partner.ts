import { Type } from "@sinclair/typebox";
import { okBody } from "../../parts/relay-envelope.ts";
import { admin } from "../surface.ts";
import { ofOne } from "./partner.ts";

export const deletePartner = admin.endpoint({
  ...ofOne,
  role: "owner",
  stepUp: true,
  name: "deletePartner",
  method: "DELETE",
  path: "/admin/api/partners/{id}",
  summary: "Delete a partner",
  description:
    "When the response is sent, the relay no longer accepts the partner's password and key. Payments that the partner started still run to their end.",
  audit: { action: "partner.delete" },
  responses: {
    200: { description: "Gone.", body: okBody(Type.Object({ id: Type.Integer(), message: Type.String() })) },
    ...admin.errors(400, 401, 404, 503),
  },
  handle: async ({ administerPartners }, { params: { id } }) => {
    await administerPartners.remove(id);
    return { status: 200, body: { status: "ok", data: { id, message: "Partner deleted" } } };
  },
});

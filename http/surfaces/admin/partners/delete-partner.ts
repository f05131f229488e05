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
    "The partner's password and key are no longer accepted when the response is sent. Payments that it started are still completed.",
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

import { Type } from "@sinclair/typebox";
import { okBody } from "../../parts/relay-envelope.ts";
import { admin } from "../surface.ts";
import { NO_STORE, noStore, ofOne } from "./partner.ts";

export const resetPartnerPassword = admin.endpoint({
  ...ofOne,
  role: "owner",
  stepUp: true,
  name: "resetPartnerPassword",
  refusesUnknown: "access",
  method: "POST",
  path: "/admin/api/partners/{id}/reset-password",
  summary: "Reset the password of a partner",
  description: "The password is shown in this response only. When it is sent, the previous password is no longer accepted.",
  body: Type.Optional(Type.Object({})),
  audit: { action: "partner.reset-password" },
  responses: {
    200: {
      description: "The password.",
      body: okBody(Type.Object({ id: Type.Integer(), username: Type.String(), generatedPassword: Type.String(), message: Type.String() })),
      headers: noStore,
    },
    ...admin.errors(400, 401, 404, 503),
  },
  handle: async ({ administerPartners }, { params: { id } }) => {
    const { partner, password } = await administerPartners.resetPassword(id);
    const data = { id, username: partner.username, generatedPassword: password, message: "The password is not shown again." };
    return { status: 200, body: { status: "ok", data }, headers: NO_STORE };
  },
});

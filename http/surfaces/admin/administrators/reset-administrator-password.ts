import { Type } from "@sinclair/typebox";
import { okBody } from "../../parts/relay-envelope.ts";
import { admin } from "../surface.ts";
import { AdministratorParams, actorOf, Password, SHOWN_ONCE } from "./administrator.ts";

export const resetAdministratorPassword = admin.endpoint({
  name: "resetAdministratorPassword",
  refusesUnknown: "access",
  method: "POST",
  path: "/admin/administrators/{username}/reset-password",
  tags: ["Administrator accounts"],
  summary: "Reset the password of an administrator",
  description:
    "Without `password` one is generated, and shown in this response only. When it is sent, the previous password is no longer accepted. The password of the owner of the configuration cannot be changed here (409).",
  auth: "admin",
  role: "owner",
  stepUp: true,
  params: AdministratorParams,
  body: Type.Optional(Type.Object({ password: Type.Optional(Password) })),
  bodyExample: {},
  audit: { action: "administrator.reset-password" },
  responses: {
    200: {
      description: "The password, if it was generated.",
      body: okBody(Type.Object({ username: Type.String(), generatedPassword: Type.Optional(Type.String()), message: Type.String() })),
      example: { status: "ok", data: { username: "anna", generatedPassword: "...", message: SHOWN_ONCE } },
    },
    ...admin.errors(400, 401, 403, 404, 409, 413, 415, 503),
  },
  handle: async ({ administerAdministrators }, { params, body, caller }) => {
    const reset = await administerAdministrators.resetPassword(actorOf(caller), params.username, body?.password ?? null);
    const { administrator, generated } = reset;
    const { username } = administrator;
    const data =
      generated === null
        ? { username, message: "The password is changed." }
        : { username, generatedPassword: generated, message: SHOWN_ONCE };
    return { status: 200, body: { status: "ok", data } };
  },
});

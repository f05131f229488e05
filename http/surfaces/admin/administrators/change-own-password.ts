import { Type } from "@sinclair/typebox";
import { okBody } from "../../parts/relay-envelope.ts";
import { admin } from "../surface.ts";
import { actorOf, Password } from "./administrator.ts";

export const changeOwnAdministratorPassword = admin.endpoint({
  name: "changeOwnAdministratorPassword",
  refusesUnknown: "access",
  method: "POST",
  path: "/admin/administrators/me/password",
  tags: ["Administrator accounts"],
  summary: "Update your own password",
  description:
    "Ends your sessions: sign in again afterwards. When the response is sent, that is no longer accepted. The owner of the configuration changes its password there (409).",
  auth: "admin",
  role: "read-only",
  stepUp: true,
  body: Type.Object({ password: Password }),
  bodyExample: { password: "a long sentence of words" },
  audit: { action: "administrator.change-own-password", subject: ({ caller }) => actorOf(caller) },
  responses: {
    200: {
      description: "Changed.",
      body: okBody(Type.Object({ username: Type.String(), message: Type.String() })),
      example: { status: "ok", data: { username: "anna", message: "The password is changed." } },
    },
    ...admin.errors(400, 401, 404, 409, 413, 415, 503),
  },
  handle: async ({ administerAdministrators }, { body, caller }) => {
    const { username } = await administerAdministrators.changeOwnPassword(actorOf(caller), body.password);
    return { status: 200, body: { status: "ok", data: { username, message: "The password is changed." } } };
  },
});

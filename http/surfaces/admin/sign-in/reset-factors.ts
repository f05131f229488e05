import { Type } from "@sinclair/typebox";
import { okBody } from "../../parts/relay-envelope.ts";
import { AdministratorParams, actorOf } from "../administrators/administrator.ts";
import { ok } from "../envelope.ts";
import { adminSignIn } from "./surface.ts";

export const resetAdministratorFactors = adminSignIn.endpoint({
  name: "resetAdministratorFactors",
  method: "DELETE",
  path: "/admin/administrators/{username}/factors",
  tags: ["Administrator accounts"],
  summary: "Reset the second factors of an administrator",
  description:
    "Ends the administrator's sessions too: it enrols new factors with its next sign-in to the operators' pages. Be sure that it is the administrator who asks. Where no other owner is left, `npm run reset-owner-factors` on the machine does it for the owner of the configuration.",
  auth: "admin",
  role: "owner",
  stepUp: true,
  params: AdministratorParams,
  audit: { action: "administrator.reset-factors" },
  responses: {
    200: {
      description: "Done.",
      body: okBody(Type.Object({ username: Type.String(), message: Type.String() })),
      example: { status: "ok", data: { username: "anna", message: "The second factors are removed." } },
    },
    ...adminSignIn.errors(400, 401, 403, 404, 503),
  },
  handle: async ({ administratorSignIn }, { params: { username }, caller }) => {
    await administratorSignIn.resetFactors(actorOf(caller), username);
    return { status: 200, body: ok({ username, message: "The second factors are removed." }) };
  },
});

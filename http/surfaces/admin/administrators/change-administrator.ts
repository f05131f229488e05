import { Type } from "@sinclair/typebox";
import { okBody } from "../../parts/relay-envelope.ts";
import { admin } from "../surface.ts";
import { Administrator, AdministratorParams, actorOf, example, Role, shown } from "./administrator.ts";

export const changeAdministrator = admin.endpoint({
  name: "changeAdministrator",
  refusesUnknown: "access",
  method: "PATCH",
  path: "/admin/administrators/{username}",
  tags: ["Administrator accounts"],
  summary: "Update an administrator",
  description:
    "Members that are left out keep their values. Every node knows the change when the response is sent. The owner of the configuration cannot be changed here (409).",
  auth: "admin",
  role: "owner",
  stepUp: true,
  params: AdministratorParams,
  body: Type.Object({ role: Type.Optional(Role), enabled: Type.Optional(Type.Boolean()) }),
  bodyExample: { role: "read-only" },
  audit: { action: "administrator.change" },
  responses: {
    200: { description: "Changed.", body: okBody(Administrator), example: { status: "ok", data: { ...example, role: "read-only" } } },
    ...admin.errors(400, 401, 403, 404, 409, 413, 415, 503),
  },
  handle: async ({ administerAdministrators }, { params, body, caller }) => {
    const administrator = await administerAdministrators.change(actorOf(caller), params.username, body);
    return { status: 200, body: { status: "ok", data: shown(administrator) } };
  },
});

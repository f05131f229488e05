import { Type } from "@sinclair/typebox";
import { okBody } from "../../parts/relay-envelope.ts";
import { admin } from "../surface.ts";
import { AdministratorParams, actorOf } from "./administrator.ts";

export const deleteAdministrator = admin.endpoint({
  name: "deleteAdministrator",
  method: "DELETE",
  path: "/admin/administrators/{username}",
  tags: ["Administrator accounts"],
  summary: "Delete an administrator",
  description:
    "The login is accepted nowhere when the response is sent, and its name is free. Entries of the audit log keep it. The owner of the configuration cannot be deleted (409), so an owner is always left.",
  auth: "admin",
  role: "owner",
  stepUp: true,
  params: AdministratorParams,
  audit: { action: "administrator.delete" },
  responses: {
    200: {
      description: "Gone.",
      body: okBody(Type.Object({ username: Type.String(), message: Type.String() })),
      example: { status: "ok", data: { username: "anna", message: "Administrator deleted" } },
    },
    ...admin.errors(400, 401, 403, 404, 409, 503),
  },
  handle: async ({ administerAdministrators }, { params, caller }) => {
    const { username } = await administerAdministrators.remove(actorOf(caller), params.username);
    return { status: 200, body: { status: "ok", data: { username, message: "Administrator deleted" } } };
  },
});

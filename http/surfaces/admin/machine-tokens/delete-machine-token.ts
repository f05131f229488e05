import { Type } from "@sinclair/typebox";
import { okBody } from "../../parts/relay-envelope.ts";
import { actorOf } from "../administrators/administrator.ts";
import { ok } from "../envelope.ts";
import { admin } from "../surface.ts";
import { example, TokenParams } from "./machine-token.ts";

export const deleteMachineToken = admin.endpoint({
  name: "deleteMachineToken",
  method: "DELETE",
  path: "/admin/machine-tokens/{name}",
  tags: ["Administrator accounts"],
  summary: "Delete a machine token",
  description: "It is accepted nowhere when the response is sent, and its name is free.",
  auth: "admin",
  role: "owner",
  stepUp: true,
  params: TokenParams,
  audit: { action: "machine-token.delete" },
  responses: {
    200: {
      description: "Gone.",
      body: okBody(Type.Object({ name: Type.String() })),
      example: { status: "ok", data: { name: example.name } },
    },
    ...admin.errors(400, 401, 403, 404, 503),
  },
  handle: async ({ administerMachineTokens }, { params, caller }) => {
    const { name } = await administerMachineTokens.remove(actorOf(caller), params.name);
    return { status: 200, body: ok({ name }) };
  },
});

import { Type } from "@sinclair/typebox";
import { MACHINE_TOKENS_MAX } from "../../../../engine/access/machine-token.ts";
import { okBody } from "../../parts/relay-envelope.ts";
import { ok } from "../envelope.ts";
import { admin } from "../surface.ts";
import { example, MachineToken, shown } from "./machine-token.ts";

export const listMachineTokens = admin.endpoint({
  name: "listMachineTokens",
  method: "GET",
  path: "/admin/machine-tokens",
  tags: ["Administrator accounts"],
  summary: "List machine tokens",
  description: `By name, expired ones too; at most ${MACHINE_TOKENS_MAX}.`,
  auth: "admin",
  role: "read-only",
  responses: {
    200: { description: "Without any secret.", body: okBody(Type.Array(MachineToken)), example: { status: "ok", data: [example] } },
    ...admin.errors(401),
  },
  handle: ({ machineTokens, clock }) => ({
    status: 200 as const,
    body: ok(machineTokens.list().map((record) => shown(record, clock.nowMs()))),
  }),
});

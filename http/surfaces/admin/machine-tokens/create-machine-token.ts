import { Type } from "@sinclair/typebox";
import { MACHINE_RIGHTS, MACHINE_TOKEN_DAYS_DEFAULT, MACHINE_TOKEN_DAYS_MAX } from "../../../../engine/access/machine-token.ts";
import { NO_STORE, NoStore } from "../../parts/factor-schemas.ts";
import { okBody } from "../../parts/relay-envelope.ts";
import { MachineRightWord } from "../../parts/schemas.ts";
import { actorOf, Username } from "../administrators/administrator.ts";
import { ok } from "../envelope.ts";
import { admin } from "../surface.ts";
import { example, MachineToken, shown } from "./machine-token.ts";

export const MachineTokenRequest = Type.Object(
  {
    name: Username,
    rights: Type.Array(MachineRightWord, { minItems: 1, maxItems: MACHINE_RIGHTS.length, uniqueItems: true }),
    expiresInDays: Type.Optional(Type.Integer({ minimum: 1, maximum: MACHINE_TOKEN_DAYS_MAX, default: MACHINE_TOKEN_DAYS_DEFAULT })),
  },
  { title: "MachineTokenRequest" },
);

export const MachineTokenWithSecret = Type.Object(
  { machineToken: MachineToken, token: Type.String({ description: "`mt_...`, the password in Basic. Shown in this response only." }) },
  { title: "MachineTokenWithSecret" },
);

export const createMachineToken = admin.endpoint({
  name: "createMachineToken",
  refusesUnknown: "access",
  method: "POST",
  path: "/admin/machine-tokens",
  tags: ["Administrator accounts"],
  summary: "Create a machine token",
  description:
    "A login for a program: its name and its token are sent as Basic. It opens what its rights name, at every node when the response is sent, until it expires or is deleted; it never administers people, secrets or factors.",
  auth: "admin",
  role: "owner",
  stepUp: true,
  body: MachineTokenRequest,
  bodyExample: { name: example.name, rights: example.rights },
  audit: { action: "machine-token.create", subject: ({ body }) => `${body.name} ${body.rights.join(" ")}` },
  responses: {
    201: {
      description: "Created.",
      body: okBody(MachineTokenWithSecret),
      headers: NoStore,
      example: { status: "ok", data: { machineToken: example, token: "mt_..." } },
    },
    ...admin.errors(400, 401, 403, 413, 415, 503),
  },
  handle: async ({ administerMachineTokens, clock }, { body, caller }) => {
    const { name, rights, expiresInDays: days = MACHINE_TOKEN_DAYS_DEFAULT } = body;
    const { record, token } = await administerMachineTokens.create(actorOf(caller), { name, rights, days });
    return { status: 201, body: ok({ machineToken: shown(record, clock.nowMs()), token }), headers: NO_STORE };
  },
});

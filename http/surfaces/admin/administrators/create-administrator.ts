import { Type } from "@sinclair/typebox";
import { admin } from "../surface.ts";
import { Administrator, actorOf, example, Password, Role, SHOWN_ONCE, shown, Username } from "./administrator.ts";

export const createAdministrator = admin.endpoint({
  name: "createAdministrator",
  refusesUnknown: "access",
  method: "POST",
  path: "/admin/administrators",
  tags: ["Administrator accounts"],
  summary: "Create an administrator",
  description:
    "Without `password` the relay generates one and shows it in this response only. The administrator can log in at every node when the response is sent.",
  auth: "admin",
  role: "owner",
  stepUp: true,
  firstByPassword: true,
  body: Type.Object({
    username: Username,
    role: Role,
    password: Type.Optional(Password),
    enabled: Type.Optional(Type.Boolean({ default: true })),
  }),
  bodyExample: { username: "anna", role: "operator" },
  audit: { action: "administrator.create", subject: ({ body }) => body.username },
  responses: {
    201: {
      description: "Created.",
      body: Type.Object({
        status: Type.Literal("ok"),
        data: Administrator,
        generatedPassword: Type.Optional(Type.String()),
        message: Type.String(),
      }),
      example: { status: "ok", data: example, generatedPassword: "...", message: `Administrator created. ${SHOWN_ONCE}` },
    },
    ...admin.errors(400, 401, 403, 413, 415, 503),
  },
  handle: async ({ administerAdministrators }, { body, caller }) => {
    const { username, role, password = null, enabled = true } = body;
    const created = await administerAdministrators.create(actorOf(caller), { username, role, password, enabled });
    const { administrator, generated } = created;
    return {
      status: 201,
      body: {
        status: "ok",
        data: shown(administrator),
        ...(generated === null ? {} : { generatedPassword: generated }),
        message: generated === null ? "Administrator created." : `Administrator created. ${SHOWN_ONCE}`,
      },
    };
  },
});

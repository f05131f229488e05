import { Type } from "@sinclair/typebox";
import { okBody } from "../parts/relay-envelope.ts";
import { NamedTerminalId } from "../parts/schemas.ts";
import { VersionParams } from "./schemas.ts";
import { apps } from "./surface.ts";

export const pushUpdate = apps.endpoint({
  name: "pushUpdate",
  refusesUnknown: "limits",
  method: "POST",
  path: "/admin/app-versions/{versionId}/push-update",
  summary: "Push an app update to connected terminals",
  description:
    "Sent to every session, a few at a time. It is not queued: a terminal that is not connected does not get it. The message is {uuid, service: FORCE_UPDATE, amount: 0, terminalId, apkUrl, versionCode, versionName, mandatory, md5, fileSize}.",
  auth: "admin",
  role: "operator",
  machine: "apps",
  audit: { action: "app-version.push", subject: ({ params, body }) => `${params.versionId} ${body?.terminalId ?? "all"}` },
  params: VersionParams,
  body: Type.Optional(
    Type.Object({ terminalId: Type.Optional(Type.Union([NamedTerminalId, Type.Null()], { errorMessage: "is not a terminal id" })) }),
  ),
  bodyExample: { terminalId: "SIM00001" },
  responses: {
    200: {
      description: "Sent.",
      body: okBody(
        Type.Object({
          uuid: Type.String(),
          service: Type.Literal("FORCE_UPDATE"),
          versionCode: Type.Integer(),
          terminalId: Type.Union([Type.String(), Type.Null()]),
          recipients: Type.Integer({ description: "The number of sessions that it was sent to." }),
          message: Type.String(),
        }),
      ),
    },
    ...apps.errors(400, 401, 404, 409, 413, 415, 503),
  },
  handle: async (operations, { params, body }) => {
    const terminalId = body?.terminalId ?? null;
    const { uuid, versionCode, recipients } = await operations.pushUpdate(params.versionId, terminalId);
    const message = recipients === 0 ? "Nobody is connected" : `Update sent to ${recipients} ${recipients === 1 ? "session" : "sessions"}`;
    return { status: 200, body: { status: "ok", data: { uuid, service: "FORCE_UPDATE", versionCode, terminalId, recipients, message } } };
  },
});

import { Type } from "@sinclair/typebox";
import { okBody } from "../parts/relay-envelope.ts";
import { NamedTerminalId } from "../parts/schemas.ts";
import { VERSION_EXAMPLE } from "./schemas.ts";
import { apps } from "./surface.ts";

const { id: _id, active: _active, createdAt: _createdAt, ...offered } = VERSION_EXAMPLE;

export const checkAppVersion = apps.endpoint({
  name: "checkAppVersion",
  method: "GET",
  path: "/api/v1/app/version",
  tags: ["Terminals"],
  summary: "Get the app version for a terminal",
  description:
    "A deployment to the terminal takes precedence over one to its merchant, and that one over a deployment to all. A version below the installed one is never offered. Without `currentVersionCode` the deployed version is always offered. The login may be left out. An offer is counted when the terminal asks with its login, or from the address of its last poll or WebSocket session.",
  auth: "optionalBasic",
  rateLimit: { bucket: "app-version", perSecond: 50 },
  query: Type.Object({
    terminalId: NamedTerminalId,
    currentVersionCode: Type.Optional(Type.Integer({ minimum: -2_147_483_648, maximum: 2_147_483_647 })),
  }),
  responses: {
    200: {
      description: "A newer version is available for this terminal.",
      body: okBody(
        Type.Object({
          id: Type.Integer(),
          versionCode: Type.Integer(),
          versionName: Type.String(),
          mandatory: Type.Boolean(),
          releaseNotes: Type.String(),
          apkUrl: Type.String({ description: "Use this address unchanged." }),
          md5: Type.String(),
          fileSize: Type.Integer(),
          deployment: Type.Union([Type.Literal("terminal"), Type.Literal("merchant"), Type.Literal("global")]),
        }),
      ),
      example: {
        status: "ok",
        data: { id: VERSION_EXAMPLE.id, ...offered, apkUrl: `${offered.apkUrl}?terminalId=SIM00001`, deployment: "global" },
      },
      headers: { "Cache-Control": { description: "no-store" } },
    },
    204: { description: "Up to date.", headers: { "Cache-Control": { description: "no-store" } } },
    ...apps.errors(400, 429),
  },
  handle: (operations, { query: { terminalId, currentVersionCode }, caller, request: { ipAddress } }) => {
    const offer = operations.checkAppVersion({ caller, ipAddress }, terminalId, currentVersionCode ?? null);
    const headers = { "Cache-Control": "no-store" };
    if (offer === null) return { status: 204 as const, headers };
    const { id, versionCode, versionName, mandatory, releaseNotes, package: file } = offer.version;
    const data = {
      id,
      versionCode,
      versionName,
      mandatory,
      releaseNotes,
      apkUrl: operations.packageUrl(file.fileName, terminalId),
      md5: file.md5,
      fileSize: file.bytes,
      deployment: offer.deployment.target.type,
    };
    return { status: 200 as const, headers, body: { status: "ok" as const, data } };
  },
});

import { type Static, Type } from "@sinclair/typebox";
import {
  INSTALL_LOG_BODY_BYTES_MAX,
  INSTALL_LOGS_PER_VERSION_MAX,
  type InstallLog,
  UNKNOWN_VERSION_CODE,
} from "../../../engine/apps/install-log.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { isTerminalId } from "../../../engine/kernel/identifiers.ts";
import { iso } from "../../endpoint/time.ts";
import { okBody, TextBody } from "../parts/relay-envelope.ts";
import { VersionParams } from "./schemas.ts";
import { apps } from "./surface.ts";

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 500;

export const recordInstall = apps.endpoint({
  name: "recordInstall",
  method: "POST",
  path: "/api/v1/app/install-log",
  tags: ["Terminals"],
  summary: "Create an install report",
  description: `Any JSON object is kept, for 30 days, with card numbers masked; of a version the latest ${INSTALL_LOGS_PER_VERSION_MAX} that its terminals report, and as many of others. A report updates the counts of the deployment if it says which terminal (\`terminalId\`, or the header \`X-Terminal-ID\`), which version (\`versionCode\`, a number or digits) and how it ended (\`status\`: \`completed\`, \`failed\` and kindred words, or \`success\`: true or false), and if it comes with the terminal's login, or from the address of its last poll or WebSocket session. The login may be left out. A terminal is counted once: a success after a failure counts as a success.`,
  auth: "optionalBasic",
  rateLimit: { bucket: "install-log", perSecond: 20 },
  bodyBytesMax: INSTALL_LOG_BODY_BYTES_MAX,
  bodyNesting: "any",
  headers: Type.Object({ "x-terminal-id": Type.Optional(Type.String({ description: "Read if the report names no terminal." })) }),
  body: Type.Object({}, { additionalProperties: true, description: "Free-form." }),
  bodyExample: { terminalId: "SIM00001", versionCode: 42, status: "completed", message: "installed in 12 s" },
  responses: { 200: { description: "Kept.", body: TextBody }, ...apps.errors(400, 413, 415, 429, 503) },
  handle: async (operations, { body, headers, caller, request: { ipAddress } }) => {
    const named = headers["x-terminal-id"]?.trim() ?? "";
    await operations.recordInstall.report({ reporter: { caller, ipAddress }, terminalId: isTerminalId(named) ? named : null, body });
    return { status: 200, body: { status: "ok", data: "Install report stored" } };
  },
});

const Query = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT, parameterName: "PageSize" })),
  fromTerminal: Type.Optional(Type.Boolean({ description: "Only those that terminals posted themselves, or only those of others." })),
});

const ShownLog = Type.Object(
  {
    id: Type.String(),
    receivedAt: Type.String({ description: "ISO 8601 UTC." }),
    terminalId: Type.Union([Type.String(), Type.Null()], { description: "Null if the report names none." }),
    versionCode: Type.Integer({ description: "0 if the report names no version that there is." }),
    status: Type.Union([Type.Literal("completed"), Type.Literal("failed"), Type.Null()], { description: "Null if it cannot be read." }),
    fromTerminal: Type.Boolean({
      description: "True if it came with the terminal's login or from its address. Only such reports are counted.",
    }),
    report: Type.Object({}, { additionalProperties: true, description: "The posted text, with card numbers masked." }),
  },
  { title: "InstallLog" },
);

export const listInstallLogs = apps.endpoint({
  name: "listInstallLogs",
  method: "GET",
  path: "/admin/app-versions/{versionId}/install-logs",
  summary: "List install reports of an app version",
  auth: "admin",
  role: "read-only",
  params: VersionParams,
  query: Query,
  responses: { 200: { description: "The reports.", body: okBody(Type.Array(ShownLog)) }, ...apps.errors(400, 401, 404, 503) },
  handle: async ({ appCatalog, installLogs }, { params, query }) => {
    const version = appCatalog.version(params.versionId);
    if (version === null) throw new RelayError("not_found", "There is no such version");
    const logs = await installLogs(version.versionCode, query.limit ?? LIMIT_DEFAULT, query.fromTerminal);
    return { status: 200, body: { status: "ok", data: logs.map(shown) } };
  },
});

export const listOtherInstallLogs = apps.endpoint({
  name: "listOtherInstallLogs",
  method: "GET",
  path: "/admin/app-versions/unknown/install-logs",
  summary: "List install reports of unknown app versions",
  auth: "admin",
  role: "read-only",
  query: Query,
  responses: { 200: { description: "The reports.", body: okBody(Type.Array(ShownLog)) }, ...apps.errors(400, 401, 503) },
  handle: async ({ installLogs }, { query }) => {
    const logs = await installLogs(UNKNOWN_VERSION_CODE, query.limit ?? LIMIT_DEFAULT, query.fromTerminal);
    return { status: 200, body: { status: "ok", data: logs.map(shown) } };
  },
});

function shown({ receivedAtMs, fromTerminal = false, body, ...log }: InstallLog): Static<typeof ShownLog> {
  return { ...log, receivedAt: iso(receivedAtMs), fromTerminal, report: JSON.parse(body) };
}

import { Type } from "@sinclair/typebox";
import { VERSION_CODE_MAX } from "../../../engine/apps/app-version.ts";
import { INSTALL_LOG_BODY_BYTES_MAX, INSTALL_LOGS_PER_VERSION_MAX } from "../../../engine/apps/install-log.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { isTerminalId } from "../../../engine/kernel/identifiers.ts";
import { okBody, TextBody } from "../relay-envelope.ts";
import { VersionParams } from "./schemas.ts";
import { apps } from "./surface.ts";

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 500;

export const recordInstall = apps.endpoint({
  name: "recordInstall",
  method: "POST",
  path: "/api/v1/app/install-log",
  summary: "Report that an install succeeded or failed",
  description: `Further members are allowed. Reports are kept for 30 days, the latest ${INSTALL_LOGS_PER_VERSION_MAX} of a version, with card numbers masked. They update the counts of the deployment. A terminal is counted once: a success after a failure counts as a success.`,
  auth: "none",
  rateLimit: { bucket: "install-log", perSecond: 20 },
  bodyBytesMax: INSTALL_LOG_BODY_BYTES_MAX,
  body: Type.Object(
    {
      terminalId: Type.String({ minLength: 1, maxLength: 64 }),
      versionCode: Type.Integer({ minimum: 1, maximum: VERSION_CODE_MAX }),
      status: Type.String({
        pattern: "^(?:[Cc][Oo][Mm][Pp][Ll][Ee][Tt][Ee][Dd]|[Ff][Aa][Ii][Ll][Ee][Dd])$",
        errorMessage: "must be completed or failed",
      }),
      message: Type.Optional(Type.Union([Type.String({ maxLength: 2_000 }), Type.Null()])),
    },
    { additionalProperties: true },
  ),
  bodyExample: { terminalId: "SIM00001", versionCode: 42, status: "completed", message: "installed in 12 s" },
  responses: { 200: { description: "Kept.", body: TextBody }, ...apps.errors(400, 413, 415, 429, 503) },
  handle: async (operations, { body }) => {
    const { terminalId, versionCode } = body;
    if (!isTerminalId(terminalId)) throw new RelayError("invalid_request", "terminalId: is not a terminal id");
    const status = body.status.toLowerCase() === "completed" ? "completed" : "failed";
    await operations.recordInstall.report({ terminalId, versionCode, status, body });
    return { status: 200, body: { status: "ok", data: "Install report stored" } };
  },
});

export const listInstallLogs = apps.endpoint({
  name: "listInstallLogs",
  method: "GET",
  path: "/admin/app-versions/{versionId}/install-logs",
  summary: "List the install reports for a version, newest first",
  auth: "admin",
  role: "read-only",
  params: VersionParams,
  query: Type.Object({ limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT })) }),
  responses: {
    200: {
      description: "The reports.",
      body: okBody(
        Type.Array(
          Type.Object({
            id: Type.String(),
            receivedAt: Type.String({ description: "ISO 8601 UTC." }),
            terminalId: Type.String(),
            versionCode: Type.Integer(),
            status: Type.Union([Type.Literal("completed"), Type.Literal("failed")]),
            report: Type.Object({}, { additionalProperties: true, description: "The posted text, with card numbers masked." }),
          }),
        ),
      ),
    },
    ...apps.errors(400, 401, 404, 503),
  },
  handle: async ({ appCatalog, installLogs }, { params, query }) => {
    const version = appCatalog.version(params.versionId);
    if (version === null) throw new RelayError("not_found", "There is no such version");
    const logs = await installLogs(version.versionCode, query.limit ?? LIMIT_DEFAULT);
    const data = logs.map(({ id, receivedAtMs, terminalId, versionCode, status, body }) => ({
      id,
      receivedAt: new Date(receivedAtMs).toISOString(),
      terminalId,
      versionCode,
      status,
      report: JSON.parse(body),
    }));
    return { status: 200, body: { status: "ok", data } };
  },
});

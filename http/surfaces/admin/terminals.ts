import { createHash } from "node:crypto";
import { type Static, Type } from "@sinclair/typebox";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { isTerminalId } from "../../../engine/kernel/identifiers.ts";
import type { DeviceInfo } from "../../../engine/sessions/presence.ts";
import type { TerminalView } from "../../../engine/terminals/terminals.ts";
import { connectionRecord } from "../parts/connection-record.ts";
import { okBody } from "../parts/relay-envelope.ts";
import { TerminalParams } from "../parts/schemas.ts";
import { type AdminOperations, admin } from "./surface.ts";
import { TerminalRecord } from "./terminal-record.ts";

const PAGE_DEFAULT = 100;
const PAGE_MAX = 500;

/** Computed when it is shown, so that no poll has to do it. */
function fingerprintOf({ fingerprint, userAgent, deviceModel, family }: DeviceInfo): string | undefined {
  if (fingerprint !== undefined) return fingerprint;
  if (userAgent === undefined && deviceModel === undefined) return undefined;
  return createHash("sha256")
    .update(JSON.stringify([userAgent, deviceModel, family]))
    .digest("hex")
    .slice(0, 32);
}

function record(view: TerminalView, { directory }: AdminOperations): Static<typeof TerminalRecord> {
  const fingerprint = fingerprintOf(view.device);
  return {
    ...connectionRecord(view),
    denied: directory.isDenied(view.terminalId),
    queued: view.queued,
    awaitingResult: view.sent,
    device: { ...view.device, ...(fingerprint === undefined ? {} : { fingerprint }) },
  };
}

export const listTerminals = admin.endpoint({
  name: "listTerminals",
  method: "GET",
  path: "/admin/terminals",
  summary: "List terminals",
  auth: "admin",
  role: "read-only",
  query: Type.Object({
    after: Type.Optional(Type.String({ maxLength: 64, pattern: "^[\\x21-\\x7e]*$", description: "The last id of the previous page." })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: PAGE_DEFAULT, parameterName: "PageSize" })),
  }),
  responses: {
    200: { description: "A page.", body: okBody(Type.Array(TerminalRecord)) },
    ...admin.errors(400, 401, 503),
  },
  handle: async (operations, { query }) => {
    const views = await operations.terminals.list({ after: query.after ?? "", limit: query.limit ?? PAGE_DEFAULT });
    const data = views.map((view) => record(view, operations));
    return { status: 200, body: { status: "ok", data } };
  },
});

export const showTerminal = admin.endpoint({
  name: "showTerminal",
  method: "GET",
  path: "/admin/terminals/{terminalId}",
  summary: "Get a terminal",
  auth: "admin",
  role: "read-only",
  params: TerminalParams,
  responses: {
    200: { description: "The terminal; NEVER_CONNECTED if it was never seen.", body: okBody(TerminalRecord) },
    ...admin.errors(400, 401, 503),
  },
  handle: async (operations, { params }) => {
    const view = await operations.terminals.connection(params.terminalId);
    return { status: 200, body: { status: "ok", data: record(view, operations) } };
  },
});

export const showTerminalCredentials = admin.endpoint({
  name: "showTerminalCredentials",
  method: "GET",
  path: "/admin/terminals/{terminalId}/credentials",
  summary: "Get the login of a terminal",
  description: "The password is derived from the installation's terminal secret. Nothing is stored or changed.",
  auth: "admin",
  role: "operator",
  machine: "never",
  stepUp: true,
  params: TerminalParams,
  responses: {
    200: {
      description: "The login.",
      body: okBody(Type.Object({ username: Type.String(), password: Type.String(), denied: Type.Boolean() })),
      headers: { "Cache-Control": { description: "no-store" } },
    },
    ...admin.errors(400, 401, 404),
  },
  handle: ({ terminalPassword, directory }, { params: { terminalId: username } }) => {
    const password = isTerminalId(username) ? terminalPassword(username) : null;
    if (password === null) throw new RelayError("not_found", "There is no login of this terminal");
    return {
      status: 200 as const,
      body: { status: "ok" as const, data: { username, password, denied: directory.isDenied(username) } },
      headers: { "Cache-Control": "no-store" },
    };
  },
});

const access = {
  method: "POST",
  auth: "admin",
  role: "operator",
  machine: "terminals",
  params: TerminalParams,
  body: Type.Optional(Type.Object({})),
  responses: {
    200: {
      description: "The change is in force on every live node.",
      body: okBody(Type.Object({ terminalId: Type.String(), denied: Type.Boolean() })),
    },
    ...admin.errors(400, 401, 503),
  },
} as const;

async function setDenied({ directory }: AdminOperations, terminalId: string, denied: boolean) {
  if (!isTerminalId(terminalId)) throw new RelayError("invalid_request", "terminalId: is not a terminal id");
  await directory.setDenied(terminalId, denied);
  return { status: 200 as const, body: { status: "ok" as const, data: { terminalId, denied } } };
}

export const denyTerminal = admin.endpoint({
  ...access,
  name: "denyTerminal",
  path: "/admin/terminals/{terminalId}/deny",
  summary: "Disable the login of a terminal",
  audit: { action: "terminal.deny" },
  description:
    "The terminal's sessions are ended and its requests are refused until the login is given back. Nobody else may act for it meanwhile: neither under the credential that the fleet shares nor as a terminal that manages it. A result that they post for it is kept for operators, answered 403, and does not count.",
  handle: (operations, { params }) => setDenied(operations, params.terminalId, true),
});

export const allowTerminal = admin.endpoint({
  ...access,
  name: "allowTerminal",
  path: "/admin/terminals/{terminalId}/allow",
  summary: "Enable the login of a terminal",
  audit: { action: "terminal.allow" },
  handle: (operations, { params }) => setDenied(operations, params.terminalId, false),
});

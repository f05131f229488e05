import { Type } from "@sinclair/typebox";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { isTerminalId } from "../../../engine/kernel/identifiers.ts";
import { okBody } from "../parts/relay-envelope.ts";
import { TerminalParams } from "../parts/schemas.ts";
import { type AdminOperations, admin } from "./surface.ts";
import { TerminalRecord } from "./terminal-record.ts";
import { terminalRecord } from "./terminal-view.ts";

const PAGE_DEFAULT = 100;
const PAGE_MAX = 500;

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
    const data = views.map((view) => terminalRecord(view, operations));
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
    200: { description: "The terminal; NEVER_CONNECTED if it never connected.", body: okBody(TerminalRecord) },
    ...admin.errors(400, 401, 503),
  },
  handle: async (operations, { params }) => {
    const view = await operations.terminals.connection(params.terminalId);
    return { status: 200, body: { status: "ok", data: terminalRecord(view, operations) } };
  },
});

export const showTerminalCredentials = admin.endpoint({
  name: "showTerminalCredentials",
  method: "GET",
  path: "/admin/terminals/{terminalId}/credentials",
  summary: "Get the login of a terminal",
  description: "The relay derives the password from the installation's terminal secret. Nothing is stored or changed.",
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
    if (password === null) throw new RelayError("not_found", "This terminal has no login");
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
      description: "Every live node applies the change.",
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
    "The relay ends the terminal's sessions and rejects its requests until the login is enabled again. Meanwhile nobody else may act for the terminal: neither with the credential that the fleet shares nor as a terminal that manages it. The relay answers 403 to a result that they post for it: the result is stored for operators and does not count.",
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

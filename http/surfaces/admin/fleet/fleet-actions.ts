import { type Static, Type } from "@sinclair/typebox";
import type { FleetOrder } from "../../../../engine/fleet/action.ts";
import type { FleetSelection } from "../../../../engine/fleet/actions.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { holdsSchemePan, maskSchemeValues } from "../../../../engine/kernel/mask.ts";
import { okBody } from "../../parts/relay-envelope.ts";
import { admin } from "../surface.ts";
import { actionDetail, actionItem, FleetActionDetail, FleetActionItem, FleetActionRequest } from "./fleet-schemas.ts";

const PAGE_DEFAULT = 50;
const PAGE_MAX = 100;

const EXAMPLE: Static<typeof FleetActionDetail> = {
  ...{ id: "fla_0a1b2c3d4e5f6g7h8i9j0k1l", type: "LOGS", state: "DONE", createdBy: "paola", terminals: 1 },
  ...{ createdAt: "2026-01-15T09:30:00.000Z", endedAt: "2026-01-15T09:30:01.000Z" },
  counts: { PENDING: 0, SENT: 1, QUEUED: 0, APPLIED: 0, REFUSED: 0, SKIPPED: 0 },
  tasks: [{ terminalId: "SIM00001", outcome: "SENT", refusal: null }],
};

const { tasks: _, ...ITEM_EXAMPLE } = EXAMPLE;

const ActionParams = Type.Object({ actionId: Type.String({ minLength: 1, maxLength: 64, parameterName: "FleetActionId" }) });

const createFleetAction = admin.endpoint({
  name: "createFleetAction",
  refusesUnknown: "access",
  method: "POST",
  path: "/admin/fleet/actions",
  summary: "Create an action on terminals",
  description:
    "The relay handles 20 terminals a second in the background, and records an outcome for each. At most 3 actions run at the same time. Actions are kept for 30 days.",
  auth: "admin",
  role: "operator",
  machine: "never",
  bodyBytesMax: 131_072,
  body: FleetActionRequest,
  bodyExample: { type: "LOGS", filter: { version: "4.1.0", connection: "ONLINE" } },
  audit: {
    action: "fleet.action",
    subject: ({ body }) => `${body.type} ${body.terminalIds === undefined ? "all that match" : body.terminalIds.length}`,
  },
  responses: {
    201: { description: "The relay begins with it.", body: okBody(FleetActionDetail), example: { status: "ok", data: EXAMPLE } },
    ...admin.errors(400, 401, 409, 413, 415, 503),
  },
  handle: async ({ fleetActions }, { body, caller }) => {
    const createdBy = caller.type === "administrator" ? caller.username : "";
    const action = await fleetActions.create(orderOf(body), selectionOf(body), createdBy);
    return { status: 201, body: { status: "ok", data: actionDetail(action) } };
  },
});

const listFleetActions = admin.endpoint({
  name: "listFleetActions",
  method: "GET",
  path: "/admin/fleet/actions",
  summary: "List actions on terminals",
  auth: "admin",
  role: "read-only",
  query: Type.Object({
    cursor: Type.Optional(Type.String({ maxLength: 200, description: "`next` of the previous page." })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: PAGE_DEFAULT })),
  }),
  responses: {
    200: {
      description: "A page, the newest first.",
      body: okBody(Type.Object({ items: Type.Array(FleetActionItem), next: Type.Union([Type.String(), Type.Null()]) })),
      example: { status: "ok", data: { items: [ITEM_EXAMPLE], next: null } },
    },
    ...admin.errors(400, 401, 503),
  },
  handle: async ({ fleetActions }, { query: { cursor = null, limit = PAGE_DEFAULT } }) => {
    const { items, next } = await fleetActions.list(limit, cursor);
    return { status: 200, body: { status: "ok", data: { items: items.map(actionItem), next } } };
  },
});

const showFleetAction = admin.endpoint({
  name: "showFleetAction",
  method: "GET",
  path: "/admin/fleet/actions/{actionId}",
  summary: "Get an action on terminals",
  auth: "admin",
  role: "read-only",
  params: ActionParams,
  responses: {
    200: {
      description: "The action, with the outcome at each terminal.",
      body: okBody(FleetActionDetail),
      example: { status: "ok", data: EXAMPLE },
    },
    ...admin.errors(400, 401, 404, 503),
  },
  handle: async ({ fleetActions }, { params }) => {
    const action = await fleetActions.find(params.actionId);
    return { status: 200, body: { status: "ok", data: actionDetail(action) } };
  },
});

const stopFleetAction = admin.endpoint({
  name: "stopFleetAction",
  method: "POST",
  path: "/admin/fleet/actions/{actionId}/stop",
  summary: "Stop an action on terminals",
  description: "Terminals that were not handled yet are skipped. What was sent is not recalled.",
  auth: "admin",
  role: "operator",
  machine: "never",
  params: ActionParams,
  body: Type.Optional(Type.Object({})),
  audit: { action: "fleet.stop" },
  responses: {
    200: { description: "Stopped.", body: okBody(FleetActionDetail), example: { status: "ok", data: { ...EXAMPLE, state: "STOPPED" } } },
    ...admin.errors(400, 401, 404, 409, 413, 415, 503),
  },
  handle: async ({ fleetActions }, { params }) => {
    const action = await fleetActions.stop(params.actionId);
    return { status: 200, body: { status: "ok", data: actionDetail(action) } };
  },
});

export const fleetActionEndpoints = [createFleetAction, listFleetActions, showFleetAction, stopFleetAction];

type Request = Static<typeof FleetActionRequest>;

function selectionOf({ terminalIds, filter }: Request): FleetSelection {
  if (terminalIds !== undefined && filter === undefined) return { terminalIds };
  if (filter !== undefined && terminalIds === undefined) return { filter };
  throw invalid("terminalIds: exactly one of terminalIds and filter is needed");
}

function orderOf({ type, group, settings, versionId }: Request): FleetOrder {
  if (type !== "SETTINGS" && (group !== undefined || settings !== undefined)) throw invalid("type: only SETTINGS has a group and settings");
  if (type !== "INSTALL" && versionId !== undefined) throw invalid("type: only INSTALL has a versionId");
  switch (type) {
    case "SETTINGS": {
      if (group === undefined && settings === undefined) throw invalid("settings: a group or settings are needed");
      if (holdsSchemePan(group ?? "")) throw invalid("group: must not be a card number");
      const odd = Object.keys(settings ?? {}).some((name) => !/^[A-Za-z0-9._-]{1,64}$/.test(name));
      if (odd) throw invalid("settings: names are 1 to 64 letters, digits, dots, underscores or dashes");
      return {
        type,
        ...(group === undefined ? {} : { group }),
        ...(settings === undefined ? {} : { settings: maskSchemeValues(settings) }),
      };
    }
    case "INSTALL":
      if (versionId === undefined) throw invalid("versionId: is required");
      return { type, versionId };
    default:
      return { type };
  }
}

function invalid(message: string): RelayError {
  return new RelayError("invalid_request", message);
}

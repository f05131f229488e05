import { type Static, Type } from "@sinclair/typebox";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { holdsSchemePan, maskPans } from "../../../engine/kernel/mask.ts";
import {
  GROUP_MANAGERS_MAX,
  GROUP_TERMINALS_MAX,
  TERMINAL_GROUPS_MAX,
  type TerminalGroup,
} from "../../../engine/settings/terminal-groups.ts";
import { iso } from "../../endpoint/time.ts";
import { ReadOnly } from "../../endpoint/unknown-members.ts";
import { okBody } from "../parts/relay-envelope.ts";
import { givenText, NamedTerminalId } from "../parts/schemas.ts";
import { admin } from "./surface.ts";

const Name = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: "^[A-Za-z0-9][A-Za-z0-9 ._-]*$",
  errorMessage: "must be 1 to 64 letters, digits, blanks, dots, underscores or dashes",
});

const Group = Type.Object(
  {
    name: Type.String(),
    terminalIds: Type.Array(Type.String(), { description: "The members." }),
    managerTerminalIds: Type.Array(Type.String(), { description: "Each manager may subscribe, poll and post for each member." }),
    enabled: Type.Boolean(),
    notes: Type.Optional(Type.String()),
    updatedAt: Type.String({ description: "ISO 8601 UTC." }),
  },
  { title: "TerminalGroup" },
);

const GroupRequest = Type.Object(
  {
    name: Name,
    terminalIds: Type.Array(NamedTerminalId, { minItems: 1, maxItems: GROUP_TERMINALS_MAX, uniqueItems: true }),
    managerTerminalIds: Type.Array(NamedTerminalId, { maxItems: GROUP_MANAGERS_MAX, uniqueItems: true }),
    enabled: Type.Optional(Type.Boolean({ default: true })),
    notes: Type.Optional(Type.Union([Type.String({ maxLength: 1_000 }), Type.Null()])),
    updatedAt: ReadOnly,
  },
  { title: "TerminalGroupRequest" },
);

function shown({ name, terminalIds, managerTerminalIds, enabled, notes, updatedAtMs }: TerminalGroup): Static<typeof Group> {
  return {
    name,
    terminalIds: [...terminalIds],
    managerTerminalIds: [...managerTerminalIds],
    enabled,
    ...(notes === null ? {} : { notes }),
    updatedAt: iso(updatedAtMs),
  };
}

const example = {
  name: "shop 1",
  terminalIds: ["SIM00001", "SIM00002"],
  managerTerminalIds: ["MANAGER1"],
  enabled: true,
  updatedAt: "2025-11-21T04:40:00.000Z",
};

const listTerminalGroups = admin.endpoint({
  name: "listTerminalGroups",
  method: "GET",
  path: "/admin/terminal-groups",
  summary: "List terminal groups",
  auth: "admin",
  role: "read-only",
  responses: {
    200: { description: "All groups.", body: okBody(Type.Array(Group)), example: { status: "ok", data: [example] } },
    ...admin.errors(401),
  },
  handle: ({ terminalGroups }) => {
    const groups = [...terminalGroups.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
    return { status: 200 as const, body: { status: "ok" as const, data: groups.map(shown) } };
  },
});

const saveTerminalGroup = admin.endpoint({
  name: "saveTerminalGroup",
  refusesUnknown: "access",
  method: "POST",
  path: "/admin/terminal-groups",
  summary: "Set a terminal group",
  description:
    "The change is in force on every node when the response is sent. Sessions that may no longer subscribe to a topic are ended.",
  auth: "admin",
  role: "operator",
  machine: "terminals",
  bodyBytesMax: 131_072,
  body: GroupRequest,
  bodyExample: { name: "shop 1", terminalIds: ["SIM00001", "SIM00002"], managerTerminalIds: ["MANAGER1"] },
  audit: { action: "terminal-group.save", subject: ({ body }) => body.name },
  responses: {
    200: { description: "The group.", body: okBody(Group), example: { status: "ok", data: example } },
    ...admin.errors(400, 401, 413, 415, 503),
  },
  handle: async ({ terminalGroups, clock }, { body }) => {
    const { name, terminalIds, managerTerminalIds, enabled = true } = body;
    const notes = givenText(body.notes);
    if (holdsSchemePan(name)) throw new RelayError("invalid_request", "name: must not be a card number");
    if (terminalGroups.get(name) === undefined && terminalGroups.size >= TERMINAL_GROUPS_MAX) {
      throw new RelayError("invalid_request", `There are ${TERMINAL_GROUPS_MAX} groups already`);
    }
    const group: TerminalGroup = {
      schema: 1,
      name,
      terminalIds,
      managerTerminalIds,
      enabled,
      notes: notes === null ? null : maskPans(notes),
      updatedAtMs: clock.nowMs(),
    };
    await terminalGroups.save(name, group);
    return { status: 200, body: { status: "ok", data: shown(group) } };
  },
});

const deleteTerminalGroup = admin.endpoint({
  name: "deleteTerminalGroup",
  method: "DELETE",
  path: "/admin/terminal-groups/{name}",
  summary: "Delete a terminal group",
  auth: "admin",
  role: "operator",
  machine: "terminals",
  params: Type.Object({ name: Name }),
  audit: { action: "terminal-group.delete" },
  responses: {
    200: { description: "Gone.", body: okBody(Type.Object({ name: Type.String() })) },
    ...admin.errors(400, 401, 404, 503),
  },
  handle: async ({ terminalGroups }, { params: { name } }) => {
    if (!(await terminalGroups.remove(name))) throw new RelayError("not_found", "There is no such group");
    return { status: 200, body: { status: "ok", data: { name } } };
  },
});

const testTerminalGroup = admin.endpoint({
  name: "testTerminalGroup",
  method: "POST",
  path: "/admin/terminal-groups/test",
  summary: "Test whether a terminal can manage another one",
  description: "Considers the enabled groups only. A whitelist rule may also allow it to subscribe to the topic.",
  auth: "admin",
  role: "read-only",
  body: Type.Object({ managerTerminalId: NamedTerminalId, terminalId: NamedTerminalId }),
  bodyExample: { managerTerminalId: "MANAGER1", terminalId: "SIM00001" },
  audit: "changes nothing",
  responses: {
    200: {
      description: "The decision.",
      body: okBody(
        Type.Object({
          allowed: Type.Boolean(),
          managerTerminalId: Type.String(),
          terminalId: Type.String(),
          groups: Type.Array(Type.String(), { description: "Names of the enabled groups that allow it." }),
        }),
      ),
      example: { status: "ok", data: { allowed: true, managerTerminalId: "MANAGER1", terminalId: "SIM00001", groups: ["shop 1"] } },
    },
    ...admin.errors(400, 401, 413, 415),
  },
  handle: ({ terminalGroups }, { body: { managerTerminalId, terminalId } }) => {
    const groups = [...terminalGroups.values()]
      .filter((group) => group.enabled && group.managerTerminalIds.includes(managerTerminalId) && group.terminalIds.includes(terminalId))
      .map(({ name }) => name);
    const allowed = managerTerminalId === terminalId || terminalGroups.managedBy(managerTerminalId)?.has(terminalId) === true;
    return { status: 200 as const, body: { status: "ok" as const, data: { allowed, managerTerminalId, terminalId, groups } } };
  },
});

export const terminalGroupEndpoints = [listTerminalGroups, saveTerminalGroup, deleteTerminalGroup, testTerminalGroup];

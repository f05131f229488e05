import { Type } from "@sinclair/typebox";
import { choicesOf } from "../../../../engine/fleet/fleet.ts";
import { FLEET_ACTION_TERMINALS_MAX } from "../../../../engine/fleet/words.ts";
import { okBody } from "../../parts/relay-envelope.ts";
import { admin } from "../surface.ts";
import { terminalRecord } from "../terminal-view.ts";
import { FLEET_FILTERS, FleetSummary, FleetTerminalSchema } from "./fleet-schemas.ts";

const PAGE_DEFAULT = 50;
const PAGE_MAX = 500;

export const listFleet = admin.endpoint({
  name: "listFleet",
  method: "GET",
  path: "/admin/fleet/terminals",
  summary: "List terminals of the fleet",
  description:
    "Lists the terminals that match all filters, by id. The relay examines up to 20,000 terminals, and shares a look for some seconds.",
  auth: "admin",
  role: "read-only",
  query: Type.Object({
    ...FLEET_FILTERS,
    cursor: Type.Optional(Type.String({ maxLength: 64, pattern: "^[\\x21-\\x7e]*$", description: "`next` of the previous page." })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: PAGE_DEFAULT })),
  }),
  responses: {
    200: {
      description: "A page.",
      body: okBody(
        Type.Object({
          items: Type.Array(FleetTerminalSchema),
          next: Type.Union([Type.String(), Type.Null()], { description: "Null if there are no further terminals." }),
        }),
      ),
    },
    ...admin.errors(400, 401, 503),
  },
  handle: async (operations, { query: { cursor = "", limit = PAGE_DEFAULT, ...filter } }) => {
    const { terminals } = await operations.fleet.matching(filter);
    const left = terminals.filter(({ view }) => view.terminalId > cursor);
    const page = left.slice(0, limit);
    const items = page.map(({ view, merchantId, group }) => ({ ...terminalRecord(view, operations), merchantId, group }));
    return { status: 200, body: { status: "ok", data: { items, next: left.length > limit ? (items.at(-1)?.terminalId ?? null) : null } } };
  },
});

export const showFleet = admin.endpoint({
  name: "showFleet",
  method: "GET",
  path: "/admin/fleet",
  summary: "Get the figures of the fleet",
  description:
    "Counts the terminals that match all filters. The choices are the most frequent values of all terminals, whatever the filters are.",
  auth: "admin",
  role: "read-only",
  query: Type.Object(FLEET_FILTERS),
  responses: {
    200: { description: "The figures.", body: okBody(FleetSummary) },
    ...admin.errors(400, 401, 503),
  },
  handle: async ({ fleet }, { query }) => {
    const [{ terminals, isComplete }, matching] = await Promise.all([fleet.all(), fleet.matching(query)]);
    const data = {
      matching: matching.terminals.length,
      complete: isComplete,
      actionTerminalsMax: FLEET_ACTION_TERMINALS_MAX,
      versions: choicesOf(terminals, ({ view }) => view.device.appVersion),
      models: choicesOf(terminals, ({ view }) => view.device.deviceModel),
      groups: choicesOf(terminals, ({ group }) => group),
    };
    return { status: 200, body: { status: "ok", data } };
  },
});

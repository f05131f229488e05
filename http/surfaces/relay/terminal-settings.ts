import { Type } from "@sinclair/typebox";
import { mayActAs } from "../../../engine/access/caller.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { okBody } from "../parts/relay-envelope.ts";
import { TerminalParams } from "../parts/schemas.ts";
import { relay, type TerminalSettings } from "./surface.ts";

/** On the answers of the poll: a terminal that keeps no connection learns from it that there is something to fetch. */
export const SETTINGS_HEADER = {
  "Relay-Settings": {
    description:
      "Version of the settings that the administrator defined for this terminal. If it differs from the version that the terminal has, the terminal fetches GET /api/v1/{terminalId}/settings. Absent if there are no settings.",
    schema: Type.Integer(),
  },
} as const;

/** Null where the terminal has no settings: its poll is answered as if there were no such thing. */
export function settingsHeader(settings: TerminalSettings | null): { "Relay-Settings": string } | null {
  return settings === null ? null : { "Relay-Settings": String(settings.version) };
}

export const showSettings = relay.endpoint({
  name: "terminalSettings",
  method: "GET",
  path: "/api/v1/{terminalId}/settings",
  tags: ["Terminals"],
  summary: "Get the settings of a terminal",
  description:
    "For terminals that poll: the same settings that are sent as CONFIG over WebSocket. Fetch them at the start, and when the header `Relay-Settings` of a poll has another version.",
  auth: "basic",
  needs: "act",
  rateLimit: { bucket: "get", perSecond: 100, raisable: "get" },
  params: TerminalParams,
  responses: {
    200: {
      description: "All settings; an empty object and version 0 if there are none.",
      body: okBody(
        Type.Object({
          terminalId: Type.String(),
          version: Type.Integer({ description: "Changes with every change of the terminal's configuration." }),
          settings: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]), {
            description: "As set by the administrator. The terminal app defines what they mean.",
          }),
        }),
      ),
      example: {
        status: "ok",
        data: { terminalId: "SIM00001", version: 1763700000000, settings: { idleText: "Welcome", brightness: 80 } },
      },
    },
    ...relay.errors(400, 401, 403, 429, 503),
  },
  handle: ({ terminalSettings }, { params: { terminalId }, caller }) => {
    if (!mayActAs(caller, terminalId)) throw new RelayError("forbidden", "Not permitted for this terminal");
    const { version, settings } = terminalSettings(terminalId) ?? { version: 0, settings: {} };
    return { status: 200, body: { status: "ok", data: { terminalId, version, settings: { ...settings } } } };
  },
});

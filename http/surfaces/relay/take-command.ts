import { mayActAs } from "../../../engine/access/caller.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { TakenCommand } from "../../../engine/terminals/terminals.ts";
import { TerminalParams } from "../parts/schemas.ts";
import { COMMAND_EXAMPLE, CommandPayload } from "../parts/terminal-messages.ts";
import { DeviceHeaders, deviceOf } from "./device.ts";
import { relay } from "./surface.ts";
import { SETTINGS_HEADER, settingsHeader } from "./terminal-settings.ts";

const NOTHING = { status: 204 } as const;

type PollHeaders = ReturnType<typeof settingsHeader>;

function nothing(headers: PollHeaders) {
  return headers === null ? NOTHING : ({ status: 204, headers } as const);
}

function taken({ text }: TakenCommand, headers: PollHeaders, notWritten: () => void) {
  return headers === null ? ({ status: 200, text, notWritten } as const) : ({ status: 200, text, headers, notWritten } as const);
}

export const takeCommand = relay.endpoint({
  name: "takeCommand",
  method: "GET",
  path: "/api/v1/{terminalId}/get",
  tags: ["Terminals"],
  summary: "Take the oldest waiting command",
  description:
    "For the terminal itself. The command is read and removed in one step, so each command is handed out once. The poll counts as activity (connectionType POLLING) and records the device. If the terminal has settings, each response contains their version in `Relay-Settings`.",
  auth: "basic",
  needs: "act",
  handsOut: true,
  rateLimit: { bucket: "get", perSecond: 100, raisable: "get" },
  params: TerminalParams,
  headers: DeviceHeaders,
  responses: {
    200: {
      description: "The oldest waiting command.",
      body: CommandPayload,
      example: COMMAND_EXAMPLE,
      headers: SETTINGS_HEADER,
    },
    204: {
      description:
        "No command waits. A command that another node has just accepted may take some milliseconds to appear: poll again as usual.",
      headers: SETTINGS_HEADER,
    },
    ...relay.errors(400, 401, 403, 429, 503),
  },
  handle: ({ terminals, terminalSettings }, { params, headers, caller, request }) => {
    if (!mayActAs(caller, params.terminalId)) throw new RelayError("forbidden", "Not permitted for this terminal");
    const { terminalId } = params;
    const polled = terminals.poll(terminalId, deviceOf(headers, request.ipAddress));
    const news = settingsHeader(terminalSettings(terminalId));
    // Nothing waits: answered in this turn, without a promise.
    if (polled === null) return nothing(news);
    return polled.then((command) =>
      command === null ? nothing(news) : taken(command, news, () => terminals.notHandedOut(terminalId, command)),
    );
  },
});

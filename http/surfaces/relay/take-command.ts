import { Type } from "@sinclair/typebox";
import { mayActAs } from "../../../engine/access/caller.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { TakenCommand } from "../../../engine/terminals/terminals.ts";
import { TerminalParams } from "../identifier-params.ts";
import { DeviceHeaders, deviceOf } from "./device.ts";
import { relay } from "./surface.ts";
import { SETTINGS_HEADER, settingsHeader } from "./terminal-settings.ts";

/** A command as the terminal gets it: the partner's members and what the relay adds. */
const CommandPayload = Type.Object(
  {
    uuid: Type.String(),
    service: Type.String(),
    amount: Type.Integer(),
    terminalId: Type.String(),
    expiresAt: Type.String({ description: "ISO 8601 UTC. The terminal must not start the command after this time." }),
    serverTime: Type.String({ description: "ISO 8601 UTC, when it was sent." }),
    redelivered: Type.Optional(
      Type.Boolean({ description: "True if it was sent before. The terminal must not execute a uuid again that it has already executed." }),
    ),
    attempt: Type.Optional(Type.Integer({ minimum: 2 })),
  },
  { title: "CommandPayload", additionalProperties: true },
);

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
  rateLimit: { bucket: "get", perSecond: 100 },
  params: TerminalParams,
  headers: DeviceHeaders,
  responses: {
    200: {
      description: "The oldest waiting command.",
      body: CommandPayload,
      example: {
        uuid: "7d9f0a52-6c2e-4a83-9f5d-2c1d0d1b8f11",
        amount: 1050,
        service: "PAYCC",
        terminalId: "SIM00001",
        expiresAt: "2026-11-21T10:01:00.000Z",
        serverTime: "2026-11-21T10:00:00.120Z",
      },
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

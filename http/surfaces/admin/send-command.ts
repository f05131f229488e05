import { Type } from "@sinclair/typebox";
import { COMMAND_BODY_BYTES_MAX } from "../../../engine/kernel/limits.ts";
import { PAYMENT_SERVICES } from "../../../engine/payments/command.ts";
import { terminalQueueFull } from "../../../engine/terminals/terminal-queue-full.ts";
import { duplicateReply, neverSeenText, queueFullResponse, refusedResponse } from "../parts/command-refusals.ts";
import { okBody } from "../parts/relay-envelope.ts";
import { COMMAND_UUID, TerminalParams } from "../parts/schemas.ts";
import { admin } from "./surface.ts";

export const sendCommand = admin.endpoint({
  name: "sendAdministratorCommand",
  method: "POST",
  path: "/admin/terminal/{terminalId}/command",
  summary: "Send a command to a terminal",
  description:
    "Accepts LOGCAT, SCAN, PRINT and other service names; payments and CANCEL are refused. The command expires after 60 seconds, like every command.",
  auth: "admin",
  role: "operator",
  machine: "payments",
  bodyBytesMax: COMMAND_BODY_BYTES_MAX,
  bodyTexts: "as sent",
  params: TerminalParams,
  body: Type.Object(
    {
      uuid: Type.Optional(Type.Unknown({ ...COMMAND_UUID, type: ["string", "null"], description: "Generated when omitted." })),
      service: Type.Unknown({ type: "string", pattern: `^(?!(?:${[...PAYMENT_SERVICES, "CANCEL"].join("|")})$)[A-Z0-9_]{1,32}$` }),
      amount: Type.Optional(Type.Unknown({ enum: [0, null] })),
    },
    { additionalProperties: true },
  ),
  bodyExample: { service: "LOGCAT" },
  audit: { action: "terminal.command", subject: ({ params, body }) => `${params.terminalId} ${String(body.service)}` },
  responses: {
    200: {
      description: "Stored and forwarded.",
      body: okBody(Type.Object({ terminalID: Type.String(), uuid: Type.String(), service: Type.String(), message: Type.String() })),
    },
    400: refusedResponse,
    429: queueFullResponse,
    ...admin.errors(401, 413, 415, 503),
  },
  handle: async ({ sendUtility }, { params, body, caller }) => {
    const { command, outcome } = await sendUtility("administrative", caller, params.terminalId, body);
    if (outcome.type === "duplicate") return duplicateReply(command.uuid, outcome.state);
    if (outcome.type === "queue_full") throw terminalQueueFull(outcome);
    const { terminalId: terminalID, uuid, service } = command;
    const where = outcome.state === "sent" ? "sent to the terminal" : "waits for the terminal";
    const message = `Command ${where}${neverSeenText(outcome)}`;
    return { status: 200, body: { status: "ok", data: { terminalID, uuid, service, message } } };
  },
});

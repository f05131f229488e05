import { Type } from "@sinclair/typebox";
import type { Caller } from "../../../engine/access/caller.ts";
import { COMMAND_BODY_BYTES_MAX } from "../../../engine/kernel/limits.ts";
import { PRINT_LABEL_CHARS_MAX, PRINT_TEXT_CHARS_MAX } from "../../../engine/payments/utility-request.ts";
import type { UtilitySent } from "../../../engine/terminals/send-payment.ts";
import { terminalQueueFull } from "../../../engine/terminals/terminal-queue-full.ts";
import { neverSeenText, queueFullResponse, refusedResponse, repeatedReply } from "../parts/command-refusals.ts";
import { okBody } from "../parts/relay-envelope.ts";
import { COMMAND_UUID, TerminalParams } from "../parts/schemas.ts";
import { type RelayOperations, relay } from "./surface.ts";

const commandSent = (service: "SCAN" | "PRINT") =>
  okBody(
    Type.Object({
      terminalID: Type.String(),
      uuid: Type.String({ description: "Use it to read the result." }),
      service: Type.Literal(service),
      message: Type.String(),
    }),
  );

/** Neither pays: a caller who sends it to the wrong path is told so. */
const noPayment = (service: "SCAN" | "PRINT") => ({
  service: Type.Optional(Type.Unknown({ enum: [service, null] })),
  amount: Type.Optional(Type.Unknown({ enum: [0, null], description: "Nothing is paid." })),
});

/** The reply to a SCAN or PRINT; a repeated uuid and a full queue are answered as for a payment. */
async function reply<S extends "SCAN" | "PRINT">(service: S, { commandLife }: RelayOperations, caller: Caller, sent: UtilitySent) {
  const { command, outcome } = sent;
  if (outcome.type === "duplicate") return repeatedReply(commandLife, caller, command.uuid);
  if (outcome.type === "queue_full") throw terminalQueueFull(outcome);
  const where = outcome.state === "sent" ? "sent to the terminal" : "waits for the terminal";
  const message = `${service} command ${where}${neverSeenText(outcome)}`;
  return {
    status: 200 as const,
    body: { status: "ok" as const, data: { terminalID: command.terminalId, uuid: command.uuid, service, message } },
  };
}

export const sendScan = relay.endpoint({
  name: "sendScan",
  method: "POST",
  path: "/api/v1/{terminalId}/scan",
  summary: "Send a scan to a terminal",
  auth: "basicOrApiKey",
  needs: "send",
  rateLimit: { bucket: "scan", perSecond: 10, raisable: "pay" },
  bodyBytesMax: COMMAND_BODY_BYTES_MAX,
  bodyTexts: "as sent",
  params: TerminalParams,
  body: Type.Optional(
    Type.Object(
      {
        uuid: Type.Optional(Type.Unknown({ ...COMMAND_UUID, type: ["string", "null"], description: "Generated when omitted." })),
        ...noPayment("SCAN"),
      },
      { additionalProperties: true },
    ),
  ),
  responses: {
    200: { description: "Stored and forwarded.", body: commandSent("SCAN") },
    400: refusedResponse,
    429: queueFullResponse,
    ...relay.errors(401, 403, 413, 415, 503),
  },
  handle: async (operations, { params, body, caller }) =>
    reply("SCAN", operations, caller, await operations.sendUtility("scan", caller, params.terminalId, body)),
});

export const sendPrint = relay.endpoint({
  name: "sendPrint",
  method: "POST",
  path: "/api/v1/{terminalId}/print",
  summary: "Send a print to a terminal",
  auth: "basicOrApiKey",
  needs: "send",
  rateLimit: { bucket: "print", perSecond: 10, raisable: "pay" },
  bodyBytesMax: COMMAND_BODY_BYTES_MAX,
  bodyTexts: "as sent",
  params: TerminalParams,
  body: Type.Object(
    {
      uuid: Type.Optional(Type.Unknown({ ...COMMAND_UUID, type: ["string", "null"], description: "Generated when omitted." })),
      type: Type.Optional(Type.Unknown({ enum: ["qr", "text", null], description: "Default: text." })),
      text: Type.Unknown({
        type: "string",
        minLength: 1,
        maxLength: PRINT_TEXT_CHARS_MAX,
        description: "Text to print, or the content of the QR code.",
      }),
      label: Type.Optional(
        Type.Unknown({
          type: ["string", "null"],
          maxLength: PRINT_LABEL_CHARS_MAX,
          description: "Caption above the QR code; only with type qr.",
        }),
      ),
      ...noPayment("PRINT"),
    },
    { additionalProperties: true },
  ),
  bodyExample: { text: "Thank you", type: "text" },
  responses: {
    200: { description: "Stored and forwarded.", body: commandSent("PRINT") },
    400: refusedResponse,
    429: queueFullResponse,
    ...relay.errors(401, 403, 413, 415, 503),
  },
  handle: async (operations, { params, body, caller }) =>
    reply("PRINT", operations, caller, await operations.sendUtility("print", caller, params.terminalId, body)),
});

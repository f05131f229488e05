import { type Static, Type } from "@sinclair/typebox";
import { AMOUNT_MINOR_MAX, COMMAND_BODY_BYTES_MAX } from "../../../engine/kernel/limits.ts";
import type { PaymentRequested } from "../../../engine/terminals/send-payment.ts";
import type { Input } from "../../endpoint/endpoint.ts";
import { queueFull, refusedResponse, repeatedReply } from "../command-refusals.ts";
import { TerminalParams } from "../identifier-params.ts";
import { type RelayOperations, relay } from "./surface.ts";

/**
 * The documented members; the engine checks them (each error names its member), so that here they only have to be known. Others pass
 * through to the terminal.
 */
const PaymentRequest = Type.Object(
  {
    uuid: Type.Unknown({
      type: "string",
      description:
        "Partner-generated unique id; one already processed is refused. A UUID is the same in capitals and in small letters, and is shown as it was sent.",
    }),
    amount: Type.Optional(
      Type.Unknown({ type: "integer", minimum: 1, maximum: AMOUNT_MINOR_MAX, description: "Minor units; ignored for VERIFYTAG." }),
    ),
    service: Type.Unknown({ type: "string", enum: ["PAYCC", "PAYTAG", "VERIFYTAG", "PAYBP", "PAYSAT"] }),
    type: Type.Optional(Type.Unknown({ type: "string", enum: ["CARD", "SATISPAY", "VOUCHER", "RECEIPT"] })),
    cardType: Type.Optional(Type.Unknown({ type: "integer", enum: [0, 1, 2], description: "0 automatic, 1 debit, 2 credit." })),
    terminalId: Type.Optional(Type.Unknown({ type: "string", description: "Required by POST /api/v1/pay." })),
    tagDF8105: Type.Optional(Type.Unknown({ type: ["string", "null"], description: "Hex-encoded ASCII; gateway link id." })),
    tagDF8102: Type.Optional(Type.Unknown({ type: ["string", "null"], description: "Hex-encoded ASCII; contract id." })),
    tagDF8103: Type.Optional(Type.Unknown({ type: ["string", "null"], description: "Hex-encoded ASCII; device IMEI." })),
    tagDF8109: Type.Optional(
      Type.Unknown({
        enum: ["30", "32", "36", null],
        description: "Hex-encoded ASCII; `32` generate token, `30` none, `36` request only.",
      }),
    ),
    description: Type.Optional(Type.Unknown({ type: "string" })),
  },
  { additionalProperties: true, description: "Free-form; further members reach the terminal unchanged." },
);

const PaymentReceived = Type.Object({
  status: Type.Literal("ok"),
  data: Type.Object({
    terminalID: Type.String(),
    received: Type.Object({}, { additionalProperties: true, description: "The request as it came." }),
  }),
  message: Type.String(),
});

type PaymentInput = Input<unknown, unknown, unknown, Static<typeof PaymentRequest>>;

const MESSAGES = { sent: "Payment request sent to the terminal", queued: "Payment request waits for the terminal" } as const;

const payment = {
  method: "POST",
  rateLimit: { bucket: "pay", perSecond: 10 },
  bodyBytesMax: COMMAND_BODY_BYTES_MAX,
  bodyTexts: "as sent",
  body: PaymentRequest,
  bodyExample: { uuid: "7d9f0a52-6c2e-4a83-9f5d-2c1d0d1b8f11", amount: 1050, service: "PAYCC" },
  responses: {
    200: {
      description: "Stored and forwarded; the result is asked for by status or uuid.",
      body: PaymentReceived,
      example: {
        status: "ok",
        data: { terminalID: "SIM00001", received: { uuid: "7d9f0a52-6c2e-4a83-9f5d-2c1d0d1b8f11", amount: 1050, service: "PAYCC" } },
        message: MESSAGES.sent,
      },
    },
    400: refusedResponse,
    ...relay.errors(401, 403, 413, 415, 429, 503),
  },
} as const;

function pay({ sendPayment, commandLife }: RelayOperations, terminalId: string | null, { body, bodyText, caller }: PaymentInput) {
  return sendPayment(caller, terminalId, body).then(
    (requested): PaymentReply | Promise<PaymentReply> => replyTo(requested, bodyText) ?? repeatedReply(commandLife, caller, requested.uuid),
  );
}

type PaymentReply = NonNullable<ReturnType<typeof replyTo>> | Awaited<ReturnType<typeof repeatedReply>>;

/** Null for a repeated uuid. */
function replyTo({ terminalId, outcome }: PaymentRequested, bodyText: string) {
  if (outcome.type === "duplicate") return null;
  if (outcome.type === "queue_full") throw queueFull();
  // Echoes the bytes that came: they were checked to be a JSON object.
  const received = `{"status":"ok","data":{"terminalID":"${terminalId}","received":${bodyText}},"message":"${MESSAGES[outcome.state]}"}`;
  return { status: 200 as const, text: received };
}

export const sendPayment = relay.endpoint({
  ...payment,
  name: "sendPayment",
  path: "/api/v1/{terminalId}/pay",
  summary: "Sends a payment to a terminal",
  description:
    "200 means stored: the terminal gets it at once over WebSocket or at its next poll, within 60 seconds. 503 means not confirmed: ask again with the same uuid; a duplicate then means that it was accepted. 429 also when 16 commands wait already.",
  auth: "basicOrApiKey",
  params: TerminalParams,
  handle: (operations, input) => pay(operations, input.params.terminalId, input),
});

export const sendPaymentByBody = relay.endpoint({
  ...payment,
  name: "sendPaymentByBody",
  path: "/api/v1/pay",
  summary: "Sends a payment to the terminal named in the body",
  auth: "basic",
  handle: (operations, input) => pay(operations, null, input),
});

export const sendPaymentLegacy = relay.endpoint({
  ...payment,
  name: "sendPaymentLegacy",
  path: "/pay",
  summary: "Sends a payment to the terminal named in the body (deprecated)",
  auth: "basic",
  deprecated: { successor: "/api/v1/pay" },
  handle: (operations, input) => pay(operations, null, input),
});

import { type Static, Type } from "@sinclair/typebox";
import type { LinkRequest } from "../../../engine/links/create-link.ts";
import type { LinkCreated } from "../../../engine/links/links.ts";
import { TerminalParams } from "../identifier-params.ts";
import type { LocalTime } from "../local-time.ts";
import { CreatedLink, createdBody } from "./record.ts";
import { LinkError, links } from "./surface.ts";

const text = (description: string) => Type.Optional(Type.Union([Type.String(), Type.Null()], { description }));

const members = {
  amount: Type.Union([Type.Number(), Type.String()], {
    description: "Decimal amount in currency units, exactly: at most the currency's decimals. A text is taken as it is written.",
    errorMessage: 'must be a decimal number such as 12.34 or "12.34"',
    examples: [12.34, "12.34"],
  }),
  currency: text("ISO 4217; EUR where absent."),
  reason: text("Purpose text, shown to the buyer; at most 255 characters."),
  description: text("The same as `reason`, which wins."),
  terminalID: text("Terminal or merchant location the link belongs to; the partner's own (`gwTml`) where absent."),
  terminalId: text("The same as `terminalID`, which wins."),
  customerEmail: text("Customer e-mail address."),
  merchantReference: text("Partner order reference; at most 255 characters."),
  returnUrl: text("Where the payment page sends the buyer afterwards."),
};

const LinkBody = Type.Object(members, { additionalProperties: true, description: "Only `amount` is required." });

const InitiateBody = Type.Object(
  {
    ...members,
    capture: Type.Optional(
      Type.Union([Type.Literal("now"), Type.Literal("later")], {
        description: "`later` only authorizes; POST /api/payment/finalize/no-voucher takes the money. `now` where absent.",
      }),
    ),
    instrument: Type.Optional(
      Type.Union([Type.Literal("card"), Type.Literal("bancomat_pay")], { description: "How the buyer may pay; `card` where absent." }),
    ),
  },
  { additionalProperties: true, description: "Only `amount` is required." },
);

/** An init and a look for an earlier one at the gateway, each with its own deadline. */
const CREATE_DEADLINE_MS = 28_000;

const example = {
  status: "ok",
  txId: "2f6f1d38-0c3b-4b6d-9d1e-0b0d8d6b1a51",
  paymentId: "8c8f6f5f2d7b4f0e9a5e3f1f7a2b9c10",
  paymentUrl: "https://gateway.example/pay/8c8f6f5f2d7b4f0e9a5e3f1f7a2b9c10",
  qrCodeData: "https://gateway.example/pay/8c8f6f5f2d7b4f0e9a5e3f1f7a2b9c10",
  createdAt: "2025-10-04T12:00:00.000",
  expiresAt: "2025-10-04T13:00:00.000",
  amount: "12.34",
  currency: "EUR",
  terminalID: "SIM00001",
  description: "Order 7",
  reason: "Order 7",
};

const creation = {
  method: "POST",
  rateLimit: { bucket: "links", perSecond: 50 },
  // The answer repeats the buyer's e-mail address.
  idempotency: "sealed",
  deadlineMs: CREATE_DEADLINE_MS,
  bodyExample: { amount: 12.34, reason: "Order 7", customerEmail: "buyer@example.org", merchantReference: "R7" },
  responses: {
    200: { description: "The link; send the buyer to `paymentUrl`.", body: CreatedLink, example },
    400: {
      description:
        "The request is not valid, the merchant of the terminal is deactivated, or the gateway refused it (then with `resultCode`).",
      body: LinkError,
    },
    500: {
      description:
        "Internal error, or the gateway was not reached: whether it created the payment is not known. The same request with the same `Idempotency-Key` goes on; without one, create another link: this one is not shown to anybody, and expires.",
      body: LinkError,
    },
    ...links.errors(401, 403, 409, 413, 415, 429, 503),
  },
} as const;

const DESCRIPTION =
  "Stored before the gateway hears of it. The outcome comes by the gateway's notification and by verifies of the relay: five minutes after creation without a notification, then every 30 seconds; ask for it with GET /api/v1/payment/status/{txId}. The link is valid for an hour.";

function requestOf(body: Static<typeof LinkBody>, more: Pick<LinkRequest, "instrument" | "capture">): LinkRequest {
  const { amount, currency, reason, description, terminalID, terminalId, customerEmail, merchantReference, returnUrl } = body;
  return {
    amount,
    currency: currency ?? undefined,
    terminalId: terminalID ?? terminalId ?? undefined,
    description: reason ?? description ?? undefined,
    merchantReference: merchantReference ?? undefined,
    customerEmail: customerEmail ?? undefined,
    returnUrl: returnUrl ?? undefined,
    attachment: null,
    ...more,
  };
}

function replyOf(created: LinkCreated, localTime: LocalTime) {
  const { record } = created;
  const { txId } = record.order;
  switch (created.type) {
    case "created":
      return { status: 200 as const, body: createdBody(record, localTime) };
    case "refused": {
      const { resultCode, description } = created;
      return { status: 400 as const, body: { status: "error" as const, error: `The gateway refused: ${description}`, txId, resultCode } };
    }
    case "unavailable": {
      const message = "The payment gateway could not be reached in time";
      return { status: 500 as const, body: { status: "error" as const, error: message, message, txId } };
    }
  }
}

export const createLink = links.endpoint({
  ...creation,
  name: "createLink",
  path: "/api/v1/paybylink",
  summary: "Creates a payment link",
  description: DESCRIPTION,
  auth: "apiKey",
  body: LinkBody,
  handle: async ({ createLink, localTime }, { body, caller, operationId }) =>
    replyOf(await createLink.ofPartner(caller, requestOf(body, { instrument: "card", capture: "now" }), operationId), localTime),
});

export const createTerminalLink = links.endpoint({
  ...creation,
  name: "createTerminalLink",
  path: "/api/v1/{terminalId}/paybylink",
  summary: "Creates a payment link for a terminal",
  description: `${DESCRIPTION} The account at the gateway is that of the partner of the terminal's merchant, else the installation's.`,
  auth: "basic",
  params: TerminalParams,
  body: LinkBody,
  handle: async ({ createLink, localTime }, { params, body, caller, operationId }) => {
    const request = requestOf(body, { instrument: "card", capture: "now" });
    return replyOf(await createLink.ofTerminal(caller, params.terminalId, request, operationId), localTime);
  },
});

export const createBancomatPayLink = links.endpoint({
  ...creation,
  name: "createBancomatPayLink",
  path: "/api/v1/{terminalId}/paybpe",
  summary: "Creates a payment link for a terminal, paid by BANCOMAT Pay",
  description: `As \`paybylink\`; the payment page takes BANCOMAT Pay. ${DESCRIPTION}`,
  auth: "basic",
  params: TerminalParams,
  body: LinkBody,
  handle: async ({ createLink, localTime }, { params, body, caller, operationId }) => {
    const request = requestOf(body, { instrument: "bancomat_pay", capture: "now" });
    return replyOf(await createLink.ofTerminal(caller, params.terminalId, request, operationId), localTime);
  },
});

export const initiatePayment = links.endpoint({
  ...creation,
  name: "initiatePayment",
  path: "/api/payment/initiate",
  summary: "Creates a payment at the card gateway",
  description: `As \`paybylink\`, with the choice to take the money later. ${DESCRIPTION}`,
  auth: "apiKey",
  body: InitiateBody,
  handle: async ({ createLink, localTime }, { body, caller, operationId }) => {
    const request = requestOf(body, { instrument: body.instrument ?? "card", capture: body.capture ?? "now" });
    return replyOf(await createLink.ofPartner(caller, request, operationId), localTime);
  },
});

import { type Static, type StringOptions, Type } from "@sinclair/typebox";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { IDENTIFIER_LENGTH_MAX } from "../../../engine/kernel/limits.ts";
import type { LinkRequest } from "../../../engine/links/create-link.ts";
import type { LinkCreated } from "../../../engine/links/links.ts";
import { givenText, TerminalParams } from "../parts/schemas.ts";
import type { LocalTime } from "../parts/time.ts";
import { CreatedLink, createdBody } from "./record.ts";
import { LinkError, links } from "./surface.ts";

const text = (description: string, { errorMessage, ...form }: StringOptions = {}) =>
  Type.Optional(Type.Union([Type.String(form), Type.Null()], { description, ...(errorMessage === undefined ? {} : { errorMessage }) }));

const LINK_TERMINAL = {
  pattern: `^[A-Za-z0-9._-]{0,${IDENTIFIER_LENGTH_MAX}}$`,
  errorMessage: `must be 1 to ${IDENTIFIER_LENGTH_MAX} letters, digits, dots, underscores or dashes`,
};

const members = {
  amount: Type.Union([Type.Number(), Type.String()], {
    description:
      "Decimal amount in currency units, with at most the currency's number of decimals. A string is read digit by digit, without rounding.",
    errorMessage: 'must be a decimal number such as 12.34 or "12.34"',
    examples: [12.34, "12.34"],
  }),
  currency: text("ISO 4217. Default: EUR."),
  reason: text("Purpose text, shown to the buyer; at most 255 characters. Kept and answered with card numbers masked."),
  description: text("Alias of `reason`; `reason` takes precedence."),
  terminalID: text("Terminal or merchant location that the link belongs to. Default: the partner's own (`gwTml`).", LINK_TERMINAL),
  terminalId: text("Alias of `terminalID`; both have to be the same.", LINK_TERMINAL),
  customerEmail: text("Customer e-mail address."),
  merchantReference: text("Partner order reference; at most 255 characters. Kept and answered with card numbers masked."),
  returnUrl: text("The address to which the payment page sends the buyer afterwards."),
};

const LinkBody = Type.Object(members, { title: "LinkRequest", description: "Only `amount` is required." });

const InitiateBody = Type.Object(
  {
    ...members,
    capture: Type.Optional(
      Type.Union([Type.Literal("now"), Type.Literal("later")], {
        description: "`later` only authorizes the payment; POST /api/payment/finalize/no-voucher captures it. Default: `now`.",
      }),
    ),
    instrument: Type.Optional(
      Type.Union([Type.Literal("card"), Type.Literal("bancomat_pay")], { description: "How the buyer may pay. Default: `card`." }),
    ),
  },
  { title: "InitiateLinkRequest", description: "Only `amount` is required." },
);

/** Time for an init and a verify of an earlier one at the gateway, each with its own deadline. */
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
  movesMoney: true,
  rateLimit: { bucket: "links", perSecond: 50 },
  // The response contains the buyer's e-mail address.
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
        "Internal error, or the gateway could not be reached: it is not known whether it created the payment. Repeat the request with the same `Idempotency-Key` to continue. Without a key, create another link: this one is shown to nobody and expires.",
      body: LinkError,
    },
    ...links.errors(401, 403, 409, 413, 415, 429, 503),
  },
} as const;

const DESCRIPTION =
  "The link is stored before the request is sent to the gateway. The relay learns the outcome from the gateway's notification, or by asking the gateway: if no notification has come five minutes after creation, every 30 seconds from then on. Read it with GET /api/v1/payment/status/{txId}. The link is valid for one hour. Members that it does not have are ignored, but refused if they would change what is paid, when or by whom (`capture` and `instrument` are members of POST /api/payment/initiate).";

/** Which of two terminals the money is for would be a guess. */
function terminalOf({ terminalID, terminalId }: Static<typeof LinkBody>): string | null {
  const [one, other] = [givenText(terminalID), givenText(terminalId)];
  if (one !== null && other !== null && one !== other) throw new RelayError("invalid_request", "terminalId: differs from terminalID");
  return one ?? other;
}

function requestOf(body: Static<typeof LinkBody>, more: Pick<LinkRequest, "instrument" | "capture" | "requestId">): LinkRequest {
  const { amount, currency, reason, description, customerEmail, merchantReference, returnUrl } = body;
  return {
    amount,
    currency: currency ?? undefined,
    terminalId: terminalOf(body) ?? undefined,
    description: givenText(reason) ?? givenText(description) ?? undefined,
    merchantReference: givenText(merchantReference) ?? undefined,
    customerEmail: givenText(customerEmail) ?? undefined,
    returnUrl: givenText(returnUrl) ?? undefined,
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
  summary: "Create a link",
  description: DESCRIPTION,
  auth: "apiKey",
  body: LinkBody,
  handle: async ({ createLink, localTime }, { body, caller, operationId, request: { id: requestId } }) =>
    replyOf(await createLink.ofPartner(caller, requestOf(body, { instrument: "card", capture: "now", requestId }), operationId), localTime),
});

export const createTerminalLink = links.endpoint({
  ...creation,
  name: "createTerminalLink",
  path: "/api/v1/{terminalId}/paybylink",
  summary: "Create a link for a terminal",
  description: `${DESCRIPTION} The link uses the gateway account of the partner of the terminal's merchant, or else the installation's account.`,
  auth: "basic",
  needs: "send",
  params: TerminalParams,
  body: LinkBody,
  handle: async ({ createLink, localTime }, { params, body, caller, operationId, request: { id: requestId } }) => {
    const request = requestOf(body, { instrument: "card", capture: "now", requestId });
    return replyOf(await createLink.ofTerminal(caller, params.terminalId, request, operationId), localTime);
  },
});

export const createBancomatPayLink = links.endpoint({
  ...creation,
  name: "createBancomatPayLink",
  path: "/api/v1/{terminalId}/paybpe",
  summary: "Create a BANCOMAT Pay link for a terminal",
  description: `Like \`paybylink\`, but the payment page accepts BANCOMAT Pay. ${DESCRIPTION}`,
  auth: "basic",
  needs: "send",
  params: TerminalParams,
  body: LinkBody,
  handle: async ({ createLink, localTime }, { params, body, caller, operationId, request: { id: requestId } }) => {
    const request = requestOf(body, { instrument: "bancomat_pay", capture: "now", requestId });
    return replyOf(await createLink.ofTerminal(caller, params.terminalId, request, operationId), localTime);
  },
});

export const initiatePayment = links.endpoint({
  ...creation,
  name: "initiatePayment",
  path: "/api/payment/initiate",
  summary: "Create a gateway payment",
  description: `Like \`paybylink\`, with the option to capture the payment later. ${DESCRIPTION}`,
  auth: "apiKey",
  body: InitiateBody,
  handle: async ({ createLink, localTime }, { body, caller, operationId, request: { id: requestId } }) => {
    const request = requestOf(body, { instrument: body.instrument ?? "card", capture: body.capture ?? "now", requestId });
    return replyOf(await createLink.ofPartner(caller, request, operationId), localTime);
  },
});

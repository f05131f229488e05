import { type Static, Type } from "@sinclair/typebox";
import type { Caller } from "../../../engine/access/caller.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { fromMinorUnits } from "../../../engine/kernel/money.ts";
import { WHOLE_CHARACTERS } from "../../../engine/kernel/well-formed.ts";
import { amountOf, type FollowUpType } from "../../../engine/links/link.ts";
import { IdParams, notFound } from "./link-params.ts";
import { LinkError, type LinkOperations, links } from "./surface.ts";

const amount = Type.Optional(
  Type.Union([Type.Number(), Type.String(), Type.Null()], {
    description: "Decimal amount in the payment's currency. Default: the whole remaining amount.",
    errorMessage: 'must be a decimal number such as 12.34 or "12.34"',
  }),
);

const AmountBody = Type.Optional(Type.Object({ amount }));

const FinalizeBody = Type.Object(
  {
    txId: Type.Optional(Type.String({ ...WHOLE_CHARACTERS, description: "Exactly one of the three members identifies the payment." })),
    paymentId: Type.Optional(Type.String(WHOLE_CHARACTERS)),
    origTranId: Type.Optional(
      Type.String({ ...WHOLE_CHARACTERS, description: "The gateway's id of the authorization (`tranId` of its status)." }),
    ),
    amount,
  },
  { title: "FinalizeRequest" },
);

const Done = Type.Object(
  {
    status: Type.Literal("ok"),
    txId: Type.String(),
    paymentId: Type.Optional(Type.String()),
    operation: Type.Union([Type.Literal("capture"), Type.Literal("reversal"), Type.Literal("refund")]),
    amount: Type.String({ description: "Decimal amount, as executed." }),
    currency: Type.String(),
    tranId: Type.Optional(Type.String({ description: "The gateway's id of this movement of money." })),
    resultCode: Type.Optional(Type.String()),
    message: Type.Optional(Type.String({ description: "The gateway's description." })),
  },
  { title: "PaymentOperation" },
);

const movement = {
  method: "POST",
  auth: "apiKey",
  rateLimit: { bucket: "links", perSecond: 50 },
  idempotency: "plain",
  deadlineMs: 20_000,
  responses: {
    200: { description: "Executed.", body: Done },
    400: { description: "The request is not valid, or the gateway refused it (then with `resultCode`).", body: LinkError },
    409: {
      description:
        "The payment's present state does not permit it: the payment is not paid, was already captured, reversed or refunded, or is under dispute (then it cannot be refunded or reversed), or the same operation is in progress (then with `Retry-After`). Or the same `Idempotency-Key` was used with another body.",
      body: LinkError,
    },
    500: {
      description:
        "Internal error, or the gateway did not answer: it is unknown whether the operation was executed. To find out, repeat the request with the same `Idempotency-Key`. A request for the whole remaining amount can also be repeated without the key, after half a minute. The relay never executes it twice.",
      body: LinkError,
    },
    ...links.errors(401, 404, 429, 503),
  },
} as const;

async function execute(
  { useLink }: LinkOperations,
  caller: Caller,
  id: string,
  request: { type: FollowUpType; amount: unknown; operationId: string; requestId: string },
) {
  const outcome = await useLink.followUp(caller, id, request);
  if (outcome === null) return notFound(id);
  const { record, followUp } = outcome;
  const { txId } = record.order;
  const { currency } = amountOf(record);
  switch (outcome.type) {
    case "done": {
      const body: Static<typeof Done> = {
        status: "ok",
        txId,
        ...(record.paymentId === null ? {} : { paymentId: record.paymentId }),
        operation: followUp.type,
        amount: fromMinorUnits(followUp.amountMinor, currency),
        currency,
        ...(followUp.tranId === null ? {} : { tranId: followUp.tranId }),
        ...(followUp.resultCode === null ? {} : { resultCode: followUp.resultCode }),
        ...(followUp.description === null ? {} : { message: followUp.description }),
      };
      return { status: 200 as const, body };
    }
    case "refused": {
      const resultCode = followUp.resultCode === null ? {} : { resultCode: followUp.resultCode };
      return {
        status: 400 as const,
        body: { status: "error" as const, error: `The gateway refused: ${followUp.description ?? ""}`, txId, ...resultCode },
      };
    }
    case "unavailable": {
      const message = "The payment gateway did not answer in time, so the outcome is unknown; repeat the same request to learn it";
      return { status: 500 as const, body: { status: "error" as const, error: message, message, txId } };
    }
  }
}

export const finalizePayment = links.endpoint({
  ...movement,
  name: "finalizePayment",
  refusesUnknown: "money",
  path: "/api/payment/finalize/no-voucher",
  summary: "Capture a gateway payment",
  description: "For a payment that was created with `capture: later`. It can be captured once, in full or in part.",
  body: FinalizeBody,
  bodyExample: { origTranId: "3000025641" },
  handle: async (operations, { body, caller, operationId, request: { id: requestId } }) => {
    const { txId, paymentId, origTranId } = body;
    const given = [txId, paymentId, origTranId].filter((id) => id !== undefined);
    if (given.length !== 1) throw new RelayError("invalid_request", "body: must have exactly one of txId, paymentId and origTranId");
    const found = origTranId === undefined ? undefined : await operations.useLink.findByTranId(caller, origTranId);
    if (found === null) return notFound(origTranId ?? "");
    const id = found?.order.txId ?? txId ?? paymentId ?? "";
    return execute(operations, caller, id, { type: "capture", amount: body.amount, operationId, requestId });
  },
});

export const cancelPayment = links.endpoint({
  ...movement,
  name: "cancelPayment",
  refusesUnknown: "money",
  path: "/api/payment/cancel/{id}",
  summary: "Cancel a gateway payment",
  description:
    "Reverses the whole payment, or a part of it if `amount` is given. A repeated full reversal is always rejected. A repeated partial reversal is executed again, unless it has the same `Idempotency-Key`.",
  params: IdParams,
  body: AmountBody,
  handle: (operations, { params, body, caller, operationId, request: { id: requestId } }) =>
    execute(operations, caller, params.id, { type: "reversal", amount: body?.amount, operationId, requestId }),
});

export const refundPayment = links.endpoint({
  ...movement,
  name: "refundPayment",
  refusesUnknown: "money",
  path: "/api/payment/refund/{id}",
  summary: "Refund a gateway payment",
  description: "Refunds the whole payment; a partial refund is not available.",
  params: IdParams,
  body: AmountBody,
  handle: (operations, { params, body, caller, operationId, request: { id: requestId } }) =>
    execute(operations, caller, params.id, { type: "refund", amount: body?.amount, operationId, requestId }),
});

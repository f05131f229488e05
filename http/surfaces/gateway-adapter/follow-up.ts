import { Type } from "@sinclair/typebox";
import { fromMinorUnits } from "../../../engine/kernel/money.ts";
import { amountOf, type FollowUpType, type LinkRecord } from "../../../engine/links/link.ts";
import { PROTOCOL_RESULT } from "../../gateway/forms.ts";
import { type FollowUpOrder, headOrNull, notReadOfFollowUp, readFollowUp } from "../../gateway/requests.ts";
import { foreignMerchant, headOf, refuse, told, unknownPayment } from "./answers.ts";
import { derivedId } from "./derived-id.ts";
import { ADAPTER_RATE, AdapterHead, adapter } from "./surface.ts";

const FollowUpRequest = Type.Object(
  {
    txHead: Type.Optional(
      Type.Unknown({ type: "object", description: "`merId`, equal to the signature's keyId, and the `txId` of this operation." }),
    ),
    txReq: Type.Optional(
      Type.Unknown({
        type: "object",
        description: "`origTranId`, the tranId of the payment; `amount` (`value` in minor units, `currency`). Default: the whole amount.",
      }),
    ),
  },
  {
    title: "AdapterFollowUpRequest",
    additionalProperties: true,
    description: "Each member may be at the top level, in txHead or in txReq.",
  },
);

const FollowUpAnswer = Type.Object(
  {
    txHead: AdapterHead,
    resultCode: Type.String(),
    txRes: Type.Object({ tranId: Type.String({ description: "The gateway's id of this movement of money." }), origTranId: Type.String() }),
  },
  { title: "AdapterFollowUp" },
);

const DEADLINE_MS = 20_000;

const TOLD: Readonly<Record<FollowUpType, { name: string; summary: string; description: string }>> = {
  capture: {
    name: "adapterCapture",
    summary: "Capture a payment by adapter",
    description: "For payments with txOp AUTH. A payment can be captured once.",
  },
  reversal: {
    name: "adapterReversal",
    summary: "Cancel a payment by adapter",
    description: "A second full reversal is rejected. The same txId again gets the response of the first request.",
  },
  refund: {
    name: "adapterRefund",
    summary: "Refund a payment by adapter",
    description: "Full refunds only: a smaller amount is rejected with GW_30005.",
  },
};

export const followUpOf = (type: FollowUpType, path: string) =>
  adapter.endpoint({
    ...TOLD[type],
    method: "POST",
    path,
    auth: "signature",
    rateLimit: ADAPTER_RATE,
    deadlineMs: DEADLINE_MS,
    body: FollowUpRequest,
    movesMoney: true,
    notTaken: notReadOfFollowUp,
    bodyExample: {
      txHead: { merId: "SANDBOXADAPTER1", txId: `${type}-7` },
      txReq: { origTranId: "1780000000000012345", amount: { value: 1230, currency: "EUR" } },
    },
    responses: {
      200: {
        description: "Done.",
        body: FollowUpAnswer,
        example: {
          txHead: headOf({ merId: "SANDBOXADAPTER1", txId: `${type}-7` }, PROTOCOL_RESULT.completed, "Transaction completed successfully"),
          resultCode: PROTOCOL_RESULT.completed,
          txRes: { tranId: "1780000000000067890", origTranId: "1780000000000012345" },
        },
      },
      ...adapter.errors(400, 401, 404, 409, 429, 503),
    },
    handle: ({ useLink, adapterMerchantOf }, { body, caller, request: { id: requestId } }) => {
      const subject = headOrNull(body);
      return told(subject, async () => {
        const order = readFollowUp(body);
        if (caller.type !== "partner" || order.merId !== adapterMerchantOf(caller)) return foreignMerchant(subject);
        const record = await useLink.findByTranId(caller, order.origTranId);
        if (record === null) return unknownPayment(subject);
        const wrong = amountProblem(type, order, record);
        if (wrong !== null) return refuse(400, subject, wrong.code, wrong.description);
        const outcome = await useLink.followUp(caller, record.order.txId, {
          type,
          amount: order.amount === null ? null : fromMinorUnits(order.amount.value, order.amount.currency),
          operationId: derivedId(caller.partnerId, type, order.txId),
          requestId,
        });
        if (outcome === null) return unknownPayment(subject);
        const { followUp } = outcome;
        if (order.amount !== null && order.amount.value !== followUp.amountMinor) {
          return refuse(409, subject, PROTOCOL_RESULT.txIdReused, "The txId was used for another amount");
        }
        const resultCode = followUp.resultCode ?? PROTOCOL_RESULT.completed;
        const description = followUp.description ?? "";
        if (outcome.type === "refused") return refuse(400, subject, resultCode, description);
        if (outcome.type === "unavailable" || followUp.tranId === null) {
          const unknown = "It is unknown whether the operation was executed; repeat the same request with a new signature to find out";
          return refuse(503, subject, PROTOCOL_RESULT.unavailable, unknown);
        }
        const { tranId } = followUp;
        const { origTranId } = order;
        return {
          status: 200 as const,
          body: { txHead: headOf(subject, resultCode, description), resultCode, txRes: { tranId, origTranId } },
        };
      });
    },
  });

/** Checks an amount for errors that need the protocol's own codes and texts. */
function amountProblem(type: FollowUpType, { amount }: FollowUpOrder, record: LinkRecord): { code: string; description: string } | null {
  if (amount === null) return null;
  const paid = amountOf(record);
  if (amount.currency !== paid.currency) {
    return { code: PROTOCOL_RESULT.invalidRequest, description: `amount.currency: the payment is in ${paid.currency}` };
  }
  const captured = record.followUps.find((followUp) => followUp.type === "capture" && followUp.state === "done")?.amountMinor;
  if (type === "refund" && amount.value < (captured ?? paid.amountMinor)) {
    return { code: PROTOCOL_RESULT.partialRefund, description: "A partial refund is not available; leave the amount out for the whole" };
  }
  return null;
}

import { createHash } from "node:crypto";
import { Type } from "@sinclair/typebox";
import { writeAdapterOrder } from "../../../engine/callbacks/adapter-order.ts";
import { fromMinorUnits } from "../../../engine/kernel/money.ts";
import { PROTOCOL_RESULT } from "../../gateway/forms.ts";
import { headOrNull, type InitOrder, notReadOfInit, readInit } from "../../gateway/requests.ts";
import { foreignMerchant, headOf, refuse, told } from "./answers.ts";
import { derivedId } from "./derived-id.ts";
import { ADAPTER_RATE, AdapterHead, adapter } from "./surface.ts";

/** The members may be in three places; the protocol's own reader checks them. */
const InitRequest = Type.Object(
  {
    txHead: Type.Optional(
      Type.Unknown({ type: "object", description: "`merId`, equal to the signature's keyId, and `txId`, chosen by the client." }),
    ),
    txReq: Type.Optional(
      Type.Unknown({
        type: "object",
        description:
          "`txOp` SALE (default) or AUTH; `amount` with `value`, an integer of minor units, and `currency`; `description`; `merchantReference`; `expiresAt`, ISO 8601 in UTC, at most one hour ahead (default).",
      }),
    ),
    poiInfo: Type.Optional(Type.Unknown({ type: "object", description: "`pitype` CC (default) or BPE, `terminalId`." })),
    buyer: Type.Optional(Type.Unknown({ type: "object", description: "`email`." })),
    callbackURL: Type.Optional(Type.Unknown({ type: "string", description: "This address receives a POST when the payment has ended." })),
    notifyURL: Type.Optional(Type.Unknown({ type: "string", description: "The same." })),
    returnURL: Type.Optional(
      Type.Unknown({ type: "string", description: "The address to which the hosted page sends the buyer afterwards." }),
    ),
  },
  {
    title: "AdapterInitRequest",
    additionalProperties: true,
    description:
      "Each member may be at the top level, in txHead, in txReq or in poiInfo (top-level and nested form). It may be in two places only with the same value.",
  },
);

const InitAnswer = Type.Object(
  {
    txHead: AdapterHead,
    resultCode: Type.String(),
    paymentId: Type.String({ description: "36 characters." }),
    redirectURL: Type.String({ description: "Address of the hosted page where the buyer pays." }),
  },
  { title: "AdapterInit" },
);

const EXAMPLE_ID = "6f1c1f3e-6b43-8b0e-9d5b-0d8c8f6f2b11";

/** Longer than a call of the gateway takes. */
const DEADLINE_MS = 20_000;

export const initOf = (path: string) =>
  adapter.endpoint({
    name: "adapterInit",
    method: "POST",
    path,
    summary: "Create a payment by adapter",
    description:
      "A txId identifies one payment: the same order again returns the same payment, and a different order is rejected with 409. 503 means that it is unknown whether the gateway has the payment; repeat the same request with a new signature to find out. A payment can be paid until `expiresAt`, for at most one hour. The relay rejects an unknown member that would change the payment.",
    auth: "signature",
    rateLimit: ADAPTER_RATE,
    deadlineMs: DEADLINE_MS,
    body: InitRequest,
    movesMoney: true,
    notTaken: notReadOfInit,
    bodyExample: {
      txHead: { merId: "SANDBOXADAPTER1", txId: "order-7" },
      txReq: { txOp: "SALE", amount: { value: 1230, currency: "EUR" }, description: "Order 7" },
      poiInfo: { pitype: "CC" },
      callbackURL: "https://shop.example/callback",
      notifyURL: "https://shop.example/notify",
    },
    responses: {
      200: {
        description: "The payment was created and waits for the buyer.",
        body: InitAnswer,
        example: {
          txHead: headOf({ merId: "SANDBOXADAPTER1", txId: "order-7" }, PROTOCOL_RESULT.completed, ""),
          resultCode: PROTOCOL_RESULT.completed,
          paymentId: EXAMPLE_ID,
          redirectURL: `https://gateway.example/pay/${EXAMPLE_ID}`,
        },
      },
      ...adapter.errors(400, 401, 409, 429, 503),
    },
    handle: ({ createLink, adapterMerchantOf }, { body, caller, request: { id: requestId } }) => {
      const subject = headOrNull(body);
      return told(subject, async () => {
        const order = readInit(body);
        if (caller.type !== "partner" || order.merId !== adapterMerchantOf(caller)) return foreignMerchant(subject);
        const attachment = attachmentOf(order);
        const { amount, description, merchantReference, email, returnURL, terminalId, instrument, txOp, expiresAtMs } = order;
        const created = await createLink.ofPartner(
          caller,
          {
            amount: fromMinorUnits(amount.value, amount.currency),
            currency: amount.currency,
            terminalId: terminalId ?? undefined,
            description,
            requestId,
            merchantReference: merchantReference ?? undefined,
            customerEmail: email ?? undefined,
            returnUrl: returnURL ?? undefined,
            instrument,
            capture: txOp === "SALE" ? "now" : "later",
            attachment,
            expiresAtMs,
          },
          derivedId(caller.partnerId, "payment", order.txId),
        );
        const { record } = created;
        if (record.order.attachment !== attachment) {
          return refuse(409, subject, PROTOCOL_RESULT.txIdReused, "The txId was used for another order");
        }
        if (created.type === "refused") return refuse(400, subject, created.resultCode, created.description);
        if (created.type === "unavailable" || record.paymentUrl === null) {
          const description = "It is unknown whether the gateway has the payment; repeat the same request with a new signature to find out";
          return refuse(503, subject, PROTOCOL_RESULT.unavailable, description);
        }
        const resultCode = PROTOCOL_RESULT.completed;
        const txHead = headOf(subject, resultCode, "");
        return { status: 200 as const, body: { txHead, resultCode, paymentId: record.order.txId, redirectURL: record.paymentUrl } };
      });
    },
  });

function attachmentOf(order: InitOrder): string {
  const digest = createHash("sha256").update(JSON.stringify(order)).digest("base64url");
  return writeAdapterOrder({
    merId: order.merId,
    txId: order.txId,
    digest,
    callbackUrl: order.callbackURL,
    notifyUrl: order.notifyURL,
  });
}

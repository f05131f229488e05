import { Type } from "@sinclair/typebox";
import type { Caller } from "../../../engine/access/caller.ts";
import { readAdapterOrder } from "../../../engine/callbacks/adapter-order.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { amountOf, isFinal, type LinkRecord } from "../../../engine/links/link.ts";
import type { VerifiedLink } from "../../../engine/links/links.ts";
import type { UseLink } from "../../../engine/links/use-link.ts";
import { Amount, PROTOCOL_RESULT } from "../../gateway/forms.ts";
import { FRESHNESS_HEADERS, freshnessOf } from "../parts/verified-link.ts";
import { foreignMerchant, headOf, refuse, type Subject, told, unknownPayment } from "./answers.ts";
import { derivedId } from "./derived-id.ts";
import { ADAPTER_RATE, AdapterHead, adapter } from "./surface.ts";

const Nullable = Type.Union([Type.String(), Type.Null()]);

const Movement = Type.Object(
  {
    tranId: Type.String({ description: "The value for `origTranId` of capture, reversal and refund." }),
    authCode: Nullable,
    maskedPan: Nullable,
    cardBrand: Nullable,
    payerName: Nullable,
    payerLastName: Nullable,
    amount: Amount,
  },
  { title: "AdapterMovement" },
);

const VerifyAnswer = Type.Object(
  {
    txHead: AdapterHead,
    resultCode: Type.String(),
    result: Type.Union([Type.Literal("OK"), Type.Literal("PENDING"), Type.Literal("KO")], {
      description: "The authoritative state: OK is paid, PENDING is not completed yet, KO is ended without payment.",
    }),
    paymentId: Type.String(),
    redirectURL: Nullable,
    txRes: Type.Union([Movement, Type.Null()]),
  },
  { title: "AdapterVerification" },
);

const EXAMPLE_ID = "6f1c1f3e-6b43-8b0e-9d5b-0d8c8f6f2b11";
const DEADLINE_MS = 20_000;

export const verifyOf = (name: "adapterVerify" | "adapterVerification", path: string) =>
  adapter.endpoint({
    name,
    method: "GET",
    path,
    summary: name === "adapterVerify" ? "Get the status of a payment by adapter" : "Get the status of a payment by adapter (alias)",
    description:
      "The relay asks the gateway, unless it has just done so; if it cannot, the answer is the state that was known before, with `Relay-Answer-Stale: true`. PENDING has the resultCode GW_20001. KO has the code of the failure, with its original description.",
    auth: "signature",
    rateLimit: ADAPTER_RATE,
    deadlineMs: DEADLINE_MS,
    query: Type.Object({
      merId: Type.Optional(Type.String({ description: "Equal to the signature's keyId." })),
      paymentId: Type.Optional(Type.String({ description: "The paymentId that init returned." })),
      txId: Type.Optional(Type.String({ description: "The client's own id. Either paymentId or txId is required." })),
    }),
    responses: {
      200: {
        description: "The state.",
        headers: FRESHNESS_HEADERS,
        body: VerifyAnswer,
        example: {
          txHead: headOf({ merId: "SANDBOXADAPTER1", txId: "order-7" }, PROTOCOL_RESULT.completed, "Transaction completed successfully"),
          resultCode: PROTOCOL_RESULT.completed,
          result: "OK",
          paymentId: EXAMPLE_ID,
          redirectURL: null,
          txRes: {
            tranId: "1780000000000012345",
            authCode: "123456",
            maskedPan: "411111******1111",
            cardBrand: "VISA",
            payerName: "Ada",
            payerLastName: "Lovelace",
            amount: { value: 1230, currency: "EUR" },
          },
        },
      },
      ...adapter.errors(400, 401, 404, 409, 429, 503),
    },
    handle: ({ useLink, adapterMerchantOf }, { query, caller }) => {
      const { merId = null, paymentId, txId } = query;
      const subject: Subject = { merId, txId: txId ?? null };
      return told(subject, async () => {
        if (caller.type !== "partner" || merId === null || merId !== adapterMerchantOf(caller)) return foreignMerchant(subject);
        const derived = txId === undefined ? undefined : derivedId(caller.partnerId, "payment", txId);
        const id = paymentId ?? derived;
        if (id === undefined) {
          return refuse(400, subject, PROTOCOL_RESULT.invalidRequest, "txId or paymentId: one is required");
        }
        const record = derived === undefined || id === derived ? await useLink.find(caller, id) : null;
        const order = record === null || record.order.txId !== id ? null : readAdapterOrder(record.order.attachment);
        if (record === null || order === null) return unknownPayment(subject);
        const verified = await current(useLink, caller, record);
        return { status: 200 as const, body: stateOf({ merId, txId: order.txId }, verified.record), headers: freshnessOf(verified) };
      });
    },
  });

/** The payment's present state at the gateway, if it can still change and the gateway can be asked. */
async function current(useLink: UseLink, caller: Caller, record: LinkRecord): Promise<VerifiedLink> {
  if (record.state === "success") return { record, isFresh: true };
  const known = { record, isFresh: false };
  try {
    return (await useLink.verify(caller, record.order.txId)) ?? known;
  } catch (error) {
    // The gateway has too many calls in progress: the stored state is returned; it is not wrong, but may not be the latest.
    if (error instanceof RelayError && error.code === "too_busy") return known;
    throw error;
  }
}

function stateOf(subject: Subject, { state, order, outcome, paymentUrl }: LinkRecord) {
  const paymentId = order.txId;
  if (!isFinal(state) || outcome === null) {
    const resultCode = PROTOCOL_RESULT.pending;
    const txHead = headOf(subject, resultCode, "Payment not completed yet");
    return { txHead, resultCode, result: "PENDING" as const, paymentId, redirectURL: paymentUrl, txRes: null };
  }
  const { resultCode, description, payment } = outcome;
  const head = { txHead: headOf(subject, resultCode, description), resultCode, paymentId, redirectURL: null };
  if (payment === null) return { ...head, result: "KO" as const, txRes: null };
  const { tranId, authCode, maskedPan, cardBrand, payerName, payerLastName } = payment;
  const { amountMinor, currency } = amountOf({ order, outcome });
  const amount = { value: amountMinor, currency };
  return { ...head, result: "OK" as const, txRes: { tranId, authCode, maskedPan, cardBrand, payerName, payerLastName, amount } };
}

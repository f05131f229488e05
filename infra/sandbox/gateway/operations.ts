import { parseJson } from "../../../engine/kernel/well-formed.ts";
import { PROTOCOL_RESULT } from "../../../http/gateway/forms.ts";
import { headOrNull, RequestRefused, readFollowUp, readInit } from "../../../http/gateway/requests.ts";
import type { Operation } from "./options.ts";
import type { Payment, Payments } from "./payments.ts";
import { APPROVED, type Outcome } from "./test-cards.ts";

export interface ProtocolAnswer {
  status: number;
  body: { txHead: { merId: string | null; txId: string | null; resultCode: string; errDescription: string }; [member: string]: unknown };
}

export interface ProtocolRequest {
  operation: Operation;
  /** Who signed it. */
  keyId: string;
  query: URLSearchParams;
  body: string;
  /** Base address of the hosted pages. */
  pageUrl: string;
}

/** Executes a request of the protocol whose signature was verified. */
export function answerTo(payments: Payments, request: ProtocolRequest): ProtocolAnswer {
  if (request.operation === "verify") return verify(payments, request);
  let body: unknown;
  try {
    body = parseJson(request.body);
  } catch {
    return failed(400, PROTOCOL_RESULT.invalidRequest, "body: is not JSON", null, null);
  }
  const { merId, txId } = headOrNull(body);
  const refuse = (status: number, code: string, description: string) => failed(status, code, description, merId, txId);
  if (typeof body !== "object" || body === null) return refuse(400, PROTOCOL_RESULT.invalidRequest, "body: must be an object");
  if (merId !== null && merId !== request.keyId)
    return refuse(401, PROTOCOL_RESULT.notAuthenticated, "merId: is not the keyId of the signature");
  try {
    return request.operation === "init" ? init(payments, body, request.pageUrl) : followUp(payments, request.operation, body);
  } catch (error) {
    if (error instanceof RequestRefused) return refuse(400, PROTOCOL_RESULT.invalidRequest, error.message);
    throw error;
  }
}

export function failed(
  status: number,
  resultCode: string,
  errDescription: string,
  merId: string | null,
  txId: string | null,
): ProtocolAnswer {
  return { status, body: { txHead: { merId, txId, resultCode, errDescription }, resultCode } };
}

function init(payments: Payments, body: object, pageUrl: string): ProtocolAnswer {
  const order = readInit(body);
  const payment = payments.init(order);
  if (payment === null) return failed(409, PROTOCOL_RESULT.txIdReused, "The txId was used for another order", order.merId, order.txId);
  return done(payment, APPROVED, { paymentId: payment.paymentId, redirectURL: pageOf(payment, pageUrl) });
}

function verify(payments: Payments, { keyId, query, pageUrl }: ProtocolRequest): ProtocolAnswer {
  const [merId, paymentId, txId] = [query.get("merId"), query.get("paymentId"), query.get("txId")];
  const refuse = (status: number, code: string, description: string) => failed(status, code, description, merId, txId);
  if (merId !== keyId) return refuse(401, PROTOCOL_RESULT.notAuthenticated, "merId: is not the keyId of the signature");
  if (paymentId === null && txId === null) return refuse(400, PROTOCOL_RESULT.invalidRequest, "txId or paymentId: one is required");
  const payment = paymentId === null ? payments.byTx(merId, txId ?? "") : payments.byId(paymentId);
  const same = payment !== null && payment.order.merId === merId && (txId === null || payment.order.txId === txId);
  if (!same) return refuse(404, PROTOCOL_RESULT.paymentUnknown, "There is no such payment");
  const { outcome, paid, order } = payment;
  if (outcome === null) {
    const pending = { resultCode: PROTOCOL_RESULT.pending, description: "Payment not completed yet" };
    return done(payment, pending, { result: "PENDING", paymentId: payment.paymentId, redirectURL: pageOf(payment, pageUrl), txRes: null });
  }
  if (paid === null) return done(payment, outcome, { result: "KO", paymentId: payment.paymentId, txRes: null });
  const { captured, reversedValue, refundedValue } = payment;
  const txRes = { amount: order.amount, ...paid, captured, reversedValue, refundedValue };
  return done(payment, outcome, { result: "OK", paymentId: payment.paymentId, txRes });
}

function followUp(payments: Payments, operation: "capture" | "reversal" | "refund", body: object): ProtocolAnswer {
  const order = readFollowUp(body);
  const outcome = payments.followUp(operation, order);
  const { merId, txId, origTranId } = order;
  if (outcome.type === "refused") return failed(400, outcome.outcome.resultCode, outcome.outcome.description, merId, txId);
  const { resultCode, description } = APPROVED;
  const txHead = { merId, txId, resultCode, errDescription: description };
  return { status: 200, body: { txHead, resultCode, txRes: { tranId: outcome.tranId, origTranId } } };
}

function done({ order: { merId, txId } }: Payment, { resultCode, description }: Outcome, members: object): ProtocolAnswer {
  return { status: 200, body: { txHead: { merId, txId, resultCode, errDescription: description }, resultCode, ...members } };
}

function pageOf({ paymentId }: Payment, pageUrl: string): string {
  return `${pageUrl}/pay/${paymentId}`;
}

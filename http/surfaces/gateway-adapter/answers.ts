import type { Static } from "@sinclair/typebox";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { PROTOCOL_RESULT } from "../../gateway/forms.ts";
import { RequestRefused } from "../../gateway/requests.ts";
import { type AdapterError, resultOf } from "./surface.ts";

/** The merchant and the transaction of a response. */
export interface Subject {
  merId: string | null;
  txId: string | null;
}

export function headOf({ merId, txId }: Subject, resultCode: string, errDescription: string) {
  return { merId, txId, resultCode, errDescription };
}

type Refusing = 400 | 401 | 404 | 409 | 503;

export function refuse<S extends Refusing>(status: S, subject: Subject, resultCode: string, description: string) {
  const body: Static<typeof AdapterError> = { txHead: headOf(subject, resultCode, description), resultCode };
  return { status, body };
}

export function unknownPayment(subject: Subject) {
  return refuse(404, subject, PROTOCOL_RESULT.paymentUnknown, "There is no such payment");
}

export function foreignMerchant(subject: Subject) {
  return refuse(401, subject, PROTOCOL_RESULT.notAuthenticated, "merId: must be the keyId of the signature");
}

/** Names of a link's members in the protocol, for errors of its creation. */
const NAMES: Readonly<Record<string, string>> = {
  reason: "description",
  customerEmail: "buyer.email",
  returnUrl: "returnURL",
  terminalID: "terminalId",
};

/** Converts errors about a request to the protocol's form, with its own names; other errors are left to the envelope. */
export async function told<R>(subject: Subject, work: () => Promise<R>) {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RequestRefused) return refuse(400, subject, PROTOCOL_RESULT.invalidRequest, error.message);
    if (!(error instanceof RelayError)) throw error;
    if (error.code === "invalid_request") {
      const message = error.message.replace(/^\w+(?=:)/, (name) => NAMES[name] ?? name);
      return refuse(400, subject, resultOf(error.code), message);
    }
    if (error.code === "conflict" || error.code === "duplicate") return refuse(409, subject, resultOf(error.code), error.message);
    throw error;
  }
}

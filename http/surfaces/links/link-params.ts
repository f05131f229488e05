import { Type } from "@sinclair/typebox";
import { IDENTIFIER_LENGTH_MAX } from "../../../engine/kernel/limits.ts";

const id = (parameterName: string) =>
  Type.String({
    minLength: 1,
    maxLength: IDENTIFIER_LENGTH_MAX,
    pattern: "^[A-Za-z0-9._-]+$",
    parameterName,
    description: "Link transaction id, or the gateway's payment id.",
  });

export const TxIdParams = Type.Object({ txId: id("LinkTxId") });
export const IdParams = Type.Object({ id: id("LinkId") });

/** The 404 for a link that does not exist, or is not the caller's. */
export function notFound(txId: string) {
  const message = "Payment not found";
  return { status: 404 as const, body: { status: "error" as const, error: message, message, txId } };
}

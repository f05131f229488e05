/** What the gateway-protocol adapter keeps with a payment that it created (`LinkOrder.attachment`). */
export interface AdapterOrder {
  readonly surface: "gateway-adapter";
  /** Names that the client gave: its merId and its own transaction id. */
  readonly merId: string;
  readonly txId: string;
  /** Digest of what was ordered: the same txId with another order is refused. */
  readonly digest: string;
  /** Whom to tell when the payment has ended. */
  readonly callbackUrl: string | null;
  readonly notifyUrl: string | null;
}

/** Null for a payment that another surface created. */
export function readAdapterOrder(attachment: string | null): AdapterOrder | null {
  if (attachment === null || !attachment.startsWith('{"surface":"gateway-adapter"')) return null;
  return JSON.parse(attachment);
}

export function writeAdapterOrder({ merId, txId, digest, callbackUrl, notifyUrl }: Omit<AdapterOrder, "surface">): string {
  return JSON.stringify({ surface: "gateway-adapter", merId, txId, digest, callbackUrl, notifyUrl });
}

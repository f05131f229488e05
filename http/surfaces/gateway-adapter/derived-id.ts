import { createHash } from "node:crypto";

/**
 * An id of 36 characters derived from a client's own id: the same txId always gives the same payment, or the same operation, without a
 * lookup. It has the form of a UUID of version 8.
 */
export function derivedId(partnerId: number, kind: "payment" | "capture" | "reversal" | "refund", txId: string): string {
  const hash = createHash("sha256")
    .update(JSON.stringify(["gateway-adapter", partnerId, kind, txId]))
    .digest();
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x80, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = hash.toString("hex", 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

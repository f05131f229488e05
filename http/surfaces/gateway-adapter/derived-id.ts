import { createHash } from "node:crypto";

/**
 * An id of 36 characters that follows from a client's own: the same txId always names the same payment, or the same operation, without
 * anything to be looked up. Built as a UUID of version 8.
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

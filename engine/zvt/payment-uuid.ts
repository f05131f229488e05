/** SHA-1 of bytes, 20 of them. */
export type Sha1 = (bytes: Uint8Array) => Uint8Array;

/** The namespace of payments of registers; it must never change, or a repeated payment has another uuid. */
const NAMESPACE = "5b7d2f0e-3c41-5a8b-9d66-2e0f7a94c1d3";

const VERSION_5 = 0x50;
const VARIANT = 0x80;

/** The uuid of a payment: always the same for the same number of a route's epoch (RFC 9562, version 5). */
export function paymentUuid(sha1: Sha1, { routeId, epoch, seq }: { routeId: string; epoch: string; seq: number }): string {
  const name = Array.from(`${routeId}:${epoch}:${seq}`, (letter) => letter.charCodeAt(0));
  const namespace = (NAMESPACE.replaceAll("-", "").match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16));
  const bytes = sha1(Uint8Array.from([...namespace, ...name])).slice(0, 16);
  const hex = Array.from(bytes, (byte, index) =>
    hexOf(index === 6 ? (byte & 0x0f) | VERSION_5 : index === 8 ? (byte & 0x3f) | VARIANT : byte),
  );
  const text = hex.join("");
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join("-");
}

function hexOf(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}

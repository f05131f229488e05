/** Bytes written as in the protocol's documents: `06 01 0A`. */
export function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex.replaceAll(" ", ""), "hex"));
}

export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex").toUpperCase().match(/../g)?.join(" ") ?? "";
}

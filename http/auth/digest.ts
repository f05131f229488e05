import { createHash, timingSafeEqual } from "node:crypto";

/** SHA-256 of a text, in hex: the form in which configured secrets and API keys are stored and looked up. */
export function sha256Hex(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

/** Compares a text with the SHA-256 (hex) of the right one, in a time that does not depend on how much of it matches. */
export function matchesSha256(text: string, expectedHex: string): boolean {
  return sameText(sha256Hex(text), expectedHex);
}

/** Compares two texts in a time that depends on their lengths only. */
export function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a, "utf8"), Buffer.from(b, "utf8")];
  return left.length === right.length && timingSafeEqual(left, right);
}

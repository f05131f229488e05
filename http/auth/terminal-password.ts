import { createHmac } from "node:crypto";
import { sameText } from "./digest.ts";

/** A terminal's password: base64url(HMAC-SHA256(secret, terminal id)). Nothing is stored for it; a deny list revokes. */
export function terminalPassword(secret: string, terminalId: string): string {
  return createHmac("sha256", secret).update(terminalId, "utf8").digest("base64url");
}

/** Compares in constant time. */
export function isTerminalPassword(secret: string, terminalId: string, password: string): boolean {
  return sameText(password, terminalPassword(secret, terminalId));
}

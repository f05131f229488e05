import { createHmac, randomInt } from "node:crypto";

const TOKEN_LENGTH = 22;
const TOKEN_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Returns 130 random bits that identify a page. Anybody who knows them may use it. */
export function newToken(): string {
  return Array.from({ length: TOKEN_LENGTH }, () => TOKEN_ALPHABET.charAt(randomInt(TOKEN_ALPHABET.length))).join("");
}

/**
 * Uses the terminal secret, which stays the same for years like the passwords of terminals, because
 * digests must be found after years. `label` names the kind of the digested text.
 */
export function keyedDigest(terminalSecret: string, label: string): (text: string) => string {
  const key = createHmac("sha256", terminalSecret).update(label, "utf8").digest();
  return (text) => createHmac("sha256", key).update(text, "utf8").digest("hex");
}

import { createHmac, randomInt } from "node:crypto";

const TOKEN_LENGTH = 22;
const TOKEN_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Names a page that whoever knows it may use: 130 random bits. */
export function newToken(): string {
  return Array.from({ length: TOKEN_LENGTH }, () => TOKEN_ALPHABET.charAt(randomInt(TOKEN_ALPHABET.length))).join("");
}

/** Under the secret that does not change for as long as terminals know their passwords: what is found by a digest has to be found in years. `label`: of whom it is. */
export function keyedDigest(terminalSecret: string, label: string): (text: string) => string {
  const key = createHmac("sha256", terminalSecret).update(label, "utf8").digest();
  return (text) => createHmac("sha256", key).update(text, "utf8").digest("hex");
}

/** The keys that encrypt stored secrets, 32 bytes each, in hex. */
export interface SecretKeys {
  current: string;
  /** Decrypts texts from before a rotation; null if there is none. */
  old: string | null;
}

const KEY_BYTES = 32;

/** 32 random bytes have about 30 different values; fewer than 16 were not drawn at random. */
const DIFFERENT_BYTES_MIN = 16;

/** The required form of a key, for error messages. */
export const SECRET_KEY_FORM = "32 random bytes in base64 or hex, such as `openssl rand -base64 32` prints";

/** Reads a key; null for a text that is not 32 bytes, or bytes that were plainly not drawn at random. */
export function readSecretKey(text: string): string | null {
  const bytes = bytesOf(text);
  if (bytes === null || bytes.length !== KEY_BYTES) return null;
  const isText = bytes.every((byte) => byte >= 0x20 && byte < 0x7f);
  return isText || new Set(bytes).size < DIFFERENT_BYTES_MIN ? null : bytes.toString("hex");
}

function bytesOf(text: string): Buffer | null {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, "hex");
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(text) ? Buffer.from(text, "base64") : null;
}

/** Makes what nobody can guess, and what is kept of it; the engine has no randomness and no cryptography of its own. */
export interface TeamSecrets {
  /** 256 random bits as base64url. */
  newToken(): string;
  /** SHA-256 in hex: tokens are long and random, so that a fast digest is as good as a slow one. */
  digest(token: string): string;
  /** The prefix and 128 random bits as base64url. */
  newId(prefix: "acc_" | "usr_"): string;
}

/** 32 bytes in base64url: what cannot be a token is not looked up. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

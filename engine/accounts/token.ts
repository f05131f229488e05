/** 32 bytes in base64url. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Whether a text can be the token of a mailed link: what cannot is not looked up. */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

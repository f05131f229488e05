import type { CredentialSource, PartnerCredential } from "./credential-source.ts";
import { sha256Hex } from "./digest.ts";

/** Keys have about 40 characters; a much longer text is not a key. */
const KEY_LENGTH_MAX = 256;

/** The enabled partner with this key, or null. Looked up by the key's hash, so the time reveals nothing about any key. */
export function partnerByKey(source: CredentialSource, key: string): PartnerCredential | null {
  if (key === "" || key.length > KEY_LENGTH_MAX) return null;
  const partner = source.partnerByKeySha256(sha256Hex(key));
  return partner?.enabled === true ? partner : null;
}

/** Whether a browser at this origin may use the partner's key; an empty `origin` is a request without the header. */
export function isOriginAllowed(partner: PartnerCredential, origin: string): boolean {
  return origin === "" || partner.allowedOrigins.length === 0 || partner.allowedOrigins.includes(origin);
}

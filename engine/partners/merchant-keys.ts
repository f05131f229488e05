import type { MerchantKeyDigests, ShownKeys } from "./merchant.ts";
import type { ApiKeys } from "./partner-secrets.ts";

/** A merchant's two keys, in the clear only in the answer that shows them. */
export interface MerchantKeys {
  publishable: string;
  secret: string;
}

/** Prefixes that tell a merchant's keys from a partner's, also to scanners of leaked secrets. */
const PUBLISHABLE_PREFIX = "pk_merchant_";
const SECRET_PREFIX = "sk_merchant_";

/** Of the 43 random characters of a secret key: enough to tell one's keys apart, and no help to guess the rest. */
const SHOWN_OF_SECRET = 4;

/** Whether a text can be a merchant's key: what cannot is not looked up. */
export function isMerchantKey(text: string): boolean {
  return text.startsWith(SECRET_PREFIX) || text.startsWith(PUBLISHABLE_PREFIX);
}

/** A new pair, and what a merchant's record has of it. */
export function newMerchantKeys(
  apiKeys: ApiKeys,
  madeAtMs: number,
): { keys: MerchantKeys; stored: { keys: MerchantKeyDigests; shownKeys: ShownKeys } } {
  const keys = { publishable: apiKeys.generate(PUBLISHABLE_PREFIX), secret: apiKeys.generate(SECRET_PREFIX) };
  const digests = { publishable: apiKeys.digest(keys.publishable), secret: apiKeys.digest(keys.secret) };
  const secretPrefix = keys.secret.slice(0, SECRET_PREFIX.length + SHOWN_OF_SECRET);
  return { keys, stored: { keys: digests, shownKeys: { publishable: keys.publishable, secretPrefix, madeAtMs } } };
}

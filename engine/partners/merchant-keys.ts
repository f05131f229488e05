import type { MerchantKeyDigests, MerchantRecord, PendingKeys, ShownKeys } from "./merchant.ts";
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

/** Of the 64 hexadecimal digits of a digest: enough to tell all keys of a merchant apart. */
const KEY_ID_LENGTH = 16;

/** What names a pair of keys where no key may stand. */
export function keyIdOf({ secret }: MerchantKeyDigests): string {
  return secret.slice(0, KEY_ID_LENGTH);
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

/**
 * The merchant with the keys that count at this time. Nothing is stored when pending keys' time
 * comes: whoever reads the keys asks this.
 */
export function keysAt(merchant: MerchantRecord, atMs: number): MerchantRecord {
  const { pendingKeys } = merchant;
  return pendingKeys === undefined || pendingKeys.appliesAtMs > atMs ? merchant : withKeys(merchant, pendingKeys);
}

/** The merchant with other keys in the place of its present ones. None are pending any more. */
export function withKeys(
  { pendingKeys: _, ...merchant }: MerchantRecord,
  { keys, shownKeys }: Pick<PendingKeys, "keys" | "shownKeys">,
): MerchantRecord {
  return { ...merchant, keys, shownKeys, previousKeys: merchant.keys };
}

/** The merchant with its present keys alone. */
export function withoutPendingKeys({ pendingKeys: _, ...merchant }: MerchantRecord): MerchantRecord {
  return merchant;
}

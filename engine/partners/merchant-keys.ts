import {
  type EnvironmentKeys,
  MERCHANT_ENVIRONMENTS,
  type MerchantEnvironment,
  type MerchantKeyDigests,
  type MerchantRecord,
  type PendingKeys,
  type ShownKeys,
} from "./merchant.ts";
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

/** The keys of an environment, as they are stored; none where the merchant has never had any there. */
export function keysOf(merchant: MerchantRecord, environment: MerchantEnvironment): EnvironmentKeys {
  return environment === (merchant.keysEnvironment ?? merchant.environment) ? merchant : (merchant.otherKeys ?? {});
}

/** The merchant with other keys in an environment. */
function withKeysOf(merchant: MerchantRecord, environment: MerchantEnvironment, keys: EnvironmentKeys): MerchantRecord {
  const { pendingKeys: _, keys: present, ...rest } = merchant;
  if (keysOf(merchant, environment) !== merchant) return { ...merchant, otherKeys: keys };
  return { ...rest, keys: present, ...keys };
}

/**
 * The merchant with the keys that count at this time, in both environments. Nothing is stored when
 * pending keys' time comes: whoever reads the keys asks this.
 */
export function keysAt(merchant: MerchantRecord, atMs: number): MerchantRecord {
  return MERCHANT_ENVIRONMENTS.reduce((found, environment) => {
    const { pendingKeys } = keysOf(found, environment);
    return pendingKeys === undefined || pendingKeys.appliesAtMs > atMs ? found : withNewKeys(found, environment, pendingKeys);
  }, merchant);
}

/** The merchant with other keys in the place of the present ones. None are pending there any more. */
export function withNewKeys(
  merchant: MerchantRecord,
  environment: MerchantEnvironment,
  { keys, shownKeys }: Pick<PendingKeys, "keys" | "shownKeys">,
): MerchantRecord {
  const { keys: former } = keysOf(merchant, environment);
  return withKeysOf(merchant, environment, { keys, shownKeys, ...(former === undefined ? {} : { previousKeys: former }) });
}

export function withPendingKeys(merchant: MerchantRecord, environment: MerchantEnvironment, pendingKeys: PendingKeys): MerchantRecord {
  return withKeysOf(merchant, environment, { ...keysIn(keysOf(merchant, environment)), pendingKeys });
}

/** The merchant with its present keys alone, in both environments. */
export function withoutPendingKeys({ pendingKeys: _, otherKeys, ...merchant }: MerchantRecord): MerchantRecord {
  return otherKeys === undefined ? merchant : { ...merchant, otherKeys: keysIn(otherKeys) };
}

/** The present keys and those before them, without what else a record has. */
function keysIn({ keys, shownKeys, previousKeys }: EnvironmentKeys): EnvironmentKeys {
  return {
    ...(keys === undefined ? {} : { keys }),
    ...(shownKeys === undefined ? {} : { shownKeys }),
    ...(previousKeys === undefined ? {} : { previousKeys }),
  };
}

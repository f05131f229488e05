import type { MerchantGrant } from "../access/merchant-grant.ts";
import { SERVICE_CODES, type ServiceCode } from "../access/partner-grant.ts";
import type { Clock } from "../kernel/clock.ts";
import { callsPerMinute, MERCHANT_ENVIRONMENTS, type MerchantKeyDigests, type MerchantRecord } from "./merchant.ts";
import { isMerchantKey, keyIdOf, keysAt, keysOf } from "./merchant-keys.ts";
import type { MerchantStore } from "./merchant-store.ts";
import type { ApiKeys } from "./partner-secrets.ts";

/**
 * Verifies the keys of merchants, for surfaces that merchants call. It reads the store each time, so that a key ends with the change
 * that ends it, on every node. Null for no key, a deactivated merchant and a disabled partner; a word for a key that does not count.
 * Rejects with RelayError `unavailable` when the store cannot answer.
 */
export interface MerchantsByKey {
  merchantByKey(key: string): Promise<MerchantGrant | KeyWord | null>;
}

/** `replaced`: the merchant had it before its present pair. `pending`: it replaces the present pair later. */
export type KeyWord = "replaced" | "pending";

/** Keys have 55 characters; anything much longer is none. */
const KEY_LENGTH_MAX = 256;

export interface MerchantsByKeyOptions {
  store: MerchantStore;
  apiKeys: ApiKeys;
  clock: Pick<Clock, "nowMs">;
  /** The services permitted to a partner that is enabled; null for any other. In memory. */
  servicesOfPartner(partnerId: number): readonly ServiceCode[] | null;
}

export function createMerchantsByKey({ store, apiKeys, clock, servicesOfPartner }: MerchantsByKeyOptions): MerchantsByKey {
  return {
    merchantByKey: async (key) => {
      if (key.length > KEY_LENGTH_MAX || !isMerchantKey(key)) return null;
      const digest = apiKeys.digest(key);
      const stored = await store.provenByKey(digest);
      if (stored === null || !stored.merchant.active) return null;
      const merchant = keysAt(stored.merchant, clock.nowMs());
      const permitted = servicesOfPartner(merchant.partnerId);
      if (permitted === null) return null;
      const environment = MERCHANT_ENVIRONMENTS.find((one) => holds(keysOf(merchant, one).keys, digest));
      const { keys } = environment === undefined ? {} : keysOf(merchant, environment);
      if (environment === undefined || keys === undefined) return isPending(merchant, digest) ? "pending" : "replaced";
      const kind = digest === keys.secret ? "secret" : "publishable";
      const { merchantId, partnerId, returnSchemes } = merchant;
      const services = SERVICE_CODES.filter((code) => permitted.includes(code) && merchant.services[code]?.enabled === true);
      return {
        ...{ merchantId, partnerId, livemode: environment === "LIVE", kind, requestsPerMinute: callsPerMinute(merchant), services },
        ...{ keyId: keyIdOf(keys), proof: stored.proof },
        ...(environment === merchant.environment ? {} : { otherEnvironment: true }),
        ...(returnSchemes === undefined ? {} : { returnSchemes }),
      };
    },
  };
}

function holds(keys: MerchantKeyDigests | undefined, digest: string): boolean {
  return keys !== undefined && (digest === keys.secret || digest === keys.publishable);
}

function isPending(merchant: MerchantRecord, digest: string): boolean {
  return MERCHANT_ENVIRONMENTS.some((environment) => holds(keysOf(merchant, environment).pendingKeys?.keys, digest));
}

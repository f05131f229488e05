import { SERVICE_CODES, type ServiceCode } from "../access/partner-grant.ts";
import type { MerchantEnvironment, MerchantRecord } from "./merchant.ts";
import type { MerchantStore } from "./merchant-store.ts";
import type { ApiKeys } from "./partner-secrets.ts";

/** Who a merchant's key speaks for. */
export interface MerchantByKey {
  merchantId: string;
  partnerId: number;
  environment: MerchantEnvironment;
  /** Which of its two keys it was: what a `pk_` may is less than what an `sk_` may. */
  kind: "publishable" | "secret";
  /** Services that are enabled for it and permitted to its partner. */
  services: ServiceCode[];
}

/**
 * Verifies the keys of merchants, for surfaces that merchants call. It reads the store each time, so that a key ends with the change
 * that ends it, on every node. Null for no key, a replaced one, a deactivated merchant and a disabled partner.
 */
export interface MerchantsByKey {
  merchantByKey(key: string): Promise<MerchantByKey | null>;
}

/** Keys have 55 characters; anything much longer is none. */
const KEY_LENGTH_MAX = 256;

export interface MerchantsByKeyOptions {
  store: MerchantStore;
  apiKeys: ApiKeys;
  /** The services permitted to a partner that is enabled; null for any other. In memory. */
  servicesOfPartner(partnerId: number): readonly ServiceCode[] | null;
}

export function createMerchantsByKey({ store, apiKeys, servicesOfPartner }: MerchantsByKeyOptions): MerchantsByKey {
  return {
    merchantByKey: async (key) => {
      if (key === "" || key.length > KEY_LENGTH_MAX) return null;
      const digest = apiKeys.digest(key);
      const merchant = await store.byKey(digest);
      if (merchant === null || !merchant.active) return null;
      const kind = kindOf(merchant, digest);
      const permitted = servicesOfPartner(merchant.partnerId);
      if (kind === null || permitted === null) return null;
      const { merchantId, partnerId, environment } = merchant;
      const services = SERVICE_CODES.filter((code) => permitted.includes(code) && merchant.services[code]?.enabled === true);
      return { merchantId, partnerId, environment, kind, services };
    },
  };
}

function kindOf({ keys }: MerchantRecord, digest: string): MerchantByKey["kind"] | null {
  if (digest === keys.secret) return "secret";
  return digest === keys.publishable ? "publishable" : null;
}

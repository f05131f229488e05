import { SERVICE_CODES, type ServiceCode } from "../access/partner-grant.ts";
import type { ApiKeys } from "../kernel/api-keys.ts";
import type { MerchantRecord } from "./merchant.ts";
import type { MerchantStore } from "./merchant-store-port.ts";
import type { MerchantByKey, MerchantsByKey } from "./merchants-by-key-port.ts";

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

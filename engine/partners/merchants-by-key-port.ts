import type { ServiceCode } from "../access/partner-grant.ts";
import type { MerchantEnvironment } from "./merchant.ts";

/** Who a merchant's key speaks for. */
export interface MerchantByKey {
  merchantId: string;
  partnerId: number;
  environment: MerchantEnvironment;
  /** Which of its two keys it was: what a `pk_` may is less than what an `sk_` may (specification, authentication rule 7). */
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

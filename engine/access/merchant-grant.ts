import type { KeyProof } from "./made-by-key.ts";
import type { ServiceCode } from "./partner-grant.ts";

/** Who a merchant's key speaks for, as it was when the call was authenticated. */
export interface MerchantGrant {
  readonly merchantId: string;
  readonly partnerId: number;
  /** Whether the key is of LIVE; objects of the other environment are not found. */
  readonly livemode: boolean;
  /**
   * Set where the merchant is in the other environment now: the key never reaches what the merchant
   * has in no environment, or an account that was not kept for its own.
   */
  readonly otherEnvironment?: true;
  /** Which of its two keys it was: a publishable one is in pages that everybody reads. */
  readonly kind: "publishable" | "secret";
  /** Names its pair of keys without telling it: what the secret key makes is stored with this. */
  readonly keyId: string;
  readonly proof?: KeyProof;
  /** How many calls with its secret key a minute may have. */
  readonly requestsPerMinute: number;
  /** Services that are enabled for it and permitted to its partner. */
  readonly services: readonly ServiceCode[];
  /** Schemes of apps that its buyers may return to. Absent: none. */
  readonly returnSchemes?: readonly string[];
}

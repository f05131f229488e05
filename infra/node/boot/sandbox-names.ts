import type { MerchantKeys } from "../../../engine/partners/merchant-keys.ts";

/** The demo partner's shop, with its keys for the compatible API; known to everyone. */
export const SANDBOX_MERCHANT: { readonly merchantId: string; readonly keys: MerchantKeys } = {
  merchantId: "SHOP-001",
  keys: {
    publishable: "pk_merchant_sandbox_0000000000000000000000000000",
    secret: "sk_merchant_sandbox_0000000000000000000000000000",
  },
};

/** The login of its demo partner, beside the API key. */
export const DEMO_PARTNER_USERNAME = "demo";

/** Its keys for Partner API v1. */
export const SANDBOX_PARTNER_API = {
  apiKey: "pk_partner_sandbox_0000000000000000000000000000",
  secret: "sk_partner_sandbox_0000000000000000000000000000",
} as const;

/** The administrator's, unless another one is configured. */
export const SANDBOX_ADMINISTRATOR_PASSWORD = "admin";

/** The terminals that the sandbox simulates, both of the demo shop: the first over a WebSocket, the second by polling. */
export const SIMULATED_TERMINAL_ID = "SIM00001";
export const POLLING_TERMINAL_ID = "SIM00002";

/** The demo shop's owner in the portal; known to everyone. `npm run portal-code` shows the current code of the second factor. */
export const SANDBOX_OWNER = {
  email: "owner@shop-001.example",
  password: "terminal-relay-sandbox",
  /** Made once by `hashPassword`: each first start would take 50 ms for it. */
  passwordHash: "scrypt$16384$8$1$5R2mu-vCLabwvVUwkpA5yg$9BWks2AwpJjeRb8Fihr2I0vgarpCqSM9ywx80-EmQmo",
  /** base32 */
  totpSecret: "KRSXE3LJNZQWYUTFNRQXSU3BNZSGE33Y",
} as const;

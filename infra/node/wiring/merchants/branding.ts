import { createHash } from "node:crypto";
import { createBrandingStore } from "../../../../engine/branding/branding-store.ts";
import { createShopBranding, createShops, type ShopBranding, type Shops } from "../../../../engine/branding/shop-branding.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import type { Kv } from "../../../../engine/kernel/kv.ts";
import { createMerchantStore } from "../../../../engine/partners/merchant-store.ts";

/** Composes the branding of shops, which their customers see. */
export function composeBranding({ kv, clock }: { kv: Kv; clock: Clock }): { shopBranding: ShopBranding; shops: Shops } {
  const store = createBrandingStore(kv);
  return {
    shopBranding: createShopBranding({ store, clock, digestOf }),
    shops: createShops({ store, merchants: createMerchantStore(kv) }),
  };
}

function digestOf(parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
}

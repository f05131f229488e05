import type { ShopBranding, Shops } from "../../../../engine/branding/shop-branding.ts";
import { merchantSurface } from "../surface.ts";

/** The collaborators of the endpoints by which a merchant chooses what its customers see. */
export interface BrandingOperations {
  shopBranding: Omit<ShopBranding, "logo">;
  shops: Shops;
}

export const branding = merchantSurface<BrandingOperations>();

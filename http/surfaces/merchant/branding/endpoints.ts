import type { Endpoint } from "../../../endpoint/endpoint.ts";
import type { MerchantOperations } from "../surface.ts";
import { removeLogo, saveBrandingColor, saveLogo, showBranding } from "./branding.ts";
import type { BrandingOperations } from "./surface.ts";

/** The endpoints by which a merchant chooses what its customers see. */
export const brandingEndpoints: Endpoint<BrandingOperations & MerchantOperations>[] = [
  showBranding,
  saveBrandingColor,
  saveLogo,
  removeLogo,
];

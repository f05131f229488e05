import type { OwnMerchant } from "../../../../engine/partners/own-merchant.ts";
import { merchantSurface } from "../surface.ts";

/** What the endpoints of payment methods and keys use. */
export interface MethodOperations {
  ownMerchant: OwnMerchant;
}

export const methods = merchantSurface<MethodOperations>({ refusesUnknown: "money" });

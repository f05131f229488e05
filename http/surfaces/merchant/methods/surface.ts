import type { OwnMerchant } from "../../../../engine/partners/own-merchant.ts";
import { merchantSurface } from "../surface.ts";

/** The collaborators of the endpoints of payment methods and keys. */
export interface MethodOperations {
  ownMerchant: OwnMerchant;
}

export const methods = merchantSurface<MethodOperations>({ refusesUnknown: "money" });

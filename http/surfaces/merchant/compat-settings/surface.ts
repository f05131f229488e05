import type { OwnMerchant } from "../../../../engine/partners/own-merchant.ts";
import type { ApiVersions } from "../../../../engine/webhooks/api-versions.ts";
import { merchantSurface } from "../surface.ts";

/** What the endpoints of the compatible API's settings use. */
export interface CompatSettingsOperations {
  ownMerchant: Pick<OwnMerchant, "find" | "saveReturnSchemes">;
  apiVersions: ApiVersions;
  /** The version that counts: what the merchant has chosen, else the relay's own. */
  effectiveApiVersion(merchantId: string): Promise<string>;
}

/** A misspelt member would leave buyers, or receivers of events, as they are. */
export const compatSettings = merchantSurface<CompatSettingsOperations>({ refusesUnknown: "access" });

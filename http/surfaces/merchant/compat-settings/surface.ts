import type { OwnMerchant } from "../../../../engine/partners/own-merchant.ts";
import type { ApiVersions } from "../../../../engine/webhooks/api-versions.ts";
import { merchantSurface } from "../surface.ts";

/** The collaborators of the endpoints of the compatible API's settings. */
export interface CompatSettingsOperations {
  ownMerchant: Pick<OwnMerchant, "find" | "saveReturnSchemes">;
  apiVersions: ApiVersions;
  /** Returns the version that the merchant has chosen, or else the relay's default version. */
  effectiveApiVersion(merchantId: string): Promise<string>;
}

/** Unknown members are rejected, because a misspelt one would leave the setting unchanged. */
export const compatSettings = merchantSurface<CompatSettingsOperations>({ refusesUnknown: "access" });

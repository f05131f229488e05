import type { Endpoint } from "../../endpoint/endpoint.ts";
import { saveGatewayCredentials, showGatewayCredentials, testGatewayCredentials } from "./gateway-credentials.ts";
import { saveOrigins } from "./origins.ts";
import { regenerateKey } from "./regenerate-key.ts";
import type { PartnerPortalOperations } from "./surface.ts";

/** Specification, "Partner portal endpoints". */
export const partnerPortalEndpoints: Endpoint<PartnerPortalOperations>[] = [
  regenerateKey,
  showGatewayCredentials,
  saveGatewayCredentials,
  testGatewayCredentials,
  saveOrigins,
];

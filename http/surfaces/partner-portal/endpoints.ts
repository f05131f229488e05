import type { Endpoint } from "../../endpoint/endpoint.ts";
import { saveGatewayCredentials, showGatewayCredentials, testGatewayCredentials } from "./gateway-credentials.ts";
import { saveOrigins } from "./origins.ts";
import { regenerateKey } from "./regenerate-key.ts";
import type { PartnerPortalOperations } from "./surface.ts";

/** The endpoints that a partner uses for its own account, with its own user name and password. */
export const partnerPortalEndpoints: Endpoint<PartnerPortalOperations>[] = [
  regenerateKey,
  showGatewayCredentials,
  saveGatewayCredentials,
  testGatewayCredentials,
  saveOrigins,
];

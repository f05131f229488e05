import type { Caller } from "../../../engine/access/caller.ts";
import type { CheckGateway } from "../../../engine/gateway/check-gateway.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { GatewayAccounts } from "../../../engine/links/gateway-accounts.ts";
import type { AdministerPartners } from "../../../engine/partners/administer-partners.ts";
import type { Partners } from "../../../engine/partners/partners.ts";
import { PROPAGATION_DEADLINE_MS } from "../../../engine/tables/replicated-table.ts";
import { surface } from "../../endpoint/surface.ts";
import { relayEnvelope } from "../parts/relay-envelope.ts";

/** What the partner portal's endpoints use. */
export interface PartnerPortalOperations {
  partners: Partners;
  administerPartners: AdministerPartners;
  gatewayAccounts: GatewayAccounts;
  checkGateway: CheckGateway;
}

export const portal = surface<PartnerPortalOperations>()({
  name: "partner-portal",
  tags: ["Partner account"],
  envelope: relayEnvelope,
  changeDeadlineMs: PROPAGATION_DEADLINE_MS,
});

/** The partner that calls, with its user name and password. Throws RelayError `forbidden` for anyone else: nobody acts for a partner here. */
export function callingPartner(caller: Caller): number {
  if (caller.type !== "partner") throw new RelayError("forbidden", "Only a partner may do this, with its own user name and password");
  return caller.partnerId;
}

import type { Caller } from "../../../engine/access/caller.ts";
import { type PartnerApiAct, type PartnerApiGrant, roleMay } from "../../../engine/access/partner-grant.ts";
import type { Users } from "../../../engine/accounts/users.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { CallCounts } from "../../../engine/partners/call-counts.ts";
import type { MerchantServices } from "../../../engine/partners/merchant-services.ts";
import type { Merchants } from "../../../engine/partners/merchants.ts";
import type { ReplaceKeys } from "../../../engine/partners/replace-keys.ts";
import type { Reconciliation } from "../../../engine/reconciliation/reconciliation.ts";
import { PROPAGATION_DEADLINE_MS } from "../../../engine/tables/replicated-table.ts";
import type { EndpointDeliveries } from "../../../engine/webhooks/endpoint-deliveries.ts";
import type { WebhookEndpoints } from "../../../engine/webhooks/webhook-endpoints.ts";
import { surface } from "../../endpoint/surface.ts";
import { partnerApiEnvelope } from "./error-body.ts";

/** Part of the interface: the base ends in `/api/v1`. */
export const PARTNER_API_BASE = "/partner/api/v1";

/** What the endpoints of Partner API v1 use. */
export interface PartnerV1Operations {
  merchants: Merchants;
  merchantServices: MerchantServices;
  replaceKeys: ReplaceKeys;
  callCounts: CallCounts;
  webhookEndpoints: WebhookEndpoints;
  endpointDeliveries: EndpointDeliveries;
  users: Users;
  reconciliation: Pick<Reconciliation, "ofPartner">;
}

export const partnerV1 = surface<PartnerV1Operations>()({
  name: "partner-v1",
  tags: ["Partner API"],
  envelope: partnerApiEnvelope,
  changeDeadlineMs: PROPAGATION_DEADLINE_MS,
});

/** Calls of one address in any one second: a partner's back office, not a till. */
export const PARTNER_API_RATE = { bucket: "partnerApi", perSecond: 50 };

/** Responses with keys must not be stored by caches. */
export const NO_STORE = { "Cache-Control": "no-store" } as const;
export const NO_STORE_HEADERS = { "Cache-Control": { description: "no-store" } };

/** The partner that calls. Throws RelayError `forbidden` if its role does not permit the action. */
export function permitted(caller: Caller, act: PartnerApiAct): PartnerApiGrant {
  if (caller.type !== "partnerApi") throw new RelayError("unauthorized", "A partner API key is required");
  const { partner } = caller;
  if (!roleMay(partner.role, act)) throw new RelayError("forbidden", `The role ${partner.role} does not permit this`);
  return partner;
}

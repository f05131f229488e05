import type { Intents, IsUnderDispute } from "../../../engine/intents/intents.ts";
import type { MerchantsByKey } from "../../../engine/partners/merchant-by-key.ts";
import type { MerchantCalls } from "../../../engine/partners/merchant-calls.ts";
import type { ApiVersions } from "../../../engine/webhooks/api-versions.ts";
import type { WebhookEndpoints } from "../../../engine/webhooks/webhook-endpoints.ts";
import type { WebhookEvents } from "../../../engine/webhooks/webhook-events.ts";
import type { Objects } from "./objects.ts";

/** What the endpoints of the compatible API use. */
export interface CompatOperations {
  intents: Intents;
  webhookEndpoints: WebhookEndpoints;
  webhookEvents: WebhookEvents;
  apiVersions: ApiVersions;
  /** Rejects also with RelayError `rate_limited`: for an address from which too many keys were none. */
  merchantsByKey: { merchantByKey(key: string, ipAddress: string): ReturnType<MerchantsByKey["merchantByKey"]> };
  merchantCalls: MerchantCalls;
  compatObjects: Objects;
  isUnderDispute: IsUnderDispute;
  /** Whether pages of this origin may use a publishable key of the partner's merchants: all may while the partner has listed none. */
  mayPageCall(partnerId: number, origin: string): boolean;
}

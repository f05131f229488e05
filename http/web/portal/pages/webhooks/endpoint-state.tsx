import type { WebhookEndpointJson } from "../../../../surfaces/merchant/webhooks/schemas.ts";
import { Badge } from "../../components/badge.tsx";
import { text } from "../../i18n/texts.ts";

/** Shows whether the endpoint receives events, and whether the relay or the owner disabled it. */
export function EndpointState({ endpoint: { status, disabledReason } }: { endpoint: WebhookEndpointJson }) {
  const { webhooks: words } = text();
  if (status === "enabled") return <Badge kind="good">{words.statuses.enabled}</Badge>;
  return <Badge kind={disabledReason === null ? "neutral" : "bad"}>{words.statuses.disabled}</Badge>;
}

import type { WebhookDeliveryJson } from "../../../../surfaces/merchant/webhooks/schemas.ts";
import { Badge, type BadgeKind } from "../../components/badge.tsx";
import { text } from "../../i18n/texts.ts";

const KINDS: Readonly<Record<WebhookDeliveryJson["outcome"], BadgeKind>> = { PENDING: "warn", DELIVERED: "good", FAILED: "bad" };

export function DeliveryOutcome({ outcome }: Pick<WebhookDeliveryJson, "outcome">) {
  return <Badge kind={KINDS[outcome]}>{text().webhooks.outcomes[outcome]}</Badge>;
}

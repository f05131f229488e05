import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { resentDelivery, WEBHOOK_DEAD_LIFETIME_MS, type WebhookDeliveryRecord } from "./webhook-delivery.ts";
import type { WebhookDeliveryStore } from "./webhook-delivery-store.ts";

/**
 * Sends a delivery again at once, with all its attempts, in any state. Resolves with null if it
 * does not exist. Throws RelayError `conflict` while it is being changed, or if its endpoint is
 * disabled or removed.
 */
export async function resendDelivery(
  deliveries: Pick<WebhookDeliveryStore, "load" | "context" | "resent">,
  clock: Clock,
  id: string,
): Promise<WebhookDeliveryRecord | null> {
  const stored = await deliveries.load(id);
  if (stored === null) return null;
  const { event, endpoint } = await deliveries.context(stored.record);
  if (event === null) throw new RelayError("conflict", "The event of this delivery is no longer stored");
  if (endpoint?.record.status !== "enabled") throw new RelayError("conflict", "The endpoint of this delivery is disabled or removed");
  const atMs = clock.nowMs();
  const record = resentDelivery(stored.record, atMs);
  if (await deliveries.resent(stored, record, event, atMs + WEBHOOK_DEAD_LIFETIME_MS)) return record;
  throw new RelayError("conflict", "The delivery is being sent at this moment; retry shortly", { retryAfterSeconds: 1 });
}

import type { Clock } from "../kernel/clock.ts";
import { canceledDelivery } from "./webhook-delivery.ts";
import type { WebhookDeliveryStore } from "./webhook-delivery-store.ts";
import type { WebhookDisabledReason, WebhookEndpointRecord } from "./webhook-endpoint.ts";
import type { WebhookEndpointStore } from "./webhook-endpoint-store.ts";

/** Stops the deliveries to an endpoint. */
export interface EndpointStops {
  /**
   * Disables the endpoint and cancels its waiting deliveries. Resolves with false if its owner has
   * changed the address meanwhile, since the reason applies to the previous address.
   */
  disable(endpoint: WebhookEndpointRecord, reason: Exclude<WebhookDisabledReason, "key_leaked">): Promise<boolean>;
  /**
   * Cancels the waiting deliveries of an endpoint. Deliveries beyond CANCELED_AT_ONCE_MAX are
   * canceled when they are due.
   */
  cancelWaiting(endpointId: string): Promise<void>;
}

export interface EndpointStopsOptions {
  endpoints: WebhookEndpointStore;
  deliveries: WebhookDeliveryStore;
  clock: Clock;
  disabled(endpoint: WebhookEndpointRecord): void;
}

const PAGE = 100;
/** The limit exists because a caller waits for it. */
const CANCELED_AT_ONCE_MAX = 2_000;
const CHANGES_MAX = 8;

export function createEndpointStops({ endpoints, deliveries, clock, disabled }: EndpointStopsOptions): EndpointStops {
  async function cancelWaiting(endpointId: string): Promise<void> {
    for (let canceled = 0; canceled < CANCELED_AT_ONCE_MAX; canceled += PAGE) {
      const waiting = await deliveries.waitingFor(endpointId, PAGE);
      // A delivery in progress may change meanwhile. Its next attempt then finds the disabled
      // endpoint.
      const outcomes = await Promise.all(waiting.map((stored) => deliveries.replace(stored, canceledDelivery(stored.record, null))));
      if (waiting.length < PAGE || outcomes.every((outcome) => outcome === null)) return;
    }
  }

  return {
    cancelWaiting,
    disable: async ({ id, url }, reason) => {
      for (let tries = 0; tries < CHANGES_MAX; tries += 1) {
        const stored = await endpoints.load(id);
        if (stored === null || stored.record.status === "disabled") return true;
        if (stored.record.url !== url) return false;
        const off = { ...stored.record, status: "disabled", disabledReason: reason, updatedAtMs: clock.nowMs() } as const;
        if ((await endpoints.replace(stored, off)) === null) continue;
        disabled(off);
        await cancelWaiting(id);
        return true;
      }
      return false;
    },
  };
}

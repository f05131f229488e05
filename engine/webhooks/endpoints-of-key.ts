import type { LookAtKey, MadeByKey } from "../access/made-by-key.ts";
import type { EndpointStops } from "./endpoint-stops.ts";
import type { WebhookEndpointRecord } from "./webhook-endpoint.ts";
import { endpointOperations, type WebhookEndpointStore } from "./webhook-endpoint-store.ts";

export interface EndpointsOfKeyOptions {
  store: Pick<WebhookEndpointStore, "held">;
  stops: Pick<EndpointStops, "cancelWaiting">;
  /** Reports that an endpoint was disabled because its key leaked. */
  ended(before: WebhookEndpointRecord, after: WebhookEndpointRecord): void;
  failed(what: string, error: unknown): void;
}

/**
 * Finds the webhook endpoints that a secret key created or changed. If the key leaked, they are
 * disabled but not removed, so that missed deliveries can be sent again once an owner enables them.
 */
export function createEndpointsOfKey({ store, stops, ended, failed }: EndpointsOfKeyOptions): LookAtKey {
  return async ({ merchantId, livemode, keyId, leaked, atMs }) => {
    const { endpoints, checks } = await store.held({ type: "merchant", merchantId });
    const found = endpoints.flatMap(({ record }) => {
      const isCertain = record.madeBy?.type === "key" && record.madeBy.keyId === keyId;
      const isListed = record.livemode === livemode && (isCertain || record.madeBy === undefined);
      return isListed ? [{ record, isCertain, ends: leaked && isCertain }] : [];
    });
    const ends = found.flatMap(({ record, ends }) => (ends ? [{ before: record, after: disabled(record, atMs) }] : []));
    return {
      items: found.map(({ record, isCertain, ends }) => itemOf(record, isCertain, ends)),
      checks: leaked ? checks : [],
      operations: ends.flatMap(({ before, after }) => endpointOperations(before, after)),
      committed: () => {
        for (const { before, after } of ends) {
          ended(before, after);
          // No caller waits for it. A delivery that it misses finds the disabled endpoint.
          stops.cancelWaiting(after.id).catch((error: unknown) => failed("webhooks.key-leaked", error));
        }
      },
    };
  };
}

function disabled(record: WebhookEndpointRecord, atMs: number): WebhookEndpointRecord {
  return { ...record, status: "disabled", disabledReason: "key_leaked", updatedAtMs: Math.max(atMs, record.updatedAtMs + 1) };
}

function itemOf({ id, url }: WebhookEndpointRecord, isCertain: boolean, ended: boolean): MadeByKey {
  return { type: "webhook_endpoint", id, mark: URL.canParse(url) ? new URL(url).host : "", isCertain, ended, expiresAtMs: null };
}

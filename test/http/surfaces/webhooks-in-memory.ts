import type { Clock } from "../../../engine/kernel/clock.ts";
import { WEBHOOK_ENDPOINTS_MAX, type WebhookEndpointRecord, type WebhookOwner } from "../../../engine/webhooks/webhook-endpoint.ts";
import type { WebhookEndpoints } from "../../../engine/webhooks/webhook-endpoints.ts";

/** Endpoints as the engine's own are, without a store: for tests of the surfaces that stand on them. */
export function webhooksInMemory(
  clock: Clock,
): WebhookEndpoints & { of(id: string): WebhookEndpointRecord | undefined; disable(id: string, reason: "gone" | "failing"): void } {
  const records = new Map<string, WebhookEndpointRecord>();
  let made = 0;
  const operations = new Map<string, string>();
  const isOf = (one: WebhookOwner, other: WebhookOwner) => JSON.stringify(one) === JSON.stringify(other);
  const ofOwner = (owner: WebhookOwner) => [...records.values()].filter((record) => isOf(record.owner, owner)).reverse();
  const find = (owner: WebhookOwner, livemode: boolean, id: string) =>
    ofOwner(owner).find((record) => record.id === id && record.livemode === livemode) ?? null;
  return {
    of: (id) => records.get(id),
    disable: (id, disabledReason) => {
      const record = records.get(id);
      if (record !== undefined) records.set(id, { ...record, status: "disabled", disabledReason });
    },
    create: async (owner, order, operationId) => {
      const known = records.get(operations.get(operationId) ?? "");
      if (known !== undefined) return { type: "created", endpoint: known, secret: "" };
      if (ofOwner(owner).length >= WEBHOOK_ENDPOINTS_MAX) return { type: "full" };
      const id = `we_${String(++made).padStart(24, "0")}`;
      const nowMs = clock.nowMs();
      const endpoint: WebhookEndpointRecord = {
        ...{ schema: 1, id, owner, ...order, status: "enabled", disabledReason: null, secrets: [] },
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
      };
      records.set(id, endpoint);
      operations.set(operationId, id);
      return { type: "created", endpoint, secret: "" };
    },
    find: async (owner, livemode, id) => find(owner, livemode, id),
    list: async (owner, livemode, { limit }) => {
      const items = ofOwner(owner).filter((record) => record.livemode === livemode);
      return { items: items.slice(0, limit), hasMore: items.length > limit };
    },
    change: async (owner, livemode, id, { disabled, ...change }) => {
      const before = find(owner, livemode, id);
      if (before === null) return null;
      const state = disabled === undefined ? {} : { status: disabled ? ("disabled" as const) : ("enabled" as const), disabledReason: null };
      const after = { ...before, ...change, ...state, updatedAtMs: clock.nowMs() };
      records.set(id, after);
      return after;
    },
    remove: async (owner, livemode, id) => find(owner, livemode, id) !== null && records.delete(id),
    rollSecret: async () => null,
  };
}

import { available, type Entry, type Kv, type Operation, prefixRange } from "../kernel/kv.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import { readBareRecord, readRecord, recordText } from "../kernel/schemas.ts";
import type { Stored } from "../kernel/stored.ts";
import { WEBHOOK_ENDPOINTS_MAX, type WebhookEndpointRecord, type WebhookHealth, type WebhookOwner } from "./webhook-endpoint.ts";

/** Endpoints. Every method rejects with RelayError `unavailable` when the store cannot answer. */
export interface WebhookEndpointStore {
  load(id: string): Promise<Stored<WebhookEndpointRecord> | null>;
  /** `full`: its owner has WEBHOOK_ENDPOINTS_MAX. */
  create(record: WebhookEndpointRecord): Promise<"created" | "exists" | "full">;
  /** Null when somebody else changed it first. */
  replace(before: Stored<WebhookEndpointRecord>, after: WebhookEndpointRecord): Promise<Stored<WebhookEndpointRecord> | null>;
  /** False when somebody else changed it first. */
  remove(before: Stored<WebhookEndpointRecord>): Promise<boolean>;
  /** An owner's, by id; those after `after` only. */
  ofOwner(owner: WebhookOwner, after: string | null, limit: number): Promise<EndpointPage>;
  /** Of all owners, by id; those after `after` only. */
  page(after: string | null, limit: number): Promise<WebhookEndpointRecord[]>;
}

export interface EndpointPage {
  readonly endpoints: readonly WebhookEndpointRecord[];
  /** The id after which the next page begins; null where this was the last one. */
  readonly next: string | null;
}

/** Null before it was created, and after it was removed. */
export type EndpointOwed = (before: WebhookEndpointRecord | null, after: WebhookEndpointRecord | null) => Promise<readonly Operation[]>;

export const WEBHOOK_ENDPOINTS = "webhook-endpoint/";
const OF_OWNER = "webhook-endpoint-of/";
const COUNTS = "webhook-endpoint-count/";
const HEALTH = "webhook-health/";

/** Changes of one owner's endpoints that may come in between; more in a row mean that something is wrong. */
const ATTEMPTS_MAX = 64;

/**
 * Endpoints on the key-value store: `webhook-endpoint/<id>`, by owner
 * `webhook-endpoint-of/<m/merchant or p/partner>/<id>`, how many each has under
 * `webhook-endpoint-count/<owner>`, and what was given up since the last success under
 * `webhook-health/<id>`. `owed`: what else belongs into the commit of a change, whoever makes it.
 */
export function createWebhookEndpointStore(kv: Kv, owed: EndpointOwed = async () => []): WebhookEndpointStore {
  async function countOf(owner: WebhookOwner): Promise<{ key: string; version: number; endpoints: number }> {
    const key = COUNTS + ownerKey(owner);
    const entry = await kv.get(key);
    if (entry === null) return { key, version: 0, endpoints: 0 };
    return { key, version: entry.version, ...readBareRecord<{ endpoints: number }>("webhookEndpoint", key, entry.value) };
  }

  async function load(id: string): Promise<Stored<WebhookEndpointRecord> | null> {
    const entry = await kv.get(endpointKey(id));
    return entry === null ? null : { record: endpointOf(entry), version: entry.version };
  }

  return {
    load: (id) => available(() => load(id)),
    create: (record) =>
      available(() =>
        retryOnConflict(ATTEMPTS_MAX, async () => {
          if ((await load(record.id)) !== null) return "exists";
          const { key, version, endpoints } = await countOf(record.owner);
          if (endpoints >= WEBHOOK_ENDPOINTS_MAX) return "full";
          const { type } = await kv.commit({
            checks: [
              { key: endpointKey(record.id), version: 0 },
              { key, version },
            ],
            operations: [
              { type: "put", key: endpointKey(record.id), value: recordText("webhookEndpoint", record) },
              { type: "put", key: ofOwnerKey(record), value: "1" },
              { type: "put", key, value: recordText("webhookEndpoint", { endpoints: endpoints + 1 }) },
              ...(await owed(null, record)),
            ],
          });
          return type === "committed" ? "created" : CONFLICT;
        }),
      ),
    replace: (before, record) =>
      available(async () => {
        const key = endpointKey(record.id);
        const put = { type: "put", key, value: recordText("webhookEndpoint", record) } as const;
        // Whatever was given up before belongs to the time before it was enabled again, or to another address.
        const begun = before.record.status !== record.status || before.record.url !== record.url;
        const anew = begun ? [{ type: "delete", key: HEALTH + record.id } as const] : [];
        const result = await kv.commit({
          checks: [{ key, version: before.version }],
          operations: [put, ...anew, ...(await owed(before.record, record))],
        });
        return result.type === "committed" ? { record, version: result.version } : null;
      }),
    remove: ({ record, version }) =>
      available(() =>
        retryOnConflict(ATTEMPTS_MAX, async () => {
          const count = await countOf(record.owner);
          const key = endpointKey(record.id);
          const result = await kv.commit({
            checks: [
              { key, version },
              { key: count.key, version: count.version },
            ],
            operations: [
              { type: "delete", key },
              { type: "delete", key: ofOwnerKey(record) },
              { type: "delete", key: HEALTH + record.id },
              { type: "put", key: count.key, value: recordText("webhookEndpoint", { endpoints: Math.max(0, count.endpoints - 1) }) },
              ...(await owed(record, null)),
            ],
          });
          if (result.type === "committed") return true;
          return result.key === key ? false : CONFLICT;
        }),
      ),
    ofOwner: (owner, after, limit) =>
      available(async () => {
        const prefix = `${OF_OWNER}${ownerKey(owner)}/`;
        const { from, to } = prefixRange(prefix);
        const places = await kv.scan({ from: after === null ? from : `${prefix}${after}\u0001`, to, limit });
        const ids = places.map(({ key }) => key.slice(prefix.length));
        const entries = ids.length === 0 ? [] : await kv.getMany(ids.map(endpointKey));
        const endpoints = entries.flatMap((entry) => (entry === null ? [] : [endpointOf(entry)]));
        return { endpoints, next: ids.length < limit ? null : (ids.at(-1) ?? null) };
      }),
    page: (after, limit) =>
      available(async () => {
        const { from, to } = prefixRange(WEBHOOK_ENDPOINTS);
        const entries = await kv.scan({ from: after === null ? from : `${WEBHOOK_ENDPOINTS}${after}\u0001`, to, limit });
        return entries.map(endpointOf);
      }),
  };
}

/** The keys under which a delivery finds what it needs of its endpoint. */
export function endpointKey(id: string): string {
  return WEBHOOK_ENDPOINTS + id;
}

export function healthKey(endpointId: string): string {
  return HEALTH + endpointId;
}

export function endpointOf({ key, value }: Entry): WebhookEndpointRecord {
  return readRecord("webhookEndpoint", key, value);
}

export function healthOf({ key, value }: Entry): WebhookHealth {
  return readRecord("webhookHealth", key, value);
}

function ownerKey(owner: WebhookOwner): string {
  return owner.type === "merchant" ? `m/${owner.merchantId}` : `p/${owner.partnerId}`;
}

function ofOwnerKey({ owner, id }: WebhookEndpointRecord): string {
  return `${OF_OWNER}${ownerKey(owner)}/${id}`;
}

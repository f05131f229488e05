import { type KeyProof, keyEnded } from "../access/made-by-key.ts";
import { available, type CommitResult, type Entry, type Kv, type Operation, prefixRange } from "../kernel/kv.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import { readBareRecord, readRecord, recordText } from "../kernel/schemas.ts";
import type { Stored } from "../kernel/stored.ts";
import { WEBHOOK_ENDPOINTS_MAX, type WebhookEndpointRecord, type WebhookHealth, type WebhookOwner } from "./webhook-endpoint.ts";

/**
 * Stores endpoints. Every method rejects with RelayError `unavailable` when the store cannot
 * answer. A method with a `proof` rejects with `unauthorized` if the key has ended meanwhile.
 */
export interface WebhookEndpointStore {
  load(id: string): Promise<Stored<WebhookEndpointRecord> | null>;
  /** `full`: the owner has WEBHOOK_ENDPOINTS_MAX endpoints. */
  create(record: WebhookEndpointRecord, proof?: KeyProof): Promise<"created" | "exists" | "full">;
  /** Resolves with null if another commit changed it first. */
  replace(
    before: Stored<WebhookEndpointRecord>,
    after: WebhookEndpointRecord,
    proof?: KeyProof,
  ): Promise<Stored<WebhookEndpointRecord> | null>;
  /** Resolves with false if another commit changed it first. */
  remove(before: Stored<WebhookEndpointRecord>): Promise<boolean>;
  /**
   * Returns all endpoints of an owner. `checks` assert in a commit that there are no others and
   * that none has changed.
   */
  held(owner: WebhookOwner): Promise<{ endpoints: readonly Stored<WebhookEndpointRecord>[]; checks: readonly KeyProof[] }>;
  /** Lists an owner's endpoints by id, after `after` only. */
  ofOwner(owner: WebhookOwner, after: string | null, limit: number): Promise<EndpointPage>;
  /** Lists the endpoints of all owners by id, after `after` only. */
  page(after: string | null, limit: number): Promise<WebhookEndpointRecord[]>;
}

export interface EndpointPage {
  readonly endpoints: readonly WebhookEndpointRecord[];
  /** The id after which the next page begins; null for the last page. */
  readonly next: string | null;
}

/**
 * Returns operations for the commit of a change. `before` is null for a new endpoint, and `after`
 * for a removed one.
 */
export type EndpointOwed = (before: WebhookEndpointRecord | null, after: WebhookEndpointRecord | null) => Promise<readonly Operation[]>;

export const WEBHOOK_ENDPOINTS = "webhook-endpoint/";
const OF_OWNER = "webhook-endpoint-of/";
const COUNTS = "webhook-endpoint-count/";
const HEALTH = "webhook-health/";

/** Maximum number of concurrent changes to one owner's endpoints. More in a row indicate a bug. */
const ATTEMPTS_MAX = 64;

/**
 * Stores endpoints under `webhook-endpoint/<id>`, by owner under `webhook-endpoint-of/<m/merchant
 * or p/partner>/<id>`, their number under `webhook-endpoint-count/<owner>`, and the dead deliveries
 * since the last success under `webhook-health/<id>`. `owed` returns additional operations for the
 * commit of each change.
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
    create: (record, proof) =>
      available(() =>
        retryOnConflict(ATTEMPTS_MAX, async () => {
          if ((await load(record.id)) !== null) return "exists";
          const { key, version, endpoints } = await countOf(record.owner);
          if (endpoints >= WEBHOOK_ENDPOINTS_MAX) return "full";
          const result = await kv.commit({
            checks: [{ key: endpointKey(record.id), version: 0 }, { key, version }, ...proofs(proof)],
            operations: [
              { type: "put", key: endpointKey(record.id), value: recordText("webhookEndpoint", record) },
              { type: "put", key: ofOwnerKey(record), value: "1" },
              { type: "put", key, value: recordText("webhookEndpoint", { endpoints: endpoints + 1 }) },
              ...(await owed(null, record)),
            ],
          });
          return isStored(result, proof) ? "created" : CONFLICT;
        }),
      ),
    replace: (before, record, proof) =>
      available(async () => {
        const result = await kv.commit({
          checks: [{ key: endpointKey(record.id), version: before.version }, ...proofs(proof)],
          operations: [...endpointOperations(before.record, record), ...(await owed(before.record, record))],
        });
        return isStored(result, proof) ? { record, version: result.version } : null;
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
    held: (owner) =>
      available(async () => {
        const { key, version } = await countOf(owner);
        const prefix = `${OF_OWNER}${ownerKey(owner)}/`;
        const places = await kv.scan({ ...prefixRange(prefix), limit: WEBHOOK_ENDPOINTS_MAX });
        const entries = places.length === 0 ? [] : await kv.getMany(places.map((place) => endpointKey(place.key.slice(prefix.length))));
        const endpoints = entries.flatMap((entry) => (entry === null ? [] : [{ record: endpointOf(entry), version: entry.version }]));
        return {
          endpoints,
          checks: [{ key, version }, ...endpoints.map((stored) => ({ key: endpointKey(stored.record.id), version: stored.version }))],
        };
      }),
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

/** Returns the operations that store a changed endpoint. */
export function endpointOperations(before: WebhookEndpointRecord, after: WebhookEndpointRecord): Operation[] {
  const put = { type: "put", key: endpointKey(after.id), value: recordText("webhookEndpoint", after) } as const;
  // Dead deliveries from before the endpoint was enabled again, or to its previous address, do not
  // count.
  const begun = before.status !== after.status || before.url !== after.url;
  return begun ? [put, { type: "delete", key: HEALTH + after.id }] : [put];
}

/** Keys under which a delivery finds its endpoint and the endpoint's health. */
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

function proofs(proof: KeyProof | undefined): readonly KeyProof[] {
  return proof === undefined ? [] : [proof];
}

/** Throws if the key that authorized the commit has ended. */
function isStored(result: CommitResult, proof: KeyProof | undefined): result is Extract<CommitResult, { type: "committed" }> {
  if (result.type === "conflict" && result.key === proof?.key) throw keyEnded();
  return result.type === "committed";
}

function ownerKey(owner: WebhookOwner): string {
  return owner.type === "merchant" ? `m/${owner.merchantId}` : `p/${owner.partnerId}`;
}

function ofOwnerKey({ owner, id }: WebhookEndpointRecord): string {
  return `${OF_OWNER}${ownerKey(owner)}/${id}`;
}

import type { KeyProof, WithKey } from "../access/made-by-key.ts";
import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { changedMetadata, hasTooManyKeys, type Metadata, type MetadataChange, TooManyMetadataKeys } from "../kernel/metadata.ts";
import { type Page, type PageQuery, pageOf } from "../kernel/page.ts";
import { type Digest, prefixedId } from "../kernel/prefixed-id.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { SecretBox } from "../kernel/secret-box.ts";
import type { Stored } from "../kernel/stored.ts";
import type { EndpointStops } from "./endpoint-stops.ts";
import {
  liveSecrets,
  SECRET_OVERLAP_MAX_MS,
  SECRET_ROLLS_KEPT,
  WEBHOOK_SECRETS_MAX,
  type WebhookEndpointRecord,
  type WebhookMaker,
  type WebhookOwner,
  type WebhookSecret,
  webhookSecretPlace,
} from "./webhook-endpoint.ts";
import type { WebhookEndpointStore } from "./webhook-endpoint-store.ts";
import type { WebhookFormat } from "./webhook-event.ts";
import { assertWebhookUrl } from "./webhook-url.ts";

export interface WebhookEndpointOrder {
  readonly format: WebhookFormat;
  readonly livemode: boolean;
  readonly url: string;
  readonly events: readonly string[];
  readonly apiVersion: string | null;
  readonly description: string | null;
  readonly metadata: Metadata;
  /** Absent if the owner is a partner. */
  readonly madeBy?: WebhookMaker;
}

/** Absent members do not change. Metadata is changed key by key. */
export interface WebhookEndpointChange {
  readonly url?: string;
  readonly events?: readonly string[];
  readonly description?: string | null;
  readonly metadata?: MetadataChange;
  readonly disabled?: boolean;
  /**
   * The `updatedAtMs` that the caller has seen. Throws RelayError `conflict` if the endpoint was
   * changed since. Not compared if absent.
   */
  readonly seenAtMs?: number;
  /** The key that authorized the call; absent for a person and for a partner. */
  readonly withKey?: WithKey;
}

/**
 * The endpoints of merchants and partners. An endpoint of another owner or of the other environment
 * is null. Throws RelayError `invalid_request` for an address that is not allowed, and
 * `unavailable` when the store cannot answer.
 */
export interface WebhookEndpoints {
  /**
   * Creates an endpoint. `operationId`, from which its id is derived, makes it idempotent. `secret`
   * is shown only here. It is empty for a partner's endpoint, whose events are signed with the
   * partner's secret. `full`: the owner has WEBHOOK_ENDPOINTS_MAX endpoints.
   */
  create(
    owner: WebhookOwner,
    order: WebhookEndpointOrder,
    operationId: string,
    proof?: KeyProof,
  ): Promise<{ type: "created"; endpoint: WebhookEndpointRecord; secret: string } | { type: "full" }>;
  find(owner: WebhookOwner, livemode: boolean, id: string): Promise<WebhookEndpointRecord | null>;
  /** Lists the newest endpoints first. Resolves with null for a cursor that is not among them. */
  list(owner: WebhookOwner, livemode: boolean, query: PageQuery): Promise<Page<WebhookEndpointRecord> | null>;
  /**
   * Changes an endpoint. Disabling it cancels its waiting deliveries, and enabling it clears the
   * reason. Throws also TooManyMetadataKeys.
   */
  change(owner: WebhookOwner, livemode: boolean, id: string, change: WebhookEndpointChange): Promise<WebhookEndpointRecord | null>;
  /**
   * Removes an endpoint and cancels its waiting deliveries. Resolves with false if it does not
   * exist.
   */
  remove(owner: WebhookOwner, livemode: boolean, id: string): Promise<boolean>;
  /**
   * Replaces the secret. The current one also signs for `overlapMs` (0 to 7 days). Resolves with
   * null also for a partner's endpoint, which has no secret of its own. `operationId` makes it
   * idempotent: repeating it returns the secret that it created. Throws RelayError `conflict` if
   * that secret no longer signs.
   */
  rollSecret(
    owner: WebhookOwner,
    livemode: boolean,
    id: string,
    overlapMs: number,
    operationId: string,
    withKey?: WithKey,
  ): Promise<{ endpoint: WebhookEndpointRecord; secret: string } | null>;
}

/** Generates random secrets. */
export interface WebhookSecrets {
  /** Returns `whsec_` and 32 random bytes as base64. */
  generate(): string;
}

export interface WebhookEndpointsOptions {
  /** The format of the surface, which does not see other formats; null sees all. */
  format: WebhookFormat | null;
  store: WebhookEndpointStore;
  stops: EndpointStops;
  secrets: WebhookSecrets;
  /**
   * Returns true for a host that the relay never posts to. Returns false for a name, whose
   * addresses are checked at each attempt.
   */
  isLocalHost(host: string): boolean;
  box: SecretBox;
  digest: Digest;
  clock: Clock;
}

/** Maximum number of concurrent changes to one endpoint. More in a row indicate a bug. */
const CHANGES_MAX = 16;

/** Endpoints of one owner in one read, which is more than an owner can have. */
const LISTED_MAX = 1_000;

export function createWebhookEndpoints(options: WebhookEndpointsOptions): WebhookEndpoints {
  const { store, stops, secrets, box, digest, clock } = options;

  function isSeen(record: WebhookEndpointRecord, owner: WebhookOwner, livemode: boolean): boolean {
    return isOf(record, owner) && record.livemode === livemode && (options.format === null || record.format === options.format);
  }

  async function load(owner: WebhookOwner, livemode: boolean, id: string): Promise<Stored<WebhookEndpointRecord> | null> {
    const stored = ID.test(id) ? await store.load(id) : null;
    return stored !== null && isSeen(stored.record, owner, livemode) ? stored : null;
  }

  async function change(
    owner: WebhookOwner,
    livemode: boolean,
    id: string,
    withKey: WithKey | undefined,
    work: (before: WebhookEndpointRecord) => WebhookEndpointRecord,
  ): Promise<WebhookEndpointRecord | null> {
    return retryOnConflict(CHANGES_MAX, async () => {
      const stored = await load(owner, livemode, id);
      if (stored === null) return null;
      return (await store.replace(stored, work(stored.record), withKey?.proof))?.record ?? CONFLICT;
    });
  }

  function fresh(id: string, madeBy: string): WebhookSecret {
    return { sealed: box.seal(secrets.generate(), webhookSecretPlace(id)), untilMs: null, madeBy };
  }

  /** Returns the secret that an operation created, when the operation is repeated. */
  function secretMadeBy(operationId: string, record: WebhookEndpointRecord): string {
    const own = liveSecrets(record, clock.nowMs()).find((secret) => secret.madeBy === operationId);
    if (own === undefined) throw new RelayError("conflict", "The secret that this request created has been replaced since");
    return box.open(own.sealed, webhookSecretPlace(record.id));
  }

  function created(record: WebhookEndpointRecord, operationId: string) {
    return {
      type: "created",
      endpoint: record,
      secret: record.owner.type === "merchant" ? secretMadeBy(operationId, record) : "",
    } as const;
  }

  return {
    create: async (owner, order, operationId, proof) => {
      assertWebhookUrl(order.url, order.livemode, options.isLocalHost);
      const id = prefixedId("we_", digest(`webhook-endpoint ${operationId}`));
      const atMs = clock.nowMs();
      const sealed = owner.type === "merchant" ? [fresh(id, operationId)] : [];
      const record: WebhookEndpointRecord = {
        ...{ schema: 1, id, owner, ...order, status: "enabled", disabledReason: null },
        ...{ secrets: sealed, rolls: [], createdAtMs: atMs, updatedAtMs: atMs },
      };
      const outcome = await store.create(record, proof);
      if (outcome === "full") return { type: "full" };
      if (outcome === "created") return created(record, operationId);
      const before = await load(owner, order.livemode, id);
      if (before === null) throw new RelayError("conflict", "This request created the endpoint before, and the endpoint was removed since");
      return created(before.record, operationId);
    },
    find: async (owner, livemode, id) => (await load(owner, livemode, id))?.record ?? null,
    list: async (owner, livemode, query) => {
      const { endpoints } = await store.ofOwner(owner, null, LISTED_MAX);
      return pageOf(
        endpoints.filter((endpoint) => isSeen(endpoint, owner, livemode)),
        query,
      );
    },
    change: async (owner, livemode, id, { url, events, description, metadata, disabled, seenAtMs, withKey }) => {
      if (url !== undefined) assertWebhookUrl(url, livemode, options.isLocalHost);
      const after = await change(owner, livemode, id, withKey, (before) => {
        if (seenAtMs !== undefined && seenAtMs !== before.updatedAtMs)
          throw new RelayError("conflict", "The endpoint was changed in the meantime; read it again");
        return {
          ...before,
          ...(url === undefined ? {} : { url }),
          ...(events === undefined ? {} : { events }),
          ...(description === undefined ? {} : { description }),
          metadata: withinLimit(changedMetadata(before.metadata, metadata)),
          ...(disabled === undefined ? {} : { status: disabled ? "disabled" : "enabled", disabledReason: null }),
          ...makerAfter(withKey),
          // The time always grows, so that a caller's older `seenAtMs` differs from it.
          updatedAtMs: Math.max(clock.nowMs(), before.updatedAtMs + 1),
        };
      });
      if (after !== null && disabled === true) await stops.cancelWaiting(id);
      return after;
    },
    remove: async (owner, livemode, id) => {
      const removed = await retryOnConflict(CHANGES_MAX, async () => {
        const stored = await load(owner, livemode, id);
        return stored === null ? false : (await store.remove(stored)) || CONFLICT;
      });
      if (removed) await stops.cancelWaiting(id);
      return removed;
    },
    rollSecret: async (owner, livemode, id, overlapMs, operationId, withKey) => {
      if (!(overlapMs >= 0 && overlapMs <= SECRET_OVERLAP_MAX_MS))
        throw new RelayError("invalid_request", "The overlap must be 0 to 7 days");
      if (owner.type === "partner") return null;
      const made = fresh(id, operationId);
      const atMs = clock.nowMs();
      const endpoint = await change(owner, livemode, id, withKey, (before) => {
        // A request is repeated when its outcome is unknown. It must not replace the secret that
        // its sender may have received.
        if (before.rolls.includes(operationId)) return before;
        const untilMs = atMs + overlapMs;
        const older = before.secrets.map((other) => ({ ...other, untilMs: Math.min(other.untilMs ?? untilMs, untilMs) }));
        const signing = older.filter((other) => other.untilMs > atMs).slice(0, WEBHOOK_SECRETS_MAX - 1);
        const rolls = [operationId, ...before.rolls].slice(0, SECRET_ROLLS_KEPT);
        return { ...before, secrets: [made, ...signing], rolls, ...makerAfter(withKey), updatedAtMs: atMs };
      });
      return endpoint === null ? null : { endpoint, secret: secretMadeBy(operationId, endpoint) };
    },
  };
}

/** Requests supply ids without any check. */
const ID = /^we_[a-z0-9]{24}$/;

function isOf({ owner }: WebhookEndpointRecord, other: WebhookOwner): boolean {
  if (owner.type === "merchant") return other.type === "merchant" && owner.merchantId === other.merchantId;
  return other.type === "partner" && owner.partnerId === other.partnerId;
}

/**
 * A caller with the key may have redirected the events or learned the secret. The endpoint then
 * counts as created with the key.
 */
function makerAfter(withKey: WithKey | undefined): Pick<WebhookEndpointRecord, "madeBy"> {
  return withKey === undefined ? {} : { madeBy: { type: "key", keyId: withKey.keyId } };
}

function withinLimit(metadata: Metadata): Metadata {
  if (hasTooManyKeys(metadata)) throw new TooManyMetadataKeys();
  return metadata;
}

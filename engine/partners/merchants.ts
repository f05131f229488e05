import type { PartnerApiGrant, ServiceCode } from "../access/partner-grant.ts";
import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { KeyedMutex } from "../kernel/keyed-mutex.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { Stored } from "../kernel/stored.ts";
import {
  isMerchantId,
  MERCHANTS_PER_PARTNER_MAX,
  type MerchantCount,
  type MerchantEnvironment,
  type MerchantRecord,
  type MerchantStatus,
  merchantNameOf,
  permittedCallsPerMinute,
} from "./merchant.ts";
import { type MerchantKeys, newMerchantKeys } from "./merchant-keys.ts";
import type { AlsoStored, MerchantChange, MerchantStore } from "./merchant-store.ts";
import type { ApiKeys } from "./partner-secrets.ts";

export interface MerchantRequest {
  merchantId: string;
  /** The id where it is left out. */
  merchantName?: string;
  /** TEST where it is left out: LIVE is where money moves. */
  environment?: MerchantEnvironment;
}

export interface MerchantPatch {
  merchantName?: string;
  environment?: MerchantEnvironment;
  active?: boolean;
  /** At most what an administrator permits. */
  callsPerMinute?: number;
}

/** Whose merchants are changed. */
export type MerchantsOf = Pick<PartnerApiGrant, "partnerId">;

/** `taken`: the id is, by whomever. `full`: the partner has as many merchants as it may have. */
export type CreateOutcome = { type: "created"; merchant: MerchantRecord; keys: MerchantKeys } | { type: "taken" } | Full;
export type Full = { type: "full"; maxMerchants: number };
/** `inactive`: a deactivated merchant is not changed; it has to be activated first. */
export type ChangeOutcome = { type: "changed"; merchant: MerchantRecord } | { type: "inactive" } | Full;

export interface MerchantPage {
  merchants: MerchantRecord[];
  /** How many there are altogether. */
  total: number;
  /** Where the next page begins; null at the end. */
  next: string | null;
}

/**
 * A partner's merchants. What is another partner's is `not_found`, as if it were not there. Every method throws RelayError `unavailable` when
 * the store cannot confirm, and `too_busy`.
 */
export interface Merchants {
  /**
   * Idempotent by `operationId`: where a first attempt stored the merchant and nobody was told, its keys, which nobody knows, are replaced.
   */
  create(partner: PartnerApiGrant, request: MerchantRequest, operationId: string): Promise<CreateOutcome>;
  find(partner: PartnerApiGrant, merchantId: string): Promise<MerchantRecord>;
  list(partner: PartnerApiGrant, query: { after: string; limit: number; status: MerchantStatus | null }): Promise<MerchantPage>;
  patch(partner: PartnerApiGrant, merchantId: string, patch: MerchantPatch): Promise<ChangeOutcome>;
  /**
   * Stores what `step` makes of the merchant, or null where it changes nothing; `step` runs again on a newer record when something else was
   * first, and answers with what to tell.
   */
  change<T>(partner: MerchantsOf, merchantId: string, step: MerchantStep<T>): Promise<T>;
}

export type MerchantStep<T> = (before: MerchantRecord) => Promise<StepOutcome<T>> | StepOutcome<T>;
export interface StepOutcome<T> {
  answer: T;
  merchant: MerchantRecord | null;
  secrets?: { service: ServiceCode; sealed: string };
  madeKeys?: NonNullable<MerchantChange["madeKeys"]>;
  also?: AlsoStored;
  /** Called once the change is stored. */
  committed?(): void;
}

/** Only other shards and nodes are in the way, as a mutex for each partner keeps its changes in a shard apart; each try that is lost was won by one of them. */
const ATTEMPTS_MAX = 100;

export interface MerchantsOptions {
  store: MerchantStore;
  apiKeys: ApiKeys;
  clock: Clock;
  /** Resolves once every shard of every live node knows of a new merchant, or of one that was deactivated or activated. */
  propagate(merchantId: string): Promise<void>;
  /** What tells a merchant's owners that it is in the other environment, for the commit that moves it. Absent: nobody is told. */
  moved?(merchant: MerchantRecord): Promise<AlsoStored>;
}

export function createMerchants({ store, apiKeys, clock, propagate, moved }: MerchantsOptions): Merchants {
  const mutex = new KeyedMutex<number>();

  function untilStored<T>(partnerId: number, attempt: () => Promise<T | typeof CONFLICT>): Promise<T> {
    return mutex.runExclusive(partnerId, () => retryOnConflict(ATTEMPTS_MAX, attempt, tooBusy));
  }

  async function load({ partnerId }: MerchantsOf, merchantId: string): Promise<Stored<MerchantRecord>> {
    const stored = isMerchantId(merchantId) ? await store.load(merchantId) : null;
    if (stored === null || stored.record.partnerId !== partnerId) throw new RelayError("not_found", "There is no such merchant");
    return stored;
  }

  /** The count after this many more active and stored merchants, or null when that is more than the partner may have. */
  async function counted(partner: PartnerApiGrant, more: MerchantCount): Promise<Stored<MerchantCount> | Full> {
    const { record, version } = await store.count(partner.partnerId);
    const count = { active: record.active + more.active, stored: record.stored + more.stored };
    const full = (more.active > 0 && count.active > partner.maxMerchants) || (more.stored > 0 && count.stored > MERCHANTS_PER_PARTNER_MAX);
    return full ? { type: "full", maxMerchants: partner.maxMerchants } : { record: count, version };
  }

  /** A merchant that this very operation made before, with keys that its caller gets to know. */
  async function renewed({ record: before, version }: Stored<MerchantRecord>): Promise<CreateOutcome | typeof CONFLICT> {
    const { keys, stored } = newMerchantKeys(apiKeys, clock.nowMs());
    const merchant = { ...before, ...stored };
    const outcome = await store.commit({ merchant: { record: merchant, version }, before, count: null, secrets: null });
    return outcome === "committed" ? { type: "created", merchant, keys } : CONFLICT;
  }

  const change = <T>(partner: MerchantsOf, merchantId: string, step: MerchantStep<T>): Promise<T> =>
    untilStored<{ answer: T }>(partner.partnerId, async () => {
      const { record: before, version } = await load(partner, merchantId);
      const { answer, merchant, secrets = null, committed, ...more } = await step(before);
      if (merchant === null) return { answer };
      const change: MerchantChange = {
        merchant: { record: { ...merchant, updatedAtMs: clock.nowMs() }, version },
        before,
        count: null,
        secrets,
        ...more,
      };
      if ((await store.commit(change)) !== "committed") return CONFLICT;
      committed?.();
      return { answer };
    }).then(({ answer }) => answer);

  return {
    change,
    create: async (partner, request, operationId) => {
      const merchantId = request.merchantId;
      if (!isMerchantId(merchantId))
        throw new RelayError("invalid_request", "merchantId: must be 1 to 64 letters, digits, dots, underscores or dashes");
      const merchantName = merchantNameOf(request.merchantName ?? merchantId);
      const outcome = await untilStored<CreateOutcome>(partner.partnerId, async () => {
        const present = await store.load(merchantId);
        if (present !== null) return isOf(present.record, partner, operationId) ? renewed(present) : { type: "taken" };
        const count = await counted(partner, { active: 1, stored: 1 });
        if ("type" in count) return count;
        const nowMs = clock.nowMs();
        const { keys, stored: ofKeys } = newMerchantKeys(apiKeys, nowMs);
        const merchant: MerchantRecord = {
          schema: 1,
          merchantId,
          partnerId: partner.partnerId,
          merchantName,
          environment: request.environment ?? "TEST",
          active: true,
          createdAtMs: nowMs,
          updatedAtMs: nowMs,
          createdBy: operationId,
          ...ofKeys,
          services: {},
        };
        const stored = await store.commit({ merchant: { record: merchant, version: 0 }, before: null, count, secrets: null });
        return stored === "committed" ? { type: "created", merchant, keys } : stored === "taken" ? { type: "taken" } : CONFLICT;
      });
      if (outcome.type === "created") await propagate(merchantId);
      return outcome;
    },
    find: async (partner, merchantId) => (await load(partner, merchantId)).record,
    list: async ({ partnerId }, { after, limit, status }) => {
      // One more than asked for tells whether there is another page.
      const [found, { record: count }] = await Promise.all([
        store.page(partnerId, { after, limit: limit + 1, status }),
        store.count(partnerId),
      ]);
      const merchants = found.slice(0, limit);
      const total = status === null ? count.stored : status === "ACTIVE" ? count.active : count.stored - count.active;
      return { merchants, total, next: found.length > limit ? (merchants.at(-1)?.merchantId ?? null) : null };
    },
    patch: async (partner, merchantId, patch) => {
      const merchantName = patch.merchantName === undefined ? undefined : merchantNameOf(patch.merchantName);
      const outcome = await untilStored<ChangeOutcome>(partner.partnerId, async () => {
        const { record: before, version } = await load(partner, merchantId);
        const active = patch.active ?? before.active;
        const { environment, callsPerMinute } = patch;
        const changesFacts = merchantName !== undefined || environment !== undefined || callsPerMinute !== undefined;
        if (!before.active && !active && changesFacts) return { type: "inactive" };
        if (callsPerMinute !== undefined) requirePermitted(callsPerMinute, before);
        const merchant = {
          ...before,
          merchantName: merchantName ?? before.merchantName,
          environment: environment ?? before.environment,
          // The keys stay what they are: those of the other environment are asked for by `keys`.
          ...(environment === undefined ? {} : { keysEnvironment: before.keysEnvironment ?? before.environment }),
          active,
          ...(callsPerMinute === undefined ? {} : { callsPerMinute: { ...before.callsPerMinute, chosen: callsPerMinute } }),
        };
        if (sameFacts(before, merchant)) return { type: "changed", merchant: before };
        merchant.updatedAtMs = clock.nowMs();
        const count = active === before.active ? null : await counted(partner, { active: active ? 1 : -1, stored: 0 });
        if (count !== null && "type" in count) return count;
        const also = merchant.environment === before.environment ? undefined : await moved?.(merchant);
        const outcome = await store.commit({
          ...{ merchant: { record: merchant, version }, before, count, secrets: null },
          ...(also === undefined ? {} : { also }),
        });
        return outcome === "committed" ? { type: "changed", merchant } : CONFLICT;
      });
      // Also where nothing changed: it may be the repetition of a change that was stored and not confirmed everywhere.
      if (outcome.type === "changed" && patch.active !== undefined) await propagate(merchantId);
      return outcome;
    },
  };
}

function isOf({ partnerId, createdBy }: MerchantRecord, partner: PartnerApiGrant, operationId: string): boolean {
  return partnerId === partner.partnerId && createdBy === operationId;
}

function sameFacts(one: MerchantRecord, other: MerchantRecord): boolean {
  return (
    one.merchantName === other.merchantName &&
    one.environment === other.environment &&
    one.active === other.active &&
    one.callsPerMinute?.chosen === other.callsPerMinute?.chosen
  );
}

function requirePermitted(perMinute: number, merchant: MerchantRecord): void {
  const permitted = permittedCallsPerMinute(merchant);
  if (perMinute <= permitted) return;
  throw new RelayError("invalid_request", `compatRequestsPerMinute: may be at most ${permitted}, the limit that an administrator set`);
}

function tooBusy(): RelayError {
  return new RelayError("too_busy", "Others are changing the same merchant; retry shortly", { retryAfterSeconds: 1 });
}

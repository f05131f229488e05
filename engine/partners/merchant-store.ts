import type { KeyProof } from "../access/made-by-key.ts";
import type { ServiceCode } from "../access/partner-grant.ts";
import { RelayError } from "../kernel/errors.ts";
import { type Entry, type Kv, type Operation, prefixRange, StorageUnavailable } from "../kernel/kv.ts";
import { readBareRecord, readRecord, recordText } from "../kernel/schemas.ts";
import type { Stored } from "../kernel/stored.ts";
import { MERCHANT_OWNERS, recordOperations } from "../tables/record-store.ts";
import type { EnvironmentKeys, MerchantCount, MerchantKeyDigests, MerchantOwner, MerchantRecord, MerchantStatus } from "./merchant.ts";

/** One change of one merchant, stored as a whole or not at all. */
export interface MerchantChange {
  /** The new record and the version that it replaces; 0: the id must be free. */
  merchant: Stored<MerchantRecord>;
  /** What the record was before; null for a new one. */
  before: MerchantRecord | null;
  /** The partner's new count and the version that it replaces; null where the change counts nothing. */
  count: Stored<MerchantCount> | null;
  /** The sealed secrets of a service that is configured by this change. */
  secrets: { service: ServiceCode; sealed: string } | null;
  /** The pair of keys that the operation makes, sealed; no other change of the same operation is stored. */
  madeKeys?: { operationId: string; sealed: string; expiresAtMs: number };
  /** What others store with it: mails that are owed for it, and the ends of what a key made. */
  also?: AlsoStored;
}

export interface AlsoStored {
  readonly operations: readonly Operation[];
  /** What has to be as it was read. */
  readonly checks?: readonly KeyProof[];
}

/** `taken`: there is a merchant with this id already. `stale`: something else has changed first; load again. */
export type MerchantChangeOutcome = "committed" | "taken" | "stale";

/**
 * Where merchants are kept. Every method rejects with RelayError `unavailable` when the store cannot answer; after a failed commit it is
 * not known whether it happened.
 */
export interface MerchantStore {
  load(merchantId: string): Promise<Stored<MerchantRecord> | null>;
  /**
   * By the SHA-256 (hex) of one of its keys, of those before them, or of pending ones; deactivated
   * or not.
   */
  byKey(keySha256: string): Promise<MerchantRecord | null>;
  /** The same, with the proof for commits that are made in the key's name. */
  provenByKey(keySha256: string): Promise<{ merchant: MerchantRecord; proof: KeyProof } | null>;
  /** Version 0 for a partner that never had one. */
  count(partnerId: number): Promise<Stored<MerchantCount>>;
  /** A partner's merchants by id after `after`; of both kinds where `status` is null. */
  page(partnerId: number, query: { after: string; limit: number; status: MerchantStatus | null }): Promise<MerchantRecord[]>;
  /** Merchants of all partners by id after `after`. */
  all(query: { after: string; limit: number }): Promise<MerchantRecord[]>;
  /** The first merchants of all partners whose ids begin with a text, by id. */
  beginning(text: string, limit: number): Promise<MerchantRecord[]>;
  /** As `MerchantChange.secrets` left them. */
  sealedSecrets(merchantId: string, service: ServiceCode): Promise<string | null>;
  /** The keys that an operation made, sealed; null where it made none, or too long ago. */
  madeKeys(merchantId: string, operationId: string): Promise<string | null>;
  commit(change: MerchantChange): Promise<MerchantChangeOutcome>;
}

const MERCHANTS = "merchant/";
/** By partner, with whether it is active: what a list looks through. */
const OF_PARTNER = "merchant-of/";
/** By the SHA-256 of a key. */
const KEYS = "merchant-key/";
const COUNTS = "merchant-count/";
export const MERCHANT_SECRETS = "merchant-secret/";
/** Pairs of keys by the operation that made them, for its repetitions. */
export const MADE_KEYS = "merchant-made-keys/";

/** Writing the record again must not change when it ends. */
export function madeKeysExpireAtMs(value: unknown): number | null {
  return typeof value === "object" && value !== null && "expiresAtMs" in value && typeof value.expiresAtMs === "number"
    ? value.expiresAtMs
    : null;
}

/** Index entries that a list reads at once while it looks for those of the status asked for. */
const INDEX_PAGE = 1_000;

/**
 * Merchants on the key-value store: `merchant/<merchantId>`, `merchant-of/<partnerId>/<merchantId>`, `merchant-key/<sha256>`,
 * `merchant-count/<partnerId>`, `merchant-secret/<merchantId>/<service>`, `merchant-made-keys/<merchantId>/<operationId>`, and among the records in memory whose it is (MERCHANT_OWNERS).
 */
export function createMerchantStore(kv: Kv): MerchantStore {
  async function load(merchantId: string): Promise<Stored<MerchantRecord> | null> {
    const entry = await kv.get(MERCHANTS + merchantId);
    return entry === null ? null : { record: parsed(entry), version: entry.version };
  }

  const provenByKey: MerchantStore["provenByKey"] = (keySha256) =>
    available(async () => {
      const entry = await kv.get(KEYS + keySha256);
      const stored = entry === null ? null : await load(merchantIdIn(entry));
      return entry === null || stored === null ? null : { merchant: stored.record, proof: { key: entry.key, version: entry.version } };
    });

  async function recordsOf(merchantIds: readonly string[]): Promise<MerchantRecord[]> {
    if (merchantIds.length === 0) return [];
    const entries = await kv.getMany(merchantIds.map((merchantId) => MERCHANTS + merchantId));
    return entries.flatMap((entry) => (entry === null ? [] : parsed(entry)));
  }

  return {
    load: (merchantId) => available(() => load(merchantId)),
    byKey: async (keySha256) => (await provenByKey(keySha256))?.merchant ?? null,
    provenByKey,
    count: (partnerId) =>
      available(async () => {
        const entry = await kv.get(COUNTS + partnerId);
        if (entry === null) return { record: { active: 0, stored: 0 }, version: 0 };
        return { record: readBareRecord<MerchantCount>("merchantCount", entry.key, entry.value), version: entry.version };
      }),
    page: (partnerId, { after, limit, status }) =>
      available(async () => {
        const prefix = `${OF_PARTNER}${partnerId}/`;
        const { to } = prefixRange(prefix);
        const found: string[] = [];
        for (let from = after === "" ? prefix : `${prefix}${after}\u0001`; ; ) {
          const entries = await kv.scan({ from, to, limit: INDEX_PAGE });
          const wanted = entries.filter(({ value }) => status === null || value === status);
          found.push(...wanted.map(({ key }) => key.slice(prefix.length)));
          const last = entries.at(-1);
          if (found.length >= limit || last === undefined || entries.length < INDEX_PAGE) return recordsOf(found.slice(0, limit));
          from = `${last.key}\u0001`;
        }
      }),
    all: ({ after, limit }) =>
      available(async () => {
        const { from, to } = prefixRange(MERCHANTS);
        const entries = await kv.scan({ from: after === "" ? from : `${MERCHANTS}${after}\u0001`, to, limit });
        return entries.map(parsed);
      }),
    beginning: (text, limit) => available(async () => (await kv.scan({ ...prefixRange(MERCHANTS + text), limit })).map(parsed)),
    sealedSecrets: (merchantId, service) =>
      available(async () => {
        const entry = await kv.get(`${MERCHANT_SECRETS}${merchantId}/${service}`);
        return entry === null ? null : readRecord<{ sealed: string }>("merchantSecret", entry.key, entry.value).sealed;
      }),
    madeKeys: (merchantId, operationId) =>
      available(async () => {
        const entry = await kv.get(madeKeysKey(merchantId, operationId));
        return entry === null ? null : readRecord<{ sealed: string }>("merchantMadeKeys", "a pair of keys", entry.value).sealed;
      }),
    commit: (change) =>
      available(async () => {
        const { merchant, count, madeKeys, also } = change;
        const key = MERCHANTS + merchant.record.merchantId;
        const checks = [{ key, version: merchant.version }, ...(also?.checks ?? [])];
        if (count !== null) checks.push({ key: COUNTS + merchant.record.partnerId, version: count.version });
        if (madeKeys !== undefined) checks.push({ key: madeKeysKey(merchant.record.merchantId, madeKeys.operationId), version: 0 });
        const result = await kv.commit({ checks, operations: operationsOf(change) });
        if (result.type === "committed") return "committed";
        return merchant.version === 0 && result.key === key ? "taken" : "stale";
      }),
  };
}

function operationsOf({ merchant: { record }, before, count, secrets, madeKeys, also }: MerchantChange): Operation[] {
  const { merchantId, partnerId } = record;
  const owner: MerchantOwner = { schema: 1, partnerId, ...(record.active ? {} : { inactive: true }) };
  const operations: Operation[] = [{ type: "put", key: MERCHANTS + merchantId, value: recordText("merchant", record) }];
  if (before?.active !== record.active) {
    // Of what stands there only this ever changes.
    operations.push(...recordOperations(MERCHANT_OWNERS, merchantId, owner));
    operations.push({ type: "put", key: `${OF_PARTNER}${partnerId}/${merchantId}`, value: record.active ? "ACTIVE" : "INACTIVE" });
  }
  const [old, present] = [digestsOf(before), digestsOf(record)];
  for (const digest of old) if (!present.includes(digest)) operations.push({ type: "delete", key: KEYS + digest });
  // Those that end now are written again, so that what is under way with them is not stored after it.
  const ended = presentDigests(before).filter((digest) => !presentDigests(record).includes(digest));
  for (const digest of present) {
    if (!old.includes(digest) || ended.includes(digest))
      operations.push({ type: "put", key: KEYS + digest, value: recordText("merchantKey", { merchantId }) });
  }
  if (count !== null) operations.push({ type: "put", key: COUNTS + partnerId, value: recordText("merchantCount", count.record) });
  if (secrets !== null) {
    const { service, sealed } = secrets;
    operations.push({ type: "put", key: `${MERCHANT_SECRETS}${merchantId}/${service}`, value: recordText("merchantSecret", { sealed }) });
  }
  if (madeKeys !== undefined) {
    const { operationId, sealed, expiresAtMs } = madeKeys;
    const value = recordText("merchantMadeKeys", { sealed, expiresAtMs });
    operations.push({ type: "put", key: madeKeysKey(merchantId, operationId), value, expiresAtMs });
  }
  return [...operations, ...(also?.operations ?? [])];
}

function madeKeysKey(merchantId: string, operationId: string): string {
  return `${MADE_KEYS}${merchantId}/${operationId}`;
}

function digestsOf(record: MerchantRecord | null): string[] {
  return environmentsOf(record).flatMap(({ keys, previousKeys, pendingKeys }) => digests(keys, previousKeys, pendingKeys?.keys));
}

function presentDigests(record: MerchantRecord | null): string[] {
  return environmentsOf(record).flatMap(({ keys }) => digests(keys));
}

function environmentsOf(record: MerchantRecord | null): EnvironmentKeys[] {
  return record === null ? [] : [record, record.otherKeys ?? {}];
}

function digests(...pairs: (MerchantKeyDigests | undefined)[]): string[] {
  return pairs.flatMap((keys) => (keys === undefined ? [] : [keys.publishable, keys.secret]));
}

function parsed({ key, value }: Entry): MerchantRecord {
  return readRecord("merchant", key, value);
}

function merchantIdIn({ value }: Entry): string {
  return readRecord<{ merchantId: string }>("merchantKey", "a merchant's key", value).merchantId;
}

async function available<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error;
    const message = "The store could not confirm this; retry with the same Idempotency-Key";
    throw new RelayError("unavailable", message, { cause: error, retryAfterSeconds: 1 });
  }
}

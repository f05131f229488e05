import { IDEMPOTENCY_LIFETIME_MS } from "../idempotency/idempotency-store.ts";
import type { Clock } from "../kernel/clock.ts";
import type { SecretBox } from "../kernel/secret-box.ts";
import type { MerchantRecord } from "./merchant.ts";
import { keysAt, type MerchantKeys, newMerchantKeys, withKeys, withoutPendingKeys } from "./merchant-keys.ts";
import type { AlsoStored, MerchantStore } from "./merchant-store.ts";
import type { Merchants, MerchantsOf } from "./merchants.ts";
import type { ApiKeys } from "./partner-secrets.ts";

/** Who asked for new keys: a person of the merchant, or its partner. */
export type KeysReplacedBy = { readonly type: "person"; readonly email: string } | { readonly type: "partner" };

/** Why keys are replaced. */
export const KEYS_REASONS = ["leaked", "routine"] as const;
export type KeysReason = (typeof KEYS_REASONS)[number];

export interface KeysRequest {
  readonly operationId: string;
  readonly by: KeysReplacedBy;
  readonly reason: KeysReason;
}

/**
 * `appliesAtMs`: when keys that wait for an owner replace the present ones at the latest; null
 * where they have done so. `inactive`: a deactivated merchant has no keys that count.
 */
export type KeysOutcome =
  | { type: "changed"; merchant: MerchantRecord; keys: MerchantKeys; madeAtMs: number; appliesAtMs: number | null }
  | { type: "inactive" };

/** `none`: no keys wait, or not these. */
export type PendingOutcome = { type: "changed"; merchant: MerchantRecord } | { type: "none" };

/** How long an owner can refuse keys that the merchant's partner asked for. */
export const KEYS_WAIT_MS = 86_400_000;

/** What happened to a merchant's keys. */
export type KeysChange =
  | { readonly type: "replaced"; readonly by: KeysReplacedBy }
  | { readonly type: "requested"; readonly appliesAtMs: number }
  | { readonly type: "refused"; readonly by: KeysReplacedBy };

/** The merchant's owners, as far as its keys concern them. */
export interface KeyOwners {
  /** Whether somebody is there who can confirm or refuse keys that the partner asks for. */
  isAnyActive(merchantId: string): Promise<boolean>;
  /** What tells them, for the commit that changes the keys. */
  told(merchant: MerchantRecord, change: KeysChange): Promise<AlsoStored>;
}

/**
 * The keys of merchants. Another partner's merchant is RelayError `not_found`; `unavailable` when
 * the store cannot confirm.
 */
export interface ReplaceKeys {
  /**
   * A new pair of keys for a merchant; the present ones end with the answer. Where an owner is
   * active, keys that the partner asks for as a routine wait for an owner or for KEYS_WAIT_MS, so
   * that a stolen key of the partner takes over no merchant without its owners' knowledge.
   * Idempotent by `operationId`: a repetition, also one after a crash that left nobody told, gets
   * the pair that its first attempt made.
   */
  replace(owner: MerchantsOf, merchantId: string, request: KeysRequest): Promise<KeysOutcome>;
  /** An owner confirms pending keys, known by their publishable one. */
  confirm(owner: MerchantsOf, merchantId: string, publishableKey: string, by: KeysReplacedBy): Promise<PendingOutcome>;
  /** The present keys stay. */
  refuse(owner: MerchantsOf, merchantId: string, by: KeysReplacedBy): Promise<PendingOutcome>;
}

export interface ReplaceKeysOptions {
  merchants: Pick<Merchants, "change">;
  store: Pick<MerchantStore, "madeKeys">;
  apiKeys: ApiKeys;
  secretBox: SecretBox;
  clock: Clock;
  owners: KeyOwners;
}

/** What a repetition is answered with. */
interface MadeKeys {
  keys: MerchantKeys;
  madeAtMs: number;
  /** Absent in those of before keys could wait. */
  appliesAtMs?: number | null;
}

export function createReplaceKeys({ merchants, store, apiKeys, secretBox, clock, owners }: ReplaceKeysOptions): ReplaceKeys {
  /** Changes what waits; the record is as its keys are now. */
  function changePending(
    owner: MerchantsOf,
    merchantId: string,
    change: KeysChange,
    step: (before: MerchantRecord) => MerchantRecord | null,
  ): Promise<PendingOutcome> {
    return merchants.change<PendingOutcome>(owner, merchantId, async (stored) => {
      const before = keysAt(stored, clock.nowMs());
      const merchant = before.pendingKeys === undefined ? null : step(before);
      if (merchant === null) return { answer: { type: "none" }, merchant: null };
      return { answer: { type: "changed", merchant }, merchant, also: await owners.told(merchant, change) };
    });
  }

  return {
    replace: (owner, merchantId, { operationId, by, reason }) => {
      const place = `merchant/${merchantId}/made-keys/${operationId}`;
      return merchants.change<KeysOutcome>(owner, merchantId, async (stored) => {
        const madeAtMs = clock.nowMs();
        const before = keysAt(stored, madeAtMs);
        const sealedBefore = await store.madeKeys(merchantId, operationId);
        if (sealedBefore !== null) {
          const { appliesAtMs = null, ...made }: MadeKeys = JSON.parse(secretBox.open(sealedBefore, place));
          return { answer: { type: "changed", merchant: before, ...made, appliesAtMs }, merchant: null };
        }
        if (!before.active) return { answer: { type: "inactive" }, merchant: null };
        const { keys, stored: ofKeys } = newMerchantKeys(apiKeys, madeAtMs);
        const waits = by.type === "partner" && reason !== "leaked" && (await owners.isAnyActive(merchantId));
        const appliesAtMs = waits ? madeAtMs + KEYS_WAIT_MS : null;
        const merchant: MerchantRecord =
          appliesAtMs === null ? withKeys(before, ofKeys) : { ...before, pendingKeys: { ...ofKeys, appliesAtMs } };
        const made: MadeKeys = { keys, madeAtMs, appliesAtMs };
        return {
          answer: { type: "changed", merchant, keys, madeAtMs, appliesAtMs },
          merchant,
          // As long as a repetition with the same Idempotency-Key may come.
          madeKeys: { operationId, sealed: secretBox.seal(JSON.stringify(made), place), expiresAtMs: madeAtMs + IDEMPOTENCY_LIFETIME_MS },
          also: await owners.told(merchant, appliesAtMs === null ? { type: "replaced", by } : { type: "requested", appliesAtMs }),
        };
      });
    },
    confirm: (owner, merchantId, publishableKey, by) =>
      changePending(owner, merchantId, { type: "replaced", by }, (before) =>
        before.pendingKeys?.shownKeys.publishable === publishableKey ? withKeys(before, before.pendingKeys) : null,
      ),
    refuse: (owner, merchantId, by) => changePending(owner, merchantId, { type: "refused", by }, withoutPendingKeys),
  };
}

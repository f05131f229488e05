import { IDEMPOTENCY_LIFETIME_MS } from "../idempotency/idempotency-store.ts";
import type { Clock } from "../kernel/clock.ts";
import type { SecretBox } from "../kernel/secret-box.ts";
import type { MerchantRecord } from "./merchant.ts";
import { type MerchantKeys, newMerchantKeys } from "./merchant-keys.ts";
import type { AlsoStored, MerchantStore } from "./merchant-store.ts";
import type { Merchants, MerchantsOf } from "./merchants.ts";
import type { ApiKeys } from "./partner-secrets.ts";

/** Who asked for new keys: a person of the merchant, or its partner. */
export type KeysReplacedBy = { readonly type: "person"; readonly email: string } | { readonly type: "partner" };

/** `inactive`: a deactivated merchant has no keys that count. */
export type KeysOutcome = { type: "changed"; merchant: MerchantRecord; keys: MerchantKeys; madeAtMs: number } | { type: "inactive" };

/** What tells the merchant's owners, for the commit that replaces the keys. */
export type KeysNotice = (merchant: MerchantRecord, by: KeysReplacedBy) => Promise<AlsoStored>;

/**
 * A new pair of keys for a merchant; the present ones end with the answer. Idempotent by `operationId`: a repetition, also one after a crash that left nobody
 * told, gets the pair that its first attempt made. Another partner's merchant is RelayError `not_found`; `unavailable` when the store cannot confirm.
 */
export type ReplaceKeys = (
  owner: MerchantsOf,
  merchantId: string,
  request: { operationId: string; by: KeysReplacedBy },
) => Promise<KeysOutcome>;

export interface ReplaceKeysOptions {
  merchants: Pick<Merchants, "change">;
  store: Pick<MerchantStore, "madeKeys">;
  apiKeys: ApiKeys;
  secretBox: SecretBox;
  clock: Clock;
  notice: KeysNotice;
}

/** What a repetition is answered with. */
interface MadeKeys {
  keys: MerchantKeys;
  madeAtMs: number;
}

export function createReplaceKeys({ merchants, store, apiKeys, secretBox, clock, notice }: ReplaceKeysOptions): ReplaceKeys {
  return (owner, merchantId, { operationId, by }) => {
    const place = `merchant/${merchantId}/made-keys/${operationId}`;
    return merchants.change<KeysOutcome>(owner, merchantId, async (before) => {
      const sealedBefore = await store.madeKeys(merchantId, operationId);
      if (sealedBefore !== null) {
        const made: MadeKeys = JSON.parse(secretBox.open(sealedBefore, place));
        return { answer: { type: "changed", merchant: before, ...made }, merchant: null };
      }
      if (!before.active) return { answer: { type: "inactive" }, merchant: null };
      const madeAtMs = clock.nowMs();
      const { keys, stored } = newMerchantKeys(apiKeys, madeAtMs);
      const merchant: MerchantRecord = { ...before, ...stored, previousKeys: before.keys };
      const made: MadeKeys = { keys, madeAtMs };
      return {
        answer: { type: "changed", merchant, ...made },
        merchant,
        // As long as a repetition with the same Idempotency-Key may come.
        madeKeys: { operationId, sealed: secretBox.seal(JSON.stringify(made), place), expiresAtMs: madeAtMs + IDEMPOTENCY_LIFETIME_MS },
        also: await notice(merchant, by),
      };
    });
  };
}

import type { LookAtKey, MadeByKey, ThingsOfKey } from "../access/made-by-key.ts";
import { IDEMPOTENCY_LIFETIME_MS } from "../idempotency/idempotency-store.ts";
import type { Clock } from "../kernel/clock.ts";
import type { SecretBox } from "../kernel/secret-box.ts";
import { MERCHANT_ENVIRONMENTS, type MerchantEnvironment, type MerchantRecord } from "./merchant.ts";
import {
  keyIdOf,
  keysAt,
  keysOf,
  type MerchantKeys,
  newMerchantKeys,
  withNewKeys,
  withoutPendingKeys,
  withPendingKeys,
} from "./merchant-keys.ts";
import type { AlsoStored, MerchantStore } from "./merchant-store.ts";
import type { Merchants, MerchantsOf } from "./merchants.ts";
import type { ApiKeys } from "./partner-secrets.ts";

/** Who asked for new keys: a person of the merchant, or its partner. */
export type KeysReplacedBy = { readonly type: "person"; readonly email: string } | { readonly type: "partner" };

/**
 * Why keys are replaced. `leaked`: somebody else knows them, so what they made ends with them.
 * `routine`: what they made goes on.
 */
export const KEYS_REASONS = ["leaked", "routine"] as const;
export type KeysReason = (typeof KEYS_REASONS)[number];

export interface KeysRequest {
  readonly operationId: string;
  readonly by: KeysReplacedBy;
  readonly reason: KeysReason;
  /** Whose keys are replaced, or made for the first time; absent: those of the environment that the merchant is in. */
  readonly environment?: MerchantEnvironment | undefined;
}

/**
 * `appliesAtMs`: when keys that wait for an owner replace the present ones at the latest; null
 * where they have done so. `made`: what the present secret key made until then. `inactive`: a
 * deactivated merchant has no keys that count.
 */
export type KeysOutcome = ({ type: "changed"; merchant: MerchantRecord } & MadeKeys) | { type: "inactive" };

/** `none`: no keys wait, or not these. */
export type PendingOutcome = { type: "changed"; merchant: MerchantRecord; made: readonly MadeByKey[] } | { type: "none" };

/** How long an owner can refuse keys that the merchant's partner asked for. */
export const KEYS_WAIT_MS = 86_400_000;

/** What happened to a merchant's keys, and what the former secret key made. */
export type KeysChange =
  | ({ readonly type: "replaced"; readonly by: KeysReplacedBy } & OfKeys)
  | ({ readonly type: "requested"; readonly appliesAtMs: number } & OfKeys)
  | { readonly type: "refused"; readonly by: KeysReplacedBy }
  /** The merchant is in the other environment, by its partner, and the keys stay what they are. */
  | { readonly type: "moved"; readonly environment: MerchantEnvironment };

interface OfKeys {
  readonly environment: MerchantEnvironment;
  /** Whether there was no pair before. */
  readonly first: boolean;
  readonly made: readonly MadeByKey[];
}

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
   * A new pair of keys for a merchant; the present ones end with the answer, and where they leaked
   * so does what they made, in the same commit. Where an owner is active, keys that the partner asks for as a routine wait for an owner or for KEYS_WAIT_MS, so
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
  /** What the secret key that is replaced has made. */
  lookAtKey: LookAtKey;
}

/** What an operation has made, for its answer and those of its repetitions. */
interface MadeKeys {
  environment: MerchantEnvironment;
  keys: MerchantKeys;
  madeAtMs: number;
  appliesAtMs: number | null;
  made: readonly MadeByKey[];
}

type MadeKeysStored = Pick<MadeKeys, "keys" | "madeAtMs"> & Partial<MadeKeys>;

const NOTHING: ThingsOfKey = { items: [], checks: [], operations: [], committed: () => {} };

export function createReplaceKeys({ merchants, store, apiKeys, secretBox, clock, owners, lookAtKey }: ReplaceKeysOptions): ReplaceKeys {
  async function madeBy(merchant: MerchantRecord, environment: MerchantEnvironment, leaked: boolean): Promise<ThingsOfKey> {
    const { keys } = keysOf(merchant, environment);
    if (keys === undefined) return NOTHING;
    const { merchantId } = merchant;
    return lookAtKey({ merchantId, livemode: environment === "LIVE", keyId: keyIdOf(keys), leaked, atMs: clock.nowMs() });
  }

  /** Changes what waits; the record is as its keys are now. */
  function changePending(
    owner: MerchantsOf,
    merchantId: string,
    step: (before: MerchantRecord) => Promise<{ merchant: MerchantRecord; change: KeysChange } | null>,
  ): Promise<PendingOutcome> {
    return merchants.change<PendingOutcome>(owner, merchantId, async (stored) => {
      const before = keysAt(stored, clock.nowMs());
      const stepped = await step(before);
      if (stepped === null) return { answer: { type: "none" }, merchant: null };
      const { merchant, change } = stepped;
      const made = "made" in change ? change.made : [];
      return { answer: { type: "changed", merchant, made }, merchant, also: await owners.told(merchant, change) };
    });
  }

  return {
    replace: (owner, merchantId, { operationId, by, reason, environment: named }) => {
      const place = `merchant/${merchantId}/made-keys/${operationId}`;
      return merchants.change<KeysOutcome>(owner, merchantId, async (stored) => {
        const madeAtMs = clock.nowMs();
        const before = keysAt(stored, madeAtMs);
        const sealedBefore = await store.madeKeys(merchantId, operationId);
        if (sealedBefore !== null) {
          const stored: MadeKeysStored = JSON.parse(secretBox.open(sealedBefore, place));
          // Pairs from before a member existed lack it; they were of the environment that the merchant was in.
          const environment = before.keysEnvironment ?? before.environment;
          return { answer: { type: "changed", merchant: before, appliesAtMs: null, made: [], environment, ...stored }, merchant: null };
        }
        if (!before.active) return { answer: { type: "inactive" }, merchant: null };
        const { keys, stored: ofKeys } = newMerchantKeys(apiKeys, madeAtMs);
        const environment = named ?? before.environment;
        const leaked = reason === "leaked";
        const waits = by.type === "partner" && !leaked && (await owners.isAnyActive(merchantId));
        const appliesAtMs = waits ? madeAtMs + KEYS_WAIT_MS : null;
        const merchant =
          appliesAtMs === null
            ? withNewKeys(before, environment, ofKeys)
            : withPendingKeys(before, environment, { ...ofKeys, appliesAtMs });
        const { items: made, checks, operations, committed } = await madeBy(before, environment, leaked);
        const answer: MadeKeys = { environment, keys, madeAtMs, appliesAtMs, made };
        const facts = { environment, first: keysOf(before, environment).keys === undefined, made };
        const told = await owners.told(
          merchant,
          appliesAtMs === null ? { type: "replaced", by, ...facts } : { type: "requested", appliesAtMs, ...facts },
        );
        return {
          answer: { type: "changed", merchant, ...answer },
          merchant,
          // As long as a repetition with the same Idempotency-Key may come.
          madeKeys: { operationId, sealed: secretBox.seal(JSON.stringify(answer), place), expiresAtMs: madeAtMs + IDEMPOTENCY_LIFETIME_MS },
          also: { checks, operations: [...operations, ...told.operations] },
          committed,
        };
      });
    },
    confirm: (owner, merchantId, publishableKey, by) =>
      changePending(owner, merchantId, async (before) => {
        for (const environment of MERCHANT_ENVIRONMENTS) {
          const { keys, pendingKeys } = keysOf(before, environment);
          if (pendingKeys?.shownKeys.publishable !== publishableKey) continue;
          const { items: made } = await madeBy(before, environment, false);
          const change = { type: "replaced", by, environment, first: keys === undefined, made } as const;
          return { merchant: withNewKeys(before, environment, pendingKeys), change };
        }
        return null;
      }),
    refuse: (owner, merchantId, by) =>
      changePending(owner, merchantId, async (before) => {
        const waits = MERCHANT_ENVIRONMENTS.some((environment) => keysOf(before, environment).pendingKeys !== undefined);
        return waits ? { merchant: withoutPendingKeys(before), change: { type: "refused", by } } : null;
      }),
  };
}

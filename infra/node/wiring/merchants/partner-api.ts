import { randomBytes } from "node:crypto";
import type { LookAtKey } from "../../../../engine/access/made-by-key.ts";
import type { Address } from "../../../../engine/kernel/bus.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import type { Kv } from "../../../../engine/kernel/kv.ts";
import type { MinuteCounts } from "../../../../engine/kernel/minute-counts.ts";
import type { SecretBox } from "../../../../engine/kernel/secret-box.ts";
import { type AdministerMerchants, createAdministerMerchants } from "../../../../engine/partners/administer-merchants.ts";
import { type AdministerPartnerApi, createAdministerPartnerApi } from "../../../../engine/partners/administer-partner-api.ts";
import type { AdministerPartners } from "../../../../engine/partners/administer-partners.ts";
import { createCallCountStore } from "../../../../engine/partners/call-count-store.ts";
import { createCallCounts } from "../../../../engine/partners/call-counts.ts";
import type { MerchantOwner, MerchantRecord } from "../../../../engine/partners/merchant.ts";
import { createMerchantsByKey, type MerchantsByKey } from "../../../../engine/partners/merchant-by-key.ts";
import type { MerchantCalls } from "../../../../engine/partners/merchant-calls.ts";
import { createMerchantServices } from "../../../../engine/partners/merchant-services.ts";
import { type AlsoStored, createMerchantStore } from "../../../../engine/partners/merchant-store.ts";
import { createMerchants } from "../../../../engine/partners/merchants.ts";
import { createOwnMerchant, type OwnMerchant } from "../../../../engine/partners/own-merchant.ts";
import type { ApiKeys } from "../../../../engine/partners/partner-secrets.ts";
import type { Partner, Partners } from "../../../../engine/partners/partners.ts";
import { createReplaceKeys, type KeyOwners, type ReplaceKeys } from "../../../../engine/partners/replace-keys.ts";
import { createRecordStore, MERCHANT_OWNERS } from "../../../../engine/tables/record-store.ts";
import type { ReplicatedRecords, Tables } from "../../../../engine/tables/replicated-table.ts";
import { compileAddressList } from "../../../../http/auth/address-list.ts";
import { sha256Hex } from "../../../../http/auth/digest.ts";
import { withoutGuesses } from "../../../../http/auth/key-guesses.ts";
import type { FindMerchant } from "../../../../http/auth/merchant-key.ts";
import type { PartnerApiCredential, PartnerApiCredentials } from "../../../../http/auth/partner-api-key.ts";
import type { PartnerV1Operations } from "../../../../http/surfaces/partner-v1/surface.ts";
import type { Lifecycle } from "../../boot/lifecycle.ts";
import { composeMerchantCalls, type MerchantCallsParts } from "./merchant-calls.ts";

const apiKeys: ApiKeys = {
  generate: (prefix) => prefix + randomBytes(32).toString("base64url"),
  digest: sha256Hex,
};

export interface PartnerApiParts {
  kv: Kv;
  tables: Tables;
  box: SecretBox;
  partners: Partners;
  administerPartners: AdministerPartners;
  clock: Clock;
  address: Address;
  bus: MerchantCallsParts["bus"];
  /** Calls of merchants at all nodes; null for a single node. */
  sharedMinutes: MinuteCounts | null;
  /** Returns the notices to owners that their merchant moved to the other environment. */
  moved(merchant: MerchantRecord): Promise<AlsoStored>;
  failed(what: string, error: unknown): void;
}

/** Partner API v1 in a shard. */
export interface PartnerApi extends Lifecycle {
  operations: Omit<PartnerV1Operations, "webhookEndpoints" | "endpointDeliveries" | "reconciliation" | "users" | "replaceKeys"> & {
    administerPartnerApi: AdministerPartnerApi;
    administerMerchants: AdministerMerchants;
  };
  credentials: PartnerApiCredentials;
  /** The operations of surfaces that merchants call. */
  ofMerchants: MerchantOperations;
  /** Used by the relay's own lookups. */
  merchantsByKey: MerchantsByKey;
  /** The operations of merchants on their own services and keys. */
  ofOwnMerchant(owners: KeyOwners, lookAtKey: LookAtKey): { ownMerchant: OwnMerchant; replaceKeys: ReplaceKeys };
  /** The owners of merchants, including deactivated ones. */
  merchantOwners: Pick<ReplicatedRecords<MerchantOwner>, "get">;
}

export interface MerchantOperations {
  /** Blocks addresses that sent too many invalid keys. */
  merchantsByKey: { merchantByKey: FindMerchant };
  merchantCalls: MerchantCalls;
  /**
   * Returns true if pages of this origin may use publishable keys of the partner's merchants. All
   * may while the partner has listed none.
   */
  mayPageCall(partnerId: number, origin: string): boolean;
}

export function composePartnerApi(parts: PartnerApiParts): PartnerApi {
  const { kv, tables, box, partners, administerPartners, clock, address, bus, sharedMinutes, failed } = parts;
  const store = createMerchantStore(kv);
  const owners = tables.records(createRecordStore<MerchantOwner>(kv, MERCHANT_OWNERS));
  const callCounts = createCallCounts(createCallCountStore(kv));
  const merchants = createMerchants({ store, apiKeys, clock, propagate: owners.propagate, moved: parts.moved });
  const merchantServices = createMerchantServices({ merchants, store, secretBox: box, clock });
  const administerPartnerApi = createAdministerPartnerApi({
    administerPartners,
    apiKeys,
    box,
    clock,
    addressLists: { compile: compileAddressList },
  });
  const administerMerchants = createAdministerMerchants({ store, clock });
  const storeCalls = () => callCounts.flush().catch((error: unknown) => failed("partner calls", error));
  const servicesOfPartner = (partnerId: number) => {
    const { enabled = false, partnerApi = null } = partners.byId(partnerId)?.record ?? {};
    return enabled ? (partnerApi?.allowedServices ?? null) : null;
  };
  const merchantsByKey = createMerchantsByKey({ store, apiKeys, clock, servicesOfPartner });
  return {
    operations: { merchants, merchantServices, callCounts, administerPartnerApi, administerMerchants },
    credentials: createPartnerApiCredentials(partners, callCounts.count),
    ofMerchants: {
      merchantsByKey: { merchantByKey: withoutGuesses(merchantsByKey.merchantByKey, clock.monotonicMs) },
      merchantCalls: composeMerchantCalls({ address, bus, monotonicMs: clock.monotonicMs, shared: sharedMinutes }),
      mayPageCall: (partnerId, origin) => {
        const listed = Object.values(partners.byId(partnerId)?.record.allowedOrigins ?? {});
        return listed.length === 0 || listed.includes(origin);
      },
    },
    merchantsByKey,
    ofOwnMerchant: (owners, lookAtKey) => {
      const replaceKeys = createReplaceKeys({ merchants, store, apiKeys, secretBox: box, clock, owners, lookAtKey });
      const parts = { store, merchants, services: merchantServices, keys: replaceKeys, clock, servicesOfPartner };
      return { replaceKeys, ownMerchant: createOwnMerchant(parts) };
    },
    merchantOwners: owners,
    everySecond: storeCalls,
    close: storeCalls,
  };
}

/**
 * The keys of enabled partners. Each partner's whitelist is compiled once per version of its
 * record.
 */
function createPartnerApiCredentials(partners: Partners, called: (partnerId: number) => void): PartnerApiCredentials {
  const known = new WeakMap<Partner, PartnerApiCredential>();
  return {
    called,
    byKeySha256: (keySha256) => {
      const partner = partners.byPartnerApiKeySha256(keySha256);
      if (partner === null || !partner.record.enabled) return null;
      let credential = known.get(partner) ?? null;
      if (credential === null) {
        credential = credentialOf(partner);
        if (credential !== null) known.set(partner, credential);
      }
      return credential;
    },
  };
}

function credentialOf({ record: { id: partnerId, partnerApi } }: Partner): PartnerApiCredential | null {
  if (partnerApi === null) return null;
  const { partnerCode, name, role, allowedServices, maxMerchants, ipWhitelist } = partnerApi;
  const grant = { partnerId, partnerCode, name, role, allowedServices, maxMerchants };
  return { caller: { type: "partnerApi", partner: grant }, grant, mayCallFrom: compileAddressList(ipWhitelist) };
}

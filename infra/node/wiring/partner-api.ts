import { randomBytes } from "node:crypto";
import type { Clock } from "../../../engine/kernel/clock.ts";
import type { Kv } from "../../../engine/kernel/kv.ts";
import type { SecretBox } from "../../../engine/kernel/secret-box.ts";
import { type AdministerPartnerApi, createAdministerPartnerApi } from "../../../engine/partners/administer-partner-api.ts";
import type { AdministerPartners } from "../../../engine/partners/administer-partners.ts";
import { createCallCountStore } from "../../../engine/partners/call-count-store.ts";
import { createCallCounts } from "../../../engine/partners/call-counts.ts";
import type { MerchantOwner } from "../../../engine/partners/merchant.ts";
import { createMerchantsByKey, type MerchantsByKey } from "../../../engine/partners/merchant-by-key.ts";
import { createMerchantServices } from "../../../engine/partners/merchant-services.ts";
import { createMerchantStore } from "../../../engine/partners/merchant-store.ts";
import { createMerchants } from "../../../engine/partners/merchants.ts";
import type { ApiKeys } from "../../../engine/partners/partner-secrets.ts";
import type { Partner, Partners } from "../../../engine/partners/partners.ts";
import { createRecordStore, MERCHANT_OWNERS } from "../../../engine/tables/record-store.ts";
import type { ReplicatedRecords, Tables } from "../../../engine/tables/replicated-table.ts";
import { compileAddressList } from "../../../http/auth/address-list.ts";
import { sha256Hex } from "../../../http/auth/digest.ts";
import type { PartnerApiCredential, PartnerApiCredentials } from "../../../http/auth/partner-api-key.ts";
import type { PartnerV1Operations } from "../../../http/surfaces/partner-v1/surface.ts";
import type { Lifecycle } from "../boot/lifecycle.ts";

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
  failed(what: string, error: unknown): void;
}

/** Partner API v1 in a shard. */
export interface PartnerApi extends Lifecycle {
  operations: Omit<PartnerV1Operations, "webhookEndpoints"> & { administerPartnerApi: AdministerPartnerApi };
  credentials: PartnerApiCredentials;
  merchantsByKey: MerchantsByKey;
  /** Whose merchants are, deactivated ones too. */
  merchantOwners: Pick<ReplicatedRecords<MerchantOwner>, "get">;
}

export function composePartnerApi({ kv, tables, box, partners, administerPartners, clock, failed }: PartnerApiParts): PartnerApi {
  const store = createMerchantStore(kv);
  const owners = tables.records(createRecordStore<MerchantOwner>(kv, MERCHANT_OWNERS));
  const callCounts = createCallCounts(createCallCountStore(kv));
  const merchants = createMerchants({ store, apiKeys, clock, propagate: owners.propagate });
  const merchantServices = createMerchantServices({ merchants, store, secretBox: box, clock });
  const administerPartnerApi = createAdministerPartnerApi({
    administerPartners,
    apiKeys,
    box,
    clock,
    addressLists: { compile: compileAddressList },
  });
  const storeCalls = () => callCounts.flush().catch((error: unknown) => failed("partner calls", error));
  return {
    operations: { merchants, merchantServices, callCounts, administerPartnerApi },
    credentials: createPartnerApiCredentials(partners, callCounts.count),
    merchantsByKey: createMerchantsByKey({
      store,
      apiKeys,
      servicesOfPartner: (partnerId) => {
        const { enabled = false, partnerApi = null } = partners.byId(partnerId)?.record ?? {};
        return enabled ? (partnerApi?.allowedServices ?? null) : null;
      },
    }),
    merchantOwners: owners,
    everySecond: storeCalls,
    close: storeCalls,
  };
}

/** Keys of enabled partners, with each partner's whitelist compiled once for as long as its record stands. */
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

import { SERVICE_CODES } from "../../../engine/access/partner-grant.ts";
import type { Kv } from "../../../engine/kernel/kv.ts";
import type { SecretBox } from "../../../engine/kernel/secret-box.ts";
import { deletedPartner, type PartnerApiAccess, type PartnerRecord, partnerPlace } from "../../../engine/partners/partner.ts";
import { createPartnerStore, PARTNER_PARTITIONS, type PartnerStore } from "../../../engine/partners/partner-store.ts";
import { sha256Hex } from "../../../http/auth/digest.ts";
import { SANDBOX_GATEWAY_ACCOUNT } from "../../sandbox/gateway/options.ts";
import type { Config } from "../boot/config.ts";
import { DEMO_PARTNER_USERNAME, SANDBOX_PARTNER_API } from "../boot/sandbox-names.ts";

/** The demo partner's login beside its API key; known to everyone. */
export const DEMO_PARTNER = {
  username: DEMO_PARTNER_USERNAME,
  password: "demo",
  /** Made once by `hashPassword`: each first start would take 50 ms for it. */
  passwordHash: "scrypt$16384$8$1$QrPuk9NiT0bvu9u1xBCS1w$3EAZrNdRZNFYyNhY5pEBKVg3WiD5sLFGPxw3RUISyag",
};

/** Its login at the gateway-protocol adapter. */
export const SANDBOX_ADAPTER_LOGIN = { merchantId: "SANDBOXADAPTER1", secret: "sandbox-adapter-secret-of-the-demo-partner" };

/**
 * In the sandbox: stores the demo partner where there is none, and gives it the configured API key where it has another. In production: removes
 * it, should the data come from a sandbox.
 */
export async function prepareSandboxPartner(kv: Kv, config: Config, box: SecretBox, nowMs: number): Promise<void> {
  const store = createPartnerStore(kv);
  const demo = await demoPartners(kv);
  if (config.sandboxApiKey === null) {
    for (const { id } of demo) {
      const stored = await store.find(id);
      if (stored !== null) await store.replace(stored, deletedPartner(stored.record, nowMs));
    }
    return;
  }
  const keySha256 = sha256Hex(config.sandboxApiKey);
  const [known] = demo;
  if (known !== undefined) {
    if (known.keySha256 === keySha256 && known.partnerApi !== null) return;
    const stored = await store.find(known.id);
    if (stored === null) return;
    const { record } = stored;
    const previousKey = record.keySha256 === keySha256 ? record.previousKey : null;
    await store.replace(stored, { ...record, keySha256, previousKey, partnerApi: record.partnerApi ?? sandboxAccess(record.id, box) });
    return;
  }
  const { terminalId, merchantId, secret } = SANDBOX_GATEWAY_ACCOUNT;
  // Taken: a partner of this name was made by hand; the sandbox then has no demo partner.
  await store.create((id) => ({
    schema: 1,
    id,
    username: DEMO_PARTNER.username,
    passwordHash: DEMO_PARTNER.passwordHash,
    keySha256,
    previousKey: null,
    enabled: true,
    gateway: { terminalId, merchantId, sealedSecret: box.seal(secret, partnerPlace(id, "gwSecretKey")) },
    allowedOrigins: {},
    terminals: { ruleType: "ANY" },
    adapter: {
      merchantId: SANDBOX_ADAPTER_LOGIN.merchantId,
      sealedSecret: box.seal(SANDBOX_ADAPTER_LOGIN.secret, partnerPlace(id, "adapterSecret")),
    },
    partnerApi: sandboxAccess(id, box),
    sandbox: true,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    deletedAtMs: null,
  }));
}

/** The demo partner; none where it was deleted, or not made yet. */
export async function demoPartners(kv: Kv): Promise<PartnerRecord[]> {
  const all = await loadAll(createPartnerStore(kv));
  return all.filter(({ sandbox, deletedAtMs }) => sandbox && deletedAtMs === null);
}

async function loadAll(store: PartnerStore): Promise<PartnerRecord[]> {
  const partitions = await Promise.all(Array.from({ length: PARTNER_PARTITIONS }, (_, partition) => store.load(partition)));
  return partitions.flatMap((partition) => [...partition.values()].map(({ record }) => record));
}

function sandboxAccess(id: number, box: SecretBox): PartnerApiAccess {
  return {
    partnerCode: "DEMO",
    name: "Demo partner",
    role: "ADMIN",
    allowedServices: SERVICE_CODES,
    maxMerchants: 1_000,
    ipWhitelist: [],
    keySha256: sha256Hex(SANDBOX_PARTNER_API.apiKey),
    previousKey: null,
    sealedSecret: box.seal(SANDBOX_PARTNER_API.secret, partnerPlace(id, "partnerApiSecret")),
  };
}

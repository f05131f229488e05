import type { PartnerApiGrant } from "../../../engine/access/partner-grant.ts";
import type { Clock } from "../../../engine/kernel/clock.ts";
import type { Kv } from "../../../engine/kernel/kv.ts";
import type { SecretBox } from "../../../engine/kernel/secret-box.ts";
import { type MerchantRecord, serviceOf } from "../../../engine/partners/merchant.ts";
import { createMerchantServices } from "../../../engine/partners/merchant-services.ts";
import { createMerchantStore, type MerchantStore } from "../../../engine/partners/merchant-store.ts";
import { createMerchants } from "../../../engine/partners/merchants.ts";
import type { PartnerRecord } from "../../../engine/partners/partner.ts";
import type { CloudConfig } from "../../../engine/settings/cloud-config.ts";
import { CLOUD_CONFIGS, createRecordStore } from "../../../engine/tables/record-store.ts";
import { partitionOf } from "../../../engine/tables/table-versions.ts";
import { sha256Hex } from "../../../http/auth/digest.ts";
import type { Config } from "../boot/config.ts";
import { POLLING_TERMINAL_ID, SANDBOX_MERCHANT, SIMULATED_TERMINAL_ID } from "../boot/sandbox-names.ts";
import { demoPartners } from "./sandbox-partner.ts";

/** Under which the sandbox makes the shop: whoever makes it again, after a restart or on another node, gets the same one with the same keys. */
const MADE_BY = "sandbox";

/**
 * In the sandbox: gives the demo partner its shop, enabled for card payments, where there is none, the fixed keys where it has others, and the simulated terminals. In
 * production: deactivates it, should the data come from a sandbox, so that keys that everyone knows open nothing. Runs after
 * `prepareSandboxPartner`. Several nodes may do it at once.
 */
export async function prepareSandboxMerchant(kv: Kv, config: Pick<Config, "sandboxApiKey">, box: SecretBox, clock: Clock): Promise<void> {
  const store = createMerchantStore(kv);
  const merchants = createMerchants({
    store,
    apiKeys: { generate: (prefix) => fixedKey(prefix), digest: sha256Hex },
    clock,
    // No shard has started yet, and those of other nodes see by the table's version that there is something new.
    propagate: async () => {},
  });
  if (config.sandboxApiKey === null) {
    const known = await store.byKey(sha256Hex(SANDBOX_MERCHANT.keys.secret));
    if (known?.active === true) await merchants.patch(ownerOf(known), known.merchantId, { active: false });
    return;
  }
  const [partner] = await demoPartners(kv);
  const grant = partner === undefined ? null : grantOf(partner);
  if (grant === null) return;
  const { merchantId } = SANDBOX_MERCHANT;
  if (await isThere(store, grant)) {
    await giveTerminals(kv, merchantId, clock);
    return;
  }
  // Also where it is there: its keys are then the fixed ones again. Taken: a merchant of this name was made by hand, and is left as it is.
  await merchants.create(grant, { merchantId, merchantName: "Demo shop" }, MADE_BY);
  const made = await store.load(merchantId);
  if (made?.record.createdBy !== MADE_BY || made.record.partnerId !== grant.partnerId) return;
  const services = createMerchantServices({ merchants, store, secretBox: box, clock });
  // In this order: what is configured is complete.
  await services.setEnabled(grant, merchantId, "IGFS", true);
  await services.configure(grant, merchantId, "IGFS", { mode: "sandbox" });
  await giveTerminals(kv, merchantId, clock);
}

/** The simulated terminals are the shop's, where nobody has configured them otherwise: what they take is listed in the shop's portal. */
async function giveTerminals(kv: Kv, merchantId: string, clock: Clock): Promise<void> {
  const configs = createRecordStore<CloudConfig>(kv, CLOUD_CONFIGS);
  for (const terminalId of [SIMULATED_TERMINAL_ID, POLLING_TERMINAL_ID]) {
    const isConfigured = (await configs.load(partitionOf(terminalId, configs.partitions))).has(terminalId);
    if (isConfigured) continue;
    const config: CloudConfig = {
      ...{ schema: 1, terminalId, merchantId, group: null, family: null, settings: {} },
      updatedAtMs: clock.nowMs(),
    };
    // Another node may have been first, or somebody there may have configured it meanwhile.
    await configs.change(terminalId, (before) => before ?? config);
  }
}

/** Whether the shop is there with its own keys, and complete. A developer may have switched it or its service off since; they stay so. */
async function isThere(store: MerchantStore, { partnerId }: PartnerApiGrant): Promise<boolean> {
  const digest = sha256Hex(SANDBOX_MERCHANT.keys.secret);
  const known = await store.byKey(digest);
  const isOwn = known !== null && known.partnerId === partnerId && known.keys.secret === digest;
  return isOwn && serviceOf(known, "IGFS").configuration !== null;
}

function fixedKey(prefix: string): string {
  const key = Object.values(SANDBOX_MERCHANT.keys).find((one) => one.startsWith(prefix));
  if (key === undefined) throw new Error(`the sandbox's shop has no key that begins with ${prefix}`);
  return key;
}

function grantOf({ id: partnerId, partnerApi }: PartnerRecord): PartnerApiGrant | null {
  if (partnerApi === null) return null;
  const { partnerCode, name, role, allowedServices, maxMerchants } = partnerApi;
  return { partnerId, partnerCode, name, role, allowedServices, maxMerchants };
}

/** Whoever it belongs to: its partner is deleted when this runs. Deactivating needs no more than its id. */
function ownerOf({ partnerId }: MerchantRecord): PartnerApiGrant {
  return { partnerId, partnerCode: "", name: "", role: "ADMIN", allowedServices: [], maxMerchants: 0 };
}

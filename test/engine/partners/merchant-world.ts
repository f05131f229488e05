import { createHash } from "node:crypto";
import type { LookAtKey, ThingsOfKey } from "../../../engine/access/made-by-key.ts";
import { type PartnerApiGrant, SERVICE_CODES } from "../../../engine/access/partner-grant.ts";
import type { SecretBox } from "../../../engine/kernel/secret-box.ts";
import { createMerchantsByKey } from "../../../engine/partners/merchant-by-key.ts";
import { createMerchantServices } from "../../../engine/partners/merchant-services.ts";
import { createMerchantStore } from "../../../engine/partners/merchant-store.ts";
import { createMerchants } from "../../../engine/partners/merchants.ts";
import { createOwnMerchant } from "../../../engine/partners/own-merchant.ts";
import { createReplaceKeys, type KeyOwners, type KeysChange } from "../../../engine/partners/replace-keys.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { ManualClock } from "../world.ts";

/** What is sealed can be told from what is not, and opens only in its own place. */
export const bracketed: SecretBox = {
  seal: (secret, context) => `[${context}]${Buffer.from(secret, "utf8").toString("base64")}`,
  open: (sealed, context) => {
    if (!sealed.startsWith(`[${context}]`)) throw new Error("sealed for another place");
    return Buffer.from(sealed.slice(context.length + 2), "base64").toString("utf8");
  },
};

export function grant(members: Partial<PartnerApiGrant> = {}): PartnerApiGrant {
  return {
    partnerId: 7,
    partnerCode: "P7",
    name: "Partner seven",
    role: "ADMIN",
    allowedServices: [...SERVICE_CODES],
    maxMerchants: 10,
    ...members,
  };
}

const NOTHING_MADE: ThingsOfKey = { items: [], checks: [], operations: [], committed: () => {} };

/** Merchants over one store in memory; `shard` gives the operations of another shard over the same store. */
export function merchantWorld(lookAtKey: LookAtKey = async () => NOTHING_MADE) {
  const kv = new MemoryKv();
  const clock = new ManualClock();
  let generated = 0;
  const apiKeys = {
    generate: (prefix: string) => prefix + String(++generated).padStart(43, "0"),
    digest: (key: string) => createHash("sha256").update(key).digest("hex"),
  };
  /** Partners that are enabled, and their services. */
  const partners = new Map([[7, [...SERVICE_CODES]]]);
  /** What keeps a shard from hearing of a new merchant, if anything. */
  const fault: { propagate: Error | null } = { propagate: null };
  const propagate = async () => {
    if (fault.propagate !== null) throw fault.propagate;
  };
  /** What owners were told of their merchant's keys, in commits that were tried. */
  const notices: { merchantId: string; change: KeysChange }[] = [];
  /** Merchants that have an active owner. */
  const owned = new Set<string>();
  const told: KeyOwners["told"] = async ({ merchantId }, change) => {
    notices.push({ merchantId, change });
    return { operations: [{ type: "put", key: `told/${merchantId}/${notices.length}`, value: change.type }] };
  };
  const shard = () => {
    const store = createMerchantStore(kv);
    const merchants = createMerchants({
      ...{ store, apiKeys, clock, propagate },
      moved: (merchant) => told(merchant, { type: "moved", environment: merchant.environment }),
    });
    const services = createMerchantServices({ merchants, store, secretBox: bracketed, clock });
    const servicesOfPartner = (partnerId: number) => partners.get(partnerId) ?? null;
    const { merchantByKey } = createMerchantsByKey({ store, apiKeys, clock, servicesOfPartner });
    const keys = createReplaceKeys({
      ...{ merchants, store, apiKeys, secretBox: bracketed, clock, lookAtKey },
      owners: {
        isAnyActive: async (merchantId) => owned.has(merchantId),
        told,
      },
    });
    const ownMerchant = createOwnMerchant({ store, merchants, services, keys, clock, servicesOfPartner });
    return { store, merchants, services, merchantByKey, keys, replaceKeys: keys.replace, ownMerchant };
  };
  return { kv, clock, partners, fault, notices, owned, shard, ...shard() };
}

/** A request of a partner for new keys, each one of its own. */
export function newKeys(operationId: string) {
  return { operationId, by: { type: "partner" }, reason: "routine" } as const;
}

/** Everything that is stored, as text. */
export async function storedText(kv: MemoryKv): Promise<string> {
  const entries = await kv.scan({ from: "", to: "\u007f", limit: 10_000 });
  return entries.map(({ key, value }) => `${key} ${value}`).join("\n");
}

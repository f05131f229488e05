import assert from "node:assert/strict";
import type { Kv } from "../../../engine/kernel/kv.ts";
import { createMerchantStore } from "../../../engine/partners/merchant-store.ts";

/** Stores a merchant as a partner creates it. */
export async function putMerchant(
  kv: Kv,
  merchantId: string,
  environment: "TEST" | "LIVE",
  { createdAtMs = 1, active = true }: { createdAtMs?: number; active?: boolean } = {},
): Promise<void> {
  const store = createMerchantStore(kv);
  const count = await store.count(7);
  const record = {
    ...{
      schema: 1 as const,
      merchantId,
      partnerId: 7,
      merchantName: merchantId,
      environment,
      active,
      createdAtMs,
      updatedAtMs: createdAtMs,
    },
    ...{ createdBy: "test", keys: { publishable: `pk-${merchantId}`, secret: `sk-${merchantId}` }, services: {} },
  };
  const change = {
    merchant: { record, version: 0 },
    before: null,
    count: { record: { active: 1, stored: 1 }, version: count.version },
    secrets: null,
  };
  assert.equal(await store.commit(change), "committed");
}

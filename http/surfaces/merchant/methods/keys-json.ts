import type { MerchantRecord } from "../../../../engine/partners/merchant.ts";
import type { KeysJson } from "./schemas.ts";

export const KEYS_EXAMPLE: KeysJson = {
  publishableKey: "pk_merchant_...",
  secretKeyPrefix: "sk_merchant_k3Qd",
  createdAt: "2026-03-01T09:30:00.000Z",
  environment: "TEST",
  pending: null,
};

/** `merchant`: with the keys that count now. */
export function keysJson({ shownKeys, environment, pendingKeys }: MerchantRecord): KeysJson {
  return {
    publishableKey: shownKeys?.publishable ?? null,
    secretKeyPrefix: shownKeys?.secretPrefix ?? null,
    createdAt: shownKeys === undefined ? null : iso(shownKeys.madeAtMs),
    environment,
    pending:
      pendingKeys === undefined
        ? null
        : {
            publishableKey: pendingKeys.shownKeys.publishable,
            secretKeyPrefix: pendingKeys.shownKeys.secretPrefix,
            createdAt: iso(pendingKeys.shownKeys.madeAtMs),
            appliesAt: iso(pendingKeys.appliesAtMs),
          },
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

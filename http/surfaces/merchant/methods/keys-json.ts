import type { MerchantEnvironment, MerchantRecord } from "../../../../engine/partners/merchant.ts";
import { keysOf } from "../../../../engine/partners/merchant-keys.ts";
import { iso } from "../../../endpoint/time.ts";
import type { EnvironmentKeysJson, KeysJson } from "./schemas.ts";

export const KEYS_EXAMPLE: KeysJson = {
  publishableKey: "pk_merchant_...",
  secretKeyPrefix: "sk_merchant_k3Qd",
  createdAt: "2026-03-01T09:30:00.000Z",
  environment: "TEST",
  exists: true,
  pending: null,
  other: { publishableKey: null, secretKeyPrefix: null, createdAt: null, environment: "LIVE", exists: false, pending: null },
};

/** Shows the current keys of `merchant`. */
export function keysJson(merchant: MerchantRecord): KeysJson {
  const { environment } = merchant;
  return { ...jsonOf(merchant, environment), other: jsonOf(merchant, environment === "LIVE" ? "TEST" : "LIVE") };
}

function jsonOf(merchant: MerchantRecord, environment: MerchantEnvironment): EnvironmentKeysJson {
  const { keys, shownKeys, pendingKeys } = keysOf(merchant, environment);
  return {
    publishableKey: shownKeys?.publishable ?? null,
    secretKeyPrefix: shownKeys?.secretPrefix ?? null,
    createdAt: shownKeys === undefined ? null : iso(shownKeys.madeAtMs),
    environment,
    exists: keys !== undefined,
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

import type { Caller } from "../../../engine/access/caller.ts";
import type { MerchantGrant } from "../../../engine/access/merchant-grant.ts";
import type { MerchantUserGrant } from "../../../engine/access/merchant-user-grant.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { MerchantCalls } from "../../../engine/partners/merchant-calls.ts";
import { PROPAGATION_DEADLINE_MS } from "../../../engine/tables/replicated-table.ts";
import type { IdempotencyPolicy } from "../../endpoint/endpoint.ts";
import { USUAL_IDEMPOTENCY } from "../../endpoint/idempotency.ts";
import { surface } from "../../endpoint/surface.ts";
import type { UnknownRefusal } from "../../endpoint/unknown-members.ts";
import { merchantEnvelope } from "./envelope.ts";

export const MERCHANT_BASE = "/api/merchant";

/** The collaborators that every endpoint of the portal's interface uses. */
export interface MerchantOperations {
  merchantCalls: Pick<MerchantCalls, "admitMerchant">;
}

/**
 * The usual policy with two differences. A key belongs to one person, because a response is stored
 * as that person may see it. A request that is still being executed gets an error code of its own.
 */
const IDEMPOTENCY: IdempotencyPolicy = {
  ...USUAL_IDEMPOTENCY,
  scopeOf: (endpoint, input) => {
    const usual = USUAL_IDEMPOTENCY.scopeOf(endpoint, input);
    return usual === null || input.caller.type !== "merchantUser" ? usual : [...usual, input.caller.user.userId];
  },
  running: () => {
    const { code, message, retryAfterSeconds = 1 } = USUAL_IDEMPOTENCY.running();
    return new RelayError(code, message, { detail: "idempotency_key_in_use", retryAfterSeconds });
  },
};

/**
 * Starts the portal's interface for endpoints that use `Operations`. Calls with a merchant's secret
 * key count towards its limit per minute.
 */
export function merchantSurface<Operations>({ refusesUnknown }: { refusesUnknown?: UnknownRefusal } = {}) {
  return surface<Operations & MerchantOperations>()({
    name: "merchant",
    tags: ["Merchant portal"],
    envelope: merchantEnvelope,
    changeDeadlineMs: PROPAGATION_DEADLINE_MS,
    ...(refusesUnknown === undefined ? {} : { refusesUnknown }),
    idempotency: IDEMPOTENCY,
    admit: async ({ merchantCalls }, { caller }) => {
      // Anyone can read a publishable key, so calls with it do not use up the merchant's limit.
      if (caller.type === "merchantKey" && caller.merchant.kind === "secret") await merchantCalls.admitMerchant(caller.merchant);
      return undefined;
    },
  });
}

/** Calls of one address in any one second. A shop with several people may share an address. */
export const PORTAL_RATE = { bucket: "merchantPortal", perSecond: 50 };

/** The limit for calls that need no session or try a secret. */
export const SIGN_IN_RATE = { bucket: "merchantSignIn", perSecond: 10 };

/** Returns the merchant of the caller's session or key. It is never taken from the request. */
export function merchantOf(caller: Caller): string {
  return merchantOwnerOf(caller).merchantId;
}

/** Returns the same merchant with the ids by which stores and gateway accounts are found. */
export function merchantOwnerOf(caller: Caller): Pick<MerchantGrant, "merchantId" | "partnerId" | "livemode"> {
  if (caller.type === "merchantUser" || caller.type === "merchantKey") {
    const { merchantId, partnerId, livemode } = caller.type === "merchantUser" ? caller.user : caller.merchant;
    return { merchantId, partnerId, livemode };
  }
  throw new RelayError("unauthorized", "Sign in, or send the merchant's secret key");
}

/** Returns the person of a session. */
export function userOf(caller: Caller): MerchantUserGrant {
  if (caller.type === "merchantUser") return caller.user;
  throw new RelayError("unauthorized", "Sign in");
}

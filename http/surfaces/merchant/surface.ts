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

/** What every part of the portal's interface uses beside its own. */
export interface MerchantOperations {
  merchantCalls: Pick<MerchantCalls, "admitMerchant">;
}

/** As everywhere, but a key is its person's own: an answer is kept as that person was to see it. And a request that is still being executed is told apart from one that was refused. */
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

/** The portal's interface, for endpoints that use `Operations`. Calls with a merchant's secret key count towards its limit of a minute. */
export function merchantSurface<Operations>({ refusesUnknown }: { refusesUnknown?: UnknownRefusal } = {}) {
  return surface<Operations & MerchantOperations>()({
    name: "merchant",
    tags: ["Merchant portal"],
    envelope: merchantEnvelope,
    changeDeadlineMs: PROPAGATION_DEADLINE_MS,
    ...(refusesUnknown === undefined ? {} : { refusesUnknown }),
    idempotency: IDEMPOTENCY,
    admit: async ({ merchantCalls }, { caller }) => {
      // Everybody has a publishable key: calls with it take nothing of the merchant's own.
      if (caller.type === "merchantKey" && caller.merchant.kind === "secret") await merchantCalls.admitMerchant(caller.merchant);
      return undefined;
    },
  });
}

/** Calls of one address in any one second: a shop with several people behind one address. */
export const PORTAL_RATE = { bucket: "merchantPortal", perSecond: 50 };

/** The same for what needs no session, or tries a secret. */
export const SIGN_IN_RATE = { bucket: "merchantSignIn", perSecond: 10 };

/** The merchant that a session or a key speaks for. Never taken from the request. */
export function merchantOf(caller: Caller): string {
  return merchantOwnerOf(caller).merchantId;
}

/** The same, with what stores and the gateway's accounts go by. */
export function merchantOwnerOf(caller: Caller): Pick<MerchantGrant, "merchantId" | "partnerId" | "livemode"> {
  if (caller.type === "merchantUser" || caller.type === "merchantKey") {
    const { merchantId, partnerId, livemode } = caller.type === "merchantUser" ? caller.user : caller.merchant;
    return { merchantId, partnerId, livemode };
  }
  throw new RelayError("unauthorized", "Sign in, or send the merchant's secret key");
}

/** The person of a session. */
export function userOf(caller: Caller): MerchantUserGrant {
  if (caller.type === "merchantUser") return caller.user;
  throw new RelayError("unauthorized", "Sign in");
}

import { RelayError } from "../../../../engine/kernel/errors.ts";
import type { PendingOutcome } from "../../../../engine/partners/replace-keys.ts";
import { MADE_EXAMPLE, madeItems } from "../../parts/made-by-key.ts";
import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, PORTAL_RATE, userOf } from "../surface.ts";
import { KEYS_EXAMPLE, keysJson } from "./keys-json.ts";
import { ConfirmedKeys, ConfirmKeys, Keys } from "./schemas.ts";
import { methods } from "./surface.ts";

export const confirmKeys = methods.endpoint({
  name: "portalConfirmKeys",
  method: "POST",
  path: `${MERCHANT_BASE}/keys/pending/confirm`,
  summary: "Confirm the pending API keys of the merchant",
  description:
    "They replace the present pair at once, at every node. The owners are told by mail. The response and the mail list what the former secret key made.",
  auth: "merchantUser",
  may: "administer owners",
  stepUp: true,
  rateLimit: PORTAL_RATE,
  body: ConfirmKeys,
  bodyExample: { publishableKey: KEYS_EXAMPLE.publishableKey },
  audit: { action: "keys.confirm", subject: ({ caller }) => userOf(caller).merchantId },
  responses: {
    200: {
      description: "The keys that count now.",
      body: okOf(ConfirmedKeys),
      example: { status: "ok", data: { ...KEYS_EXAMPLE, made: MADE_EXAMPLE } },
    },
    ...methods.errors(400, 401, 403, 413, 415, 429, 503),
    409: { description: "These keys do not wait, or no longer (conflict).", body: methods.envelope.schema },
  },
  handle: async ({ ownMerchant }, { caller, body: { publishableKey } }) => {
    const { merchantId, email } = userOf(caller);
    const { merchant, made } = changed(await ownMerchant.confirmKeys(merchantId, publishableKey, { type: "person", email }));
    return { status: 200, body: ok({ ...keysJson(merchant), made: madeItems(made) }) };
  },
});

export const refuseKeys = methods.endpoint({
  name: "portalRefuseKeys",
  method: "DELETE",
  path: `${MERCHANT_BASE}/keys/pending`,
  summary: "Refuse the pending API keys of the merchant",
  description: "The present pair goes on, and the keys that wait are never accepted. The owners are told by mail.",
  auth: "merchantUser",
  may: "administer keys",
  stepUp: true,
  rateLimit: PORTAL_RATE,
  audit: { action: "keys.refuse", subject: ({ caller }) => userOf(caller).merchantId },
  responses: {
    200: { description: "The keys that count now.", body: okOf(Keys), example: { status: "ok", data: KEYS_EXAMPLE } },
    ...methods.errors(401, 403, 429, 503),
    409: { description: "No keys wait (conflict).", body: methods.envelope.schema },
  },
  handle: async ({ ownMerchant }, { caller }) => {
    const { merchantId, email } = userOf(caller);
    const { merchant } = changed(await ownMerchant.refuseKeys(merchantId, { type: "person", email }));
    return { status: 200, body: ok(keysJson(merchant)) };
  },
});

function changed(outcome: PendingOutcome): Extract<PendingOutcome, { type: "changed" }> {
  if (outcome.type === "none") throw new RelayError("conflict", "These keys do not wait; read the keys again");
  return outcome;
}

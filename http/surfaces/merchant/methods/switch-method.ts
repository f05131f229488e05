import { MERCHANT_BASE, merchantOf, PORTAL_RATE } from "../surface.ts";
import { MethodParams, methodAnswered, methodRefused, methodReply } from "./method-json.ts";
import { methods } from "./surface.ts";

function switching(word: "enable" | "disable", name: string, summary: string) {
  return methods.endpoint({
    name,
    method: "POST",
    path: `${MERCHANT_BASE}/payment-methods/{service}/${word}`,
    summary,
    description: "The call is idempotent. A method may be enabled before it is configured, and configured before it is enabled.",
    auth: "merchantUserOrKey",
    may: "configure",
    stepUp: true,
    rateLimit: PORTAL_RATE,
    idempotency: "plain",
    params: MethodParams,
    audit: { action: `payment-method.${word}` },
    responses: {
      200: methodAnswered,
      ...methods.errors(400, 401, 429, 503),
      ...methodRefused,
      409: { description: "The Idempotency-Key was used for another request (conflict).", body: methods.envelope.schema },
    },
    handle: async ({ ownMerchant }, { caller, params }) =>
      methodReply(await ownMerchant.setEnabled(merchantOf(caller), params.service, word === "enable")),
  });
}

export const enablePaymentMethod = switching("enable", "merchantEnablePaymentMethod", "Enable a payment method");
export const disablePaymentMethod = switching("disable", "merchantDisablePaymentMethod", "Disable a payment method");

import { Type } from "@sinclair/typebox";
import type { IntentRecord } from "../../../engine/intents/intent.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import {
  link,
  orUnavailable,
  PAGE_RESPONSES,
  PRIVATE_HEADER_DECLARATIONS,
  PRIVATE_HEADERS,
  page,
  seeOther,
  unavailable,
} from "../parts/buyer/buyer-document.ts";
import { type Language, LanguageHeaders, languageOf } from "../parts/buyer/buyer-language.ts";
import { BUYER_PAGE_RATE } from "../parts/buyer/buyer-rate.ts";
import { type ShopParts, shownShop } from "../parts/buyer/buyer-shop.ts";
import { RETURN_SCRIPT, RETURN_SCRIPT_PATH, ReloadQuery, waitingPage, withinWait } from "../parts/buyer/buyer-waiting.ts";
import { redirectStatus, returnAddress } from "./buyer-return.ts";
import { textsIn } from "./page-texts.ts";
import { missing } from "./pay-page.ts";
import { type CompatPageOperations, intentOf, pages, TokenParams } from "./surface.ts";

export const returnPage = pages.endpoint({
  name: "returnPage",
  method: "GET",
  path: "/pay/return/{token}",
  summary: "Send a buyer back to the shop with the outcome of the payment",
  description:
    "The card gateway sends buyers here. The relay asks it for the outcome of the payment and adds `payment_intent`, `payment_intent_client_secret` and `redirect_status` (succeeded, failed or canceled) to the shop's return address. While the outcome is unknown the buyer stays on a waiting page for up to 30 s, which then shows a button that returns without `redirect_status`.",
  auth: "none",
  rateLimit: BUYER_PAGE_RATE,
  // The gateway adds members of its own.
  params: TokenParams,
  query: ReloadQuery,
  headers: LanguageHeaders,
  responses: PAGE_RESPONSES,
  handle: async (operations, { params: { token }, query, headers }) => {
    const language = languageOf(headers["accept-language"] ?? "");
    const intent = await orUnavailable(verified(operations, token));
    if (intent === "unavailable") return unavailable(language);
    if (intent === null) return missing(language);
    const status = redirectStatus(intent);
    const address = status === null ? null : returnAddress(intent, status);
    if (address !== null) return seeOther(address);
    const shop = await orUnavailable(shownShop(operations, intent.merchantId));
    if (shop === "unavailable") return unavailable(language);
    if (status === null) return { status: 200 as const, ...waiting(language, shop, intent, query) };
    const texts = textsIn(language);
    const { title, text } = status === "succeeded" ? texts.paid : status === "canceled" ? texts.canceled : texts.ended;
    return { status: 200 as const, ...page({ language, shop, title, main: `<p>${text}</p>` }) };
  },
});

export const returnState = pages.endpoint({
  name: "returnState",
  method: "GET",
  path: "/pay/return/{token}/state",
  summary: "Get whether the outcome is known, for the waiting page",
  auth: "none",
  rateLimit: BUYER_PAGE_RATE,
  params: TokenParams,
  responses: {
    200: {
      description: "True if the waiting page should load the next page.",
      body: Type.Object({ decided: Type.Boolean() }),
      headers: PRIVATE_HEADER_DECLARATIONS,
    },
    ...pages.errors(400, 404, 429, 503),
  },
  handle: async (operations, { params: { token } }) => {
    const intent = await verified(operations, token);
    if (intent === null) throw new RelayError("not_found", "There is no such payment.");
    return { status: 200, body: { decided: redirectStatus(intent) !== null }, headers: PRIVATE_HEADERS };
  },
});

export const returnScript = pages.endpoint({
  name: "returnScript",
  method: "GET",
  path: RETURN_SCRIPT_PATH,
  summary: "Get the script of the waiting page",
  auth: "none",
  responses: {
    200: {
      description: "The script.",
      body: Type.String(),
      contentType: "text/javascript; charset=utf-8",
      headers: { "Cache-Control": { description: "How long the script may be cached." } },
    },
  },
  handle: () => ({ status: 200, text: RETURN_SCRIPT, headers: { "Cache-Control": "no-cache" } }),
});

/** The intent as the gateway says; as it is stored where that takes too long, or the gateway cannot be asked. Null where there is none. */
async function verified(operations: CompatPageOperations, token: string): Promise<IntentRecord | null> {
  const intent = await intentOf(operations, token);
  if (intent === null || redirectStatus(intent) !== null) return intent;
  const answer = await withinWait(operations, orUnavailable(operations.intents.verify(intent)));
  return answer === "unavailable" ? intent : answer;
}

function waiting(language: Language, shop: ShopParts, intent: IntentRecord, query: { n?: string }) {
  const { stillConfirming, backToShop } = textsIn(language);
  const address = returnAddress(intent, null);
  return waitingPage({
    ...{ language, shop, query, path: `/pay/return/${intent.token}`, late: stillConfirming },
    back: (attributes) => (address === null ? "" : link(address, backToShop, attributes)),
  });
}

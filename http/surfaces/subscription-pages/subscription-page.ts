import type { SubscriptionRecord } from "../../../engine/subscriptions/subscription.ts";
import { orUnavailable, PAGE_RESPONSES, seeOther, unavailable } from "../parts/buyer/buyer-document.ts";
import { type Language, LanguageHeaders, languageOf } from "../parts/buyer/buyer-language.ts";
import { BUYER_PAGE_RATE } from "../parts/buyer/buyer-rate.ts";
import { cancelPage, missingSubscription, standingPage } from "./subscription-document.ts";
import { looksLikeToken, type SubscriptionPageOperations, SubscriptionTokenParams, subscriptionPages } from "./surface.ts";

const RESPONSES = { 200: PAGE_RESPONSES[200], 404: PAGE_RESPONSES[404], 503: PAGE_RESPONSES[503] };

type Shown = (operations: SubscriptionPageOperations, language: Language, record: SubscriptionRecord) => ReturnType<typeof standingPage>;

export const subscriptionPage = subscriptionPages.endpoint({
  name: "subscriptionPage",
  method: "GET",
  path: "/s/{token}",
  summary: "Show a subscription to its customer",
  auth: "none",
  rateLimit: BUYER_PAGE_RATE,
  // Mail programs and messengers add members of their own.
  params: SubscriptionTokenParams,
  headers: LanguageHeaders,
  responses: RESPONSES,
  handle: (operations, { params: { token }, headers }) =>
    shown(operations, token, languageOf(headers["accept-language"] ?? ""), standingPage),
});

export const subscriptionCancelPage = subscriptionPages.endpoint({
  name: "subscriptionCancelPage",
  method: "GET",
  path: "/s/{token}/cancel",
  summary: "Ask the customer of a subscription whether to cancel it",
  description: "Nothing is cancelled before a button of it is pressed.",
  auth: "none",
  rateLimit: BUYER_PAGE_RATE,
  params: SubscriptionTokenParams,
  headers: LanguageHeaders,
  responses: { ...RESPONSES, 303: PAGE_RESPONSES[303] },
  handle: async (operations, { params: { token }, headers }) => {
    const language = languageOf(headers["accept-language"] ?? "");
    const record = looksLikeToken(token) ? await orUnavailable(operations.subscriptions.byToken(token)) : null;
    if (record !== null && record !== "unavailable" && record.state === "CANCELLED") return seeOther(`/s/${token}`);
    return shown(operations, token, language, cancelPage);
  },
});

async function shown(operations: SubscriptionPageOperations, token: string, language: Language, page: Shown) {
  const answer = await orUnavailable(pageOf(operations, token, language, page));
  return answer === "unavailable" ? unavailable(language) : answer;
}

async function pageOf(operations: SubscriptionPageOperations, token: string, language: Language, page: Shown) {
  const record = looksLikeToken(token) ? await operations.subscriptions.byToken(token) : null;
  if (record === null) return missingSubscription(language);
  return { status: 200 as const, ...(await page(operations, language, record)) };
}

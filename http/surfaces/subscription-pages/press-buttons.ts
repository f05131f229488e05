import { Type } from "@sinclair/typebox";
import { orUnavailable, PAGE_RESPONSES, seeOther, unavailable } from "../parts/buyer/buyer-document.ts";
import { type Language, LanguageHeaders, languageOf } from "../parts/buyer/buyer-language.ts";
import { isFromElsewhere, OriginHeaders } from "../parts/buyer/buyer-origin.ts";
import { shownShop } from "../parts/buyer/buyer-shop.ts";
import { missingSubscription, tellingPage } from "./subscription-document.ts";
import { looksLikeToken, PRESS_RATE, type SubscriptionPageOperations, SubscriptionTokenParams, subscriptionPages } from "./surface.ts";

/** A payment link is made, or the gateway asked about one. */
const DEADLINE_MS = 20_000;

const Headers = Type.Object({ ...LanguageHeaders.properties, ...OriginHeaders.properties });
const FROM_ELSEWHERE =
  "If a page of another site makes a browser send this request, the relay does nothing and sends the browser to the subscription's own page.";

export const paySubscription = subscriptionPages.endpoint({
  name: "paySubscription",
  method: "POST",
  path: "/s/{token}/pay",
  summary: "Send the customer of a subscription to the payment link for what is unpaid",
  description: `There is one link at a time for all who press the button. ${FROM_ELSEWHERE}`,
  auth: "none",
  rateLimit: PRESS_RATE,
  deadlineMs: DEADLINE_MS,
  params: SubscriptionTokenParams,
  headers: Headers,
  responses: PAGE_RESPONSES,
  handle: async (operations, { params: { token }, headers }) => {
    const language = languageOf(headers["accept-language"] ?? "");
    if (!looksLikeToken(token)) return missingSubscription(language);
    if (isFromElsewhere(headers, operations.linkPages.own())) return seeOther(`/s/${token}`);
    const answer = await orUnavailable(paid(operations, language, token));
    return answer === "unavailable" ? unavailable(language) : answer;
  },
});

async function paid(operations: SubscriptionPageOperations, language: Language, token: string) {
  const outcome = await operations.subscriptions.pay(token);
  if (outcome === null) return missingSubscription(language);
  if (outcome.type === "payable") return seeOther(`/l/${outcome.link.token}`);
  const shop = await shownShop(operations, outcome.subscription.merchantId);
  switch (outcome.type) {
    case "nothing_due":
      return { status: 200 as const, ...tellingPage(language, shop, "nothingDue", token) };
    case "outcome_unknown":
      return { status: 200 as const, ...tellingPage(language, shop, "outcomeUnknown", token) };
    case "refused":
    case "too_many":
    case "inactive":
      return { status: 200 as const, ...tellingPage(language, shop, "refused", token) };
  }
}

export const cancelOwnSubscription = subscriptionPages.endpoint({
  name: "cancelOwnSubscription",
  method: "POST",
  path: "/s/{token}/cancel",
  summary: "Cancel a subscription, by its customer",
  description: `\`when\` is \`now\`, or \`end\` for the end of the current period; without it the page asks the customer. ${FROM_ELSEWHERE}`,
  auth: "none",
  rateLimit: PRESS_RATE,
  deadlineMs: DEADLINE_MS,
  params: SubscriptionTokenParams,
  query: Type.Object({ when: Type.Optional(Type.String()) }),
  headers: Headers,
  responses: PAGE_RESPONSES,
  handle: async (operations, { params: { token }, query: { when }, headers }) => {
    const language = languageOf(headers["accept-language"] ?? "");
    if (!looksLikeToken(token)) return missingSubscription(language);
    if (isFromElsewhere(headers, operations.linkPages.own())) return seeOther(`/s/${token}`);
    if (when !== "now" && when !== "end") return seeOther(`/s/${token}/cancel`);
    const answer = await orUnavailable(cancelled(operations, language, token, when === "end"));
    return answer === "unavailable" ? unavailable(language) : answer;
  },
});

async function cancelled({ subscriptions, ids }: SubscriptionPageOperations, language: Language, token: string, atPeriodEnd: boolean) {
  const operation = { id: `customer ${ids.uuid()}`, requestId: null };
  const outcome = await subscriptions.cancelByToken(token, { atPeriodEnd }, operation);
  // Also where it was cancelled before: its page says how it stands, and reloading that sends nothing again.
  return outcome === null ? missingSubscription(language) : seeOther(`/s/${token}`);
}

import { Type } from "@sinclair/typebox";
import { orUnavailable, PAGE_RESPONSES, seeOther, unavailable } from "../parts/buyer/buyer-document.ts";
import { type Language, LanguageHeaders, languageOf } from "../parts/buyer/buyer-language.ts";
import { isFromElsewhere, OriginHeaders } from "../parts/buyer/buyer-origin.ts";
import { shownShop } from "../parts/buyer/buyer-shop.ts";
import { missingLink, onwardPage, tellingPage } from "./link-document.ts";
import { standingPage } from "./link-page.ts";
import { type LinkPageOperations, LinkTokenParams, linkPages, looksLikeToken, PAY_RATE } from "./surface.ts";

/** The gateway makes the payment meanwhile. */
const DEADLINE_MS = 20_000;

export const payLink = linkPages.endpoint({
  name: "payLink",
  method: "POST",
  path: "/l/{token}/pay",
  summary: "Send a buyer who presses Pay to the gateway's page",
  description:
    "A link has one open payment at a time: another person who presses Pay meanwhile is sent to the same page. If a page of another site makes a browser send this request, the relay starts nothing and sends the browser to the link's own page.",
  auth: "none",
  rateLimit: PAY_RATE,
  deadlineMs: DEADLINE_MS,
  params: LinkTokenParams,
  headers: Type.Object({ ...LanguageHeaders.properties, ...OriginHeaders.properties }),
  responses: PAGE_RESPONSES,
  handle: async (operations, { params: { token }, headers }) => {
    const language = languageOf(headers["accept-language"] ?? "");
    if (!looksLikeToken(token)) return missingLink(language);
    if (isFromElsewhere(headers, operations.linkPages.own())) return seeOther(`/l/${token}`);
    const answer = await orUnavailable(pressed(operations, language, token));
    return answer === "unavailable" ? unavailable(language) : answer;
  },
});

async function pressed(operations: LinkPageOperations, language: Language, token: string) {
  const outcome = await operations.portalLinks.pay(token);
  if (outcome === null) return missingLink(language);
  const again = { href: `/l/${token}`, text: "tryAgain" } as const;
  // The policy of the page with the form names this origin and no other.
  if (outcome.type === "payable" && new URL(outcome.url).origin === operations.linkPages.gateway) return seeOther(outcome.url);
  const shop = await shownShop(operations, outcome.link.merchantId);
  switch (outcome.type) {
    case "payable":
      return { status: 200 as const, ...onwardPage(language, shop, outcome.url) };
    case "closed":
      return { status: 200 as const, ...(await standingPage(operations, language, outcome.link)) };
    case "not_yet":
      return { status: 200 as const, ...tellingPage(language, shop, "preparing", again) };
    case "refused":
      return { status: 200 as const, ...tellingPage(language, shop, "refused") };
    case "too_many":
      return { status: 200 as const, ...tellingPage(language, shop, "tooMany") };
    case "inactive":
    case "no_account":
    case "other_environment":
      return { status: 200 as const, ...tellingPage(language, shop, "closed") };
  }
}

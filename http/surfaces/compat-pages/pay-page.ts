import { type IntentRecord, statusOf } from "../../../engine/intents/intent.ts";
import { link, orUnavailable, PAGE_RESPONSES, page, seeOther, unavailable } from "../parts/buyer/buyer-document.ts";
import { type Language, LanguageHeaders, languageOf } from "../parts/buyer/buyer-language.ts";
import { BUYER_PAGE_RATE } from "../parts/buyer/buyer-rate.ts";
import { shownShop } from "../parts/buyer/buyer-shop.ts";
import { buyerTexts } from "../parts/buyer/buyer-texts.ts";
import { type PageTexts, textsIn } from "./page-texts.ts";
import { intentOf, pages, TokenParams } from "./surface.ts";

export const payPage = pages.endpoint({
  name: "payPage",
  method: "GET",
  path: "/pay/i/{token}",
  summary: "Send a buyer to the page where the payment is made",
  auth: "none",
  rateLimit: BUYER_PAGE_RATE,
  params: TokenParams,
  headers: LanguageHeaders,
  responses: PAGE_RESPONSES,
  handle: async (operations, { params: { token }, headers }) => {
    const language = languageOf(headers["accept-language"] ?? "");
    const intent = await orUnavailable(intentOf(operations, token));
    if (intent === "unavailable") return unavailable(language);
    if (intent === null) return missing(language);
    const standing = standingOf(intent);
    if (standing.type === "payable") return seeOther(standing.url);
    const texts = textsIn(language);
    const { title, text } = texts[standing.type];
    const shop = await orUnavailable(shownShop(operations, intent.merchantId));
    if (shop === "unavailable") return unavailable(language);
    const main = `<p>${text}</p>${wayOn(standing.type, intent, texts, language)}`;
    return { status: 200 as const, ...page({ language, shop, title, main }) };
  },
});

type Standing = { type: "payable"; url: string } | { type: "paid" | "canceled" | "ended" | "preparing" };

function standingOf(intent: IntentRecord): Standing {
  switch (statusOf(intent)) {
    case "requires_action": {
      const url = intent.attempts.at(-1)?.url ?? null;
      return url === null ? { type: "preparing" } : { type: "payable", url };
    }
    case "processing":
      return { type: "preparing" };
    case "succeeded":
    case "requires_capture":
      return { type: "paid" };
    case "canceled":
      return { type: "canceled" };
    case "requires_payment_method":
      return { type: "ended" };
  }
}

/** The way back is the page that tells the shop how it went. */
function wayOn(
  standing: Exclude<Standing["type"], "payable">,
  { token, order }: IntentRecord,
  texts: PageTexts,
  language: Language,
): string {
  if (standing === "preparing") return link(`/pay/i/${token}`, buyerTexts(language).tryAgain);
  return order.returnUrl === null ? "" : link(`/pay/return/${token}`, texts.backToShop);
}

export function missing(language: Language) {
  const { title, text } = textsIn(language).missing;
  return { status: 404 as const, ...page({ language, title, main: `<p>${text}</p>` }) };
}

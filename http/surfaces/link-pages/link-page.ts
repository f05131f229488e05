import type { PortalLinkRecord } from "../../../engine/portal-links/portal-link.ts";
import { orUnavailable, PAGE_RESPONSES, unavailable } from "../parts/buyer/buyer-document.ts";
import { type Language, LanguageHeaders, languageOf } from "../parts/buyer/buyer-language.ts";
import { BUYER_PAGE_RATE } from "../parts/buyer/buyer-rate.ts";
import { shownShop } from "../parts/buyer/buyer-shop.ts";
import { missingLink, paidPage, payablePage, tellingPage } from "./link-document.ts";
import { type LinkPageOperations, LinkTokenParams, linkPages, looksLikeToken } from "./surface.ts";

export const linkPage = linkPages.endpoint({
  name: "linkPage",
  method: "GET",
  path: "/l/{token}",
  summary: "Show a payment link to the buyer",
  description: "The relay starts nothing at the gateway before the buyer presses Pay.",
  auth: "none",
  rateLimit: BUYER_PAGE_RATE,
  // Mail programs and messengers add members of their own.
  params: LinkTokenParams,
  headers: LanguageHeaders,
  responses: { 200: PAGE_RESPONSES[200], 404: PAGE_RESPONSES[404], 503: PAGE_RESPONSES[503] },
  handle: async (operations, { params: { token }, headers }) => {
    const language = languageOf(headers["accept-language"] ?? "");
    const shown = await orUnavailable(shownOf(operations, language, token));
    return shown === "unavailable" ? unavailable(language) : shown;
  },
});

async function shownOf(operations: LinkPageOperations, language: Language, token: string) {
  const record = looksLikeToken(token) ? await operations.portalLinks.byToken(token) : null;
  if (record === null) return missingLink(language);
  return { status: 200 as const, ...(await standingPage(operations, language, record)) };
}

/** How a link stands, for its customer. */
export async function standingPage(operations: LinkPageOperations, language: Language, record: PortalLinkRecord) {
  const shop = await shownShop(operations, record.merchantId);
  switch (record.state) {
    case "PAID":
      return paidPage(language, shop, record);
    case "CANCELLED":
      return tellingPage(language, shop, "cancelled");
    case "EXPIRED":
      return tellingPage(language, shop, "expired");
    case "PENDING":
      // It stays PENDING for as long as somebody may be paying it at the gateway.
      if (record.order.expiresAtMs <= operations.clock.nowMs()) return tellingPage(language, shop, "expired");
      return payablePage(operations, language, shop, record);
  }
}

import { Type } from "@sinclair/typebox";
import { GATEWAY_RESULT } from "../../../engine/gateway/gateway.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { PortalLinkRecord } from "../../../engine/portal-links/portal-link.ts";
import { isOver } from "../../../engine/portal-links/rules.ts";
import {
  link,
  orUnavailable,
  PAGE_RESPONSES,
  PRIVATE_HEADER_DECLARATIONS,
  PRIVATE_HEADERS,
  unavailable,
} from "../parts/buyer/buyer-document.ts";
import { type Language, LanguageHeaders, languageOf } from "../parts/buyer/buyer-language.ts";
import { BUYER_PAGE_RATE } from "../parts/buyer/buyer-rate.ts";
import { type ShopParts, shownShop } from "../parts/buyer/buyer-shop.ts";
import { ReloadQuery, waitingPage, withinWait } from "../parts/buyer/buyer-waiting.ts";
import { missingLink, tellingPage } from "./link-document.ts";
import { standingPage } from "./link-page.ts";
import { linkTextsIn } from "./link-texts.ts";
import { type LinkPageOperations, LinkTokenParams, linkPages, looksLikeToken } from "./surface.ts";

export const linkReturn = linkPages.endpoint({
  name: "linkReturn",
  method: "GET",
  path: "/l/{token}/return",
  summary: "Show the outcome of a link's payment",
  description:
    "The card gateway sends buyers here. The relay asks it for the outcome of the payment. While the outcome is unknown the buyer stays on a waiting page for up to 30 s.",
  auth: "none",
  rateLimit: BUYER_PAGE_RATE,
  // The gateway adds members of its own.
  params: LinkTokenParams,
  query: ReloadQuery,
  headers: LanguageHeaders,
  responses: { 200: PAGE_RESPONSES[200], 404: PAGE_RESPONSES[404], 503: PAGE_RESPONSES[503] },
  handle: async (operations, { params: { token }, query, headers }) => {
    const language = languageOf(headers["accept-language"] ?? "");
    const shown = await orUnavailable(shownOf(operations, language, token, query));
    return shown === "unavailable" ? unavailable(language) : shown;
  },
});

export const linkReturnState = linkPages.endpoint({
  name: "linkReturnState",
  method: "GET",
  path: "/l/{token}/return/state",
  summary: "Get whether the outcome is known, for the waiting page",
  auth: "none",
  rateLimit: BUYER_PAGE_RATE,
  params: LinkTokenParams,
  responses: {
    200: {
      description: "True if the waiting page should load the next page.",
      body: Type.Object({ decided: Type.Boolean() }),
      headers: PRIVATE_HEADER_DECLARATIONS,
    },
    ...linkPages.errors(400, 404, 429, 503),
  },
  handle: async (operations, { params: { token } }) => {
    const record = await verified(operations, token);
    if (record === null) throw new RelayError("not_found", "There is no such link.");
    return { status: 200, body: { decided: isDecided(record) }, headers: PRIVATE_HEADERS };
  },
});

async function shownOf(operations: LinkPageOperations, language: Language, token: string, query: { n?: string }) {
  const record = await verified(operations, token);
  if (record === null) return missingLink(language);
  if (!isDecided(record))
    return { status: 200 as const, ...waiting(language, await shownShop(operations, record.merchantId), record, query) };
  return { status: 200 as const, ...(await outcomePage(operations, language, record)) };
}

function waiting(language: Language, shop: ShopParts, { token }: PortalLinkRecord, query: { n?: string }) {
  const { stillConfirming, backToLink } = linkTextsIn(language);
  return waitingPage({
    ...{ language, shop, query, path: `/l/${token}/return`, late: stillConfirming },
    back: (attributes) => link(`/l/${token}`, backToLink, attributes),
  });
}

/** Whoever comes back without having paid is told so, and may try again where the link is still to be paid. */
async function outcomePage(operations: LinkPageOperations, language: Language, record: PortalLinkRecord) {
  const last = record.attempts.at(-1);
  const isPayable = record.state === "PENDING" && record.order.expiresAtMs > operations.clock.nowMs();
  if (!isPayable || last === undefined) return standingPage(operations, language, record);
  const told = last.resultCode === GATEWAY_RESULT.cancelledByBuyer ? "turnedBack" : "failed";
  return tellingPage(language, await shownShop(operations, record.merchantId), told, { href: `/l/${record.token}`, text: "tryAgain" });
}

/**
 * While a payment is open nobody knows how it ends, also where its link was cancelled or has expired meanwhile. Where its hour is over the gateway may still have taken the
 * money: only by its own word is the buyer told that nothing was charged.
 */
function isDecided({ state, attempts }: PortalLinkRecord): boolean {
  const last = attempts.at(-1);
  return state === "PAID" || last === undefined || isOver(last);
}

/** The link as the gateway says; as it is stored where that takes too long, or the gateway cannot be asked. Null where there is none. */
async function verified(operations: LinkPageOperations, token: string): Promise<PortalLinkRecord | null> {
  const { portalLinks } = operations;
  const record = looksLikeToken(token) ? await portalLinks.byToken(token) : null;
  if (record === null || isDecided(record)) return record;
  const answer = await withinWait(operations, orUnavailable(portalLinks.verified(token)));
  return answer === "unavailable" ? record : answer;
}

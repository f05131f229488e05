import { Type } from "@sinclair/typebox";
import { orUnavailable, PAGE_RESPONSES, seeOther, unavailable } from "../parts/buyer/buyer-document.ts";
import { type Language, LanguageHeaders, languageOf } from "../parts/buyer/buyer-language.ts";
import { isFromElsewhere, OriginHeaders } from "../parts/buyer/buyer-origin.ts";
import { missingLink, onwardPage, tellingPage } from "./link-document.ts";
import { standingPage } from "./link-page.ts";
import { type LinkPageOperations, LinkTokenParams, linkPages, looksLikeToken, PAY_RATE } from "./surface.ts";

/** The gateway makes the payment meanwhile. */
const DEADLINE_MS = 20_000;

export const payLink = linkPages.endpoint({
  name: "payLink",
  method: "POST",
  path: "/l/{token}/pay",
  summary: "Send whoever presses Pay to the gateway's page",
  description:
    "There is one open payment at a time: whoever else presses Pay meanwhile is sent to the same page. A page of another site that has a browser send this begins nothing: the browser is sent to the link's own page.",
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
  switch (outcome.type) {
    case "payable": {
      // The policy of the page with the form names this origin and no other.
      if (new URL(outcome.url).origin === operations.linkPages.gateway) return seeOther(outcome.url);
      return { status: 200 as const, ...onwardPage(language, outcome.url) };
    }
    case "closed":
      return { status: 200 as const, ...(await standingPage(operations, language, outcome.link)) };
    case "not_yet":
      return { status: 200 as const, ...tellingPage(language, "preparing", again) };
    case "refused":
      return { status: 200 as const, ...tellingPage(language, "refused") };
    case "too_many":
      return { status: 200 as const, ...tellingPage(language, "tooMany") };
    case "inactive":
    case "no_account":
    case "other_environment":
      return { status: 200 as const, ...tellingPage(language, "closed") };
  }
}

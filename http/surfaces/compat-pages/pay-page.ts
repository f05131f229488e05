import { Type } from "@sinclair/typebox";
import { type IntentRecord, statusOf } from "../../../engine/intents/intent.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { link, PAGE_HEADER_DECLARATIONS, PRIVATE_HEADER_DECLARATIONS, PRIVATE_HEADERS, page } from "./page-document.ts";
import { type Language, languageOf, type PageTexts, textsIn } from "./page-texts.ts";
import { intentOf, pages, RATE_LIMIT, TokenParams } from "./surface.ts";

const HTML = { body: Type.String(), contentType: "text/html; charset=utf-8", headers: PAGE_HEADER_DECLARATIONS };

export const PAGE_RESPONSES = {
  200: { description: "A page that says how the payment stands.", ...HTML },
  303: {
    description: "The payment goes on there.",
    headers: { ...PRIVATE_HEADER_DECLARATIONS, Location: { description: "The gateway's page, or the shop's." } },
  },
  404: { description: "There is no such payment.", ...HTML },
  503: {
    description: "The store does not answer.",
    ...HTML,
    headers: { ...HTML.headers, "Retry-After": { description: "Seconds." } },
  },
} as const;

export const LanguageHeaders = Type.Object({
  "accept-language": Type.Optional(Type.String({ description: "Italian where it is liked better than English." })),
});

export const payPage = pages.endpoint({
  name: "payPage",
  method: "GET",
  path: "/pay/i/{token}",
  summary: "Send a buyer on to the page where the payment is made",
  auth: "none",
  rateLimit: RATE_LIMIT,
  unknownQuery: "ignore",
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
    return { status: 200 as const, ...page({ language, title, main: `<p>${text}</p>${wayOn(standing.type, intent, texts)}` }) };
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
function wayOn(standing: Exclude<Standing["type"], "payable">, { token, order }: IntentRecord, texts: PageTexts): string {
  if (standing === "preparing") return link(`/pay/i/${token}`, texts.tryAgain);
  return order.returnUrl === null ? "" : link(`/pay/return/${token}`, texts.backToShop);
}

export function seeOther(location: string) {
  return { status: 303 as const, headers: { ...PRIVATE_HEADERS, Location: new URL(location).href } };
}

export function missing(language: Language) {
  const { title, text } = textsIn(language).missing;
  return { status: 404 as const, ...page({ language, title, main: `<p>${text}</p>` }) };
}

export function unavailable(language: Language) {
  const { title, text } = textsIn(language).unavailable;
  const { text: whole, headers } = page({ language, title, main: `<p>${text}</p>` });
  return { status: 503 as const, text: whole, headers: { ...headers, "Retry-After": "2" } };
}

/** A buyer reads a page, and no error in JSON, where the store or the gateway does not answer for now. */
export async function orUnavailable<T>(asked: Promise<T>): Promise<T | "unavailable"> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof RelayError && (error.code === "unavailable" || error.code === "too_busy")) return "unavailable";
    throw error;
  }
}

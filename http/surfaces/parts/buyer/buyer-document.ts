import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { Type } from "@sinclair/typebox";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { escaped } from "../../../../engine/kernel/escaped.ts";
import type { Language } from "./buyer-language.ts";
import { type ShopParts, WITHOUT_SHOP } from "./buyer-shop.ts";
import { buyerTexts } from "./buyer-texts.ts";

const read = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");

/**
 * The style is part of the page, so the page needs one request. The policy allows it by its hash.
 */
const STYLE = read("./buyer-page.css");
const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

/** `formAction` limits the targets of the page's form and of every redirect that follows. */
function policyOf(formAction: string, { styles, images }: ShopParts): string {
  const logo = images === "" ? "" : `img-src ${images}; `;
  return `default-src 'none'; style-src 'sha256-${STYLE_HASH}'${styles}; ${logo}script-src 'self'; connect-src 'self'; base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`;
}

/**
 * Headers of every response here. Its address contains a secret, and so may the address that it
 * leads to.
 */
export const PRIVATE_HEADERS = { "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex, nofollow" } as const;

export const PRIVATE_HEADER_DECLARATIONS = {
  "Referrer-Policy": { description: "The browser sends the page's address to no other site." },
  "X-Robots-Tag": { description: "Search engines do not index the page." },
};

export const PAGE_HEADER_DECLARATIONS = {
  ...PRIVATE_HEADER_DECLARATIONS,
  "Content-Security-Policy": {
    description: "The page loads nothing from other sites and no image but the shop's logo, and cannot be shown in a frame.",
  },
  "Content-Language": { description: "Language of the page: it or en." },
  Vary: { description: "Accept-Language" },
};

export interface PageParts {
  language: Language;
  title: string;
  /** HTML inside `main`, after the heading. */
  main: string;
  /** HTML at the end of `head`. */
  head?: string;
  /** The branding of the shop (buyer-shop.ts). */
  shop?: ShopParts;
  /** The allowed target of the page's form. Without it, the policy forbids sending a form. */
  formAction?: string;
}

/** Returns a complete page with its headers. */
export function page({ language, title, main, head = "", shop = WITHOUT_SHOP, formAction = "'none'" }: PageParts) {
  const text = `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
${shop.head}${head}</head>
<body>
<main>
${shop.header}<h1>${escaped(title)}</h1>
${main}
</main>
</body>
</html>
`;
  const headers = {
    ...PRIVATE_HEADERS,
    "Content-Security-Policy": policyOf(formAction, shop),
    "Content-Language": language,
    Vary: "Accept-Language",
  };
  return { text, headers };
}

export function link(address: string, text: string, attributes = ""): string {
  return `<p${attributes}><a class="button" href="${escaped(address)}">${escaped(text)}</a></p>`;
}

/** Redirects to `location`, which is an external address or a path of the relay. */
export function seeOther(location: string) {
  const address = location.startsWith("/") ? location : new URL(location).href;
  return { status: 303 as const, headers: { ...PRIVATE_HEADERS, Location: address } };
}

/** Returns the page for a store or gateway that does not respond at the moment. */
export function unavailable(language: Language) {
  const { title, text } = buyerTexts(language).unavailable;
  const { text: whole, headers } = page({ language, title, main: `<p>${text}</p>` });
  return { status: 503 as const, text: whole, headers: { ...headers, "Retry-After": "2" } };
}

/**
 * Returns `unavailable` if the store or the gateway does not respond, so that the buyer sees a page
 * instead of a JSON error.
 */
export async function orUnavailable<T>(asked: Promise<T>): Promise<T | "unavailable"> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof RelayError && (error.code === "unavailable" || error.code === "too_busy")) return "unavailable";
    throw error;
  }
}

const HTML = { body: Type.String(), contentType: "text/html; charset=utf-8", headers: PAGE_HEADER_DECLARATIONS };

export const PAGE_RESPONSES = {
  200: { description: "A page that shows the state of the payment.", ...HTML },
  303: {
    description: "The payment continues at this address.",
    headers: { ...PRIVATE_HEADER_DECLARATIONS, Location: { description: "Address of the gateway's page, or of the shop's." } },
  },
  404: { description: "There is no such payment.", ...HTML },
  503: {
    description: "The store does not answer; retry shortly.",
    ...HTML,
    headers: { ...HTML.headers, "Retry-After": { description: "Seconds." } },
  },
} as const;

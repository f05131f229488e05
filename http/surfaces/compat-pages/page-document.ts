import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Language } from "./page-texts.ts";

const read = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");

/** In the page itself, so that it needs one request; the policy names it by its hash. */
const STYLE = read("./pages.css");
const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

/** The script of the page that waits. */
export const RETURN_SCRIPT = read("./return.js");
export const RETURN_SCRIPT_PATH = "/pay/return.js";

const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** Of every answer here: its address holds a secret, and so may the one that it leads to. */
export const PRIVATE_HEADERS = { "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex, nofollow" } as const;

export const PRIVATE_HEADER_DECLARATIONS = {
  "Referrer-Policy": { description: "Nobody is told the address." },
  "X-Robots-Tag": { description: "No search engine keeps the page." },
};

export const PAGE_HEADER_DECLARATIONS = {
  ...PRIVATE_HEADER_DECLARATIONS,
  "Content-Security-Policy": { description: "The page loads nothing from elsewhere, and no page holds it in a frame." },
  "Content-Language": { description: "it or en." },
  Vary: { description: "Accept-Language" },
};

export interface PageParts {
  language: Language;
  title: string;
  /** HTML inside `main`, after the heading. */
  main: string;
  /** HTML at the end of `head`. */
  head?: string;
}

/** A whole page, with its headers. */
export function page({ language, title, main, head = "" }: PageParts) {
  const text = `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
${head}</head>
<body>
<main>
<h1>${escaped(title)}</h1>
${main}
</main>
</body>
</html>
`;
  const headers = { ...PRIVATE_HEADERS, "Content-Security-Policy": POLICY, "Content-Language": language, Vary: "Accept-Language" };
  return { text, headers };
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

export function link(address: string, text: string, attributes = ""): string {
  return `<p${attributes}><a class="button" href="${escaped(address)}">${escaped(text)}</a></p>`;
}

import { readFileSync } from "node:fs";
import { Type } from "@sinclair/typebox";
import { escaped } from "../../../../engine/kernel/escaped.ts";
import type { Timers } from "../../../../engine/kernel/timers.ts";
import { page } from "./buyer-document.ts";
import type { Language } from "./buyer-language.ts";
import { type ShopParts, WITHOUT_SHOP } from "./buyer-shop.ts";
import { buyerTexts } from "./buyer-texts.ts";

/**
 * The script of the waiting page of every surface. It polls `<its own address>/state` and reloads
 * the page after the decision.
 */
export const RETURN_SCRIPT = readFileSync(new URL("./buyer-return.js", import.meta.url), "utf8");
export const RETURN_SCRIPT_PATH = "/pay/return.js";

/**
 * The time that a buyer waits for the gateway before a page appears. The request itself ends after
 * 10 s.
 */
const VERIFY_WAIT_MS = 8_000;

/** Without scripts the page reloads ten times in half a minute, and then shows the button. */
const RELOADS_MAX = 10;
const RELOAD_AFTER_SECONDS = 3;

export const ReloadQuery = Type.Object({
  n: Type.Optional(Type.String({ description: "How many times a page without scripts has reloaded." })),
});

/** Limits the time that the request waits. A later answer is still stored. */
export function withinWait<T>({ timers }: { timers: Timers }, answer: Promise<T>): Promise<T | "unavailable"> {
  return new Promise((resolve, reject) => {
    const timer = timers.set(VERIFY_WAIT_MS, () => resolve("unavailable"));
    answer.finally(() => timer.clear()).then(resolve, reject);
  });
}

export interface WaitingPage {
  language: Language;
  shop?: ShopParts;
  /** The path of the page itself. */
  path: string;
  query: { n?: string };
  /** The text after half a minute without an answer. */
  late: string;
  /** HTML that then leads back. Its paragraph has these attributes. */
  back(attributes: string): string;
}

/**
 * Returns the page for a buyer whose payment's outcome is unknown. It continues automatically, with
 * or without scripts.
 */
export function waitingPage({ language, shop = WITHOUT_SHOP, path, query, late, back }: WaitingPage) {
  const { title, text } = buyerTexts(language).confirming;
  const reloads = Number(/^\d{1,2}$/.exec(query.n ?? "")?.[0] ?? 0);
  if (reloads >= RELOADS_MAX) return page({ language, shop, title, main: `<p role="status">${escaped(late)}</p>${back("")}` });
  const reload = `${RELOAD_AFTER_SECONDS}; url=${path}?n=${reloads + 1}`;
  return page({
    ...{ language, shop, title },
    head: `<noscript><meta http-equiv="refresh" content="${reload}"></noscript>
<script type="module" src="${RETURN_SCRIPT_PATH}"></script>
`,
    main: `<p role="status" id="state" data-late="${escaped(late)}">${text}</p>
<div class="progress" id="progress" aria-hidden="true"></div>
${back(' id="back" hidden')}`,
  });
}

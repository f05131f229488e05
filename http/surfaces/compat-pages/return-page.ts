import { Type } from "@sinclair/typebox";
import type { IntentRecord } from "../../../engine/intents/intent.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { redirectStatus, returnAddress } from "./buyer-return.ts";
import { escaped, link, PRIVATE_HEADER_DECLARATIONS, PRIVATE_HEADERS, page, RETURN_SCRIPT, RETURN_SCRIPT_PATH } from "./page-document.ts";
import { type Language, languageOf, textsIn } from "./page-texts.ts";
import { LanguageHeaders, missing, orUnavailable, PAGE_RESPONSES, seeOther, unavailable } from "./pay-page.ts";
import { type CompatPageOperations, intentOf, pages, RATE_LIMIT, TokenParams } from "./surface.ts";

/** A buyer waits so long for the gateway before there is a page to look at; the request itself ends after 10 s. */
const VERIFY_WAIT_MS = 8_000;

/** Without scripts the page loads itself again, ten times in half a minute, and then shows the button. */
const RELOADS_MAX = 10;
const RELOAD_AFTER_SECONDS = 3;

export const returnPage = pages.endpoint({
  name: "returnPage",
  method: "GET",
  path: "/pay/return/{token}",
  summary: "Take a buyer back to the shop, with the outcome of the payment",
  description:
    "The card gateway sends buyers here. The relay asks it how the payment went and adds `payment_intent`, `payment_intent_client_secret` and `redirect_status` (succeeded, failed or canceled) to the shop's return address. While that is not known the buyer stays on a page that waits up to 30 s, and then has a button that returns without `redirect_status`.",
  auth: "none",
  rateLimit: RATE_LIMIT,
  // The gateway adds members of its own.
  unknownQuery: "ignore",
  params: TokenParams,
  query: Type.Object({ n: Type.Optional(Type.String({ description: "How often a page without scripts has loaded itself again." })) }),
  headers: LanguageHeaders,
  responses: PAGE_RESPONSES,
  handle: async (operations, { params: { token }, query, headers }) => {
    const language = languageOf(headers["accept-language"] ?? "");
    const intent = await orUnavailable(verified(operations, token));
    if (intent === "unavailable") return unavailable(language);
    if (intent === null) return missing(language);
    const status = redirectStatus(intent);
    if (status === null) return { status: 200 as const, ...waiting(language, intent, Number(/^\d{1,2}$/.exec(query.n ?? "")?.[0] ?? 0)) };
    const address = returnAddress(intent, status);
    if (address !== null) return seeOther(address);
    const texts = textsIn(language);
    const { title, text } = status === "succeeded" ? texts.paid : status === "canceled" ? texts.canceled : texts.ended;
    return { status: 200 as const, ...page({ language, title, main: `<p>${text}</p>` }) };
  },
});

export const returnState = pages.endpoint({
  name: "returnState",
  method: "GET",
  path: "/pay/return/{token}/state",
  summary: "Tell the page that waits whether the outcome is known",
  auth: "none",
  rateLimit: RATE_LIMIT,
  params: TokenParams,
  responses: {
    200: {
      description: "Whether the page leads on now.",
      body: Type.Object({ decided: Type.Boolean() }),
      headers: PRIVATE_HEADER_DECLARATIONS,
    },
    ...pages.errors(400, 404, 429, 503),
  },
  handle: async (operations, { params: { token } }) => {
    const intent = await verified(operations, token);
    if (intent === null) throw new RelayError("not_found", "There is no such payment.");
    return { status: 200, body: { decided: redirectStatus(intent) !== null }, headers: PRIVATE_HEADERS };
  },
});

export const returnScript = pages.endpoint({
  name: "returnScript",
  method: "GET",
  path: RETURN_SCRIPT_PATH,
  summary: "Get the script of the page that waits",
  auth: "none",
  unknownQuery: "ignore",
  responses: {
    200: {
      description: "The script.",
      body: Type.String(),
      contentType: "text/javascript; charset=utf-8",
      headers: { "Cache-Control": { description: "How long it may be cached." } },
    },
  },
  handle: () => ({ status: 200, text: RETURN_SCRIPT, headers: { "Cache-Control": "no-cache" } }),
});

/** The intent as the gateway says; as it is stored where that takes too long, or the gateway cannot be asked. Null where there is none. */
async function verified(operations: CompatPageOperations, token: string): Promise<IntentRecord | null> {
  const intent = await intentOf(operations, token);
  if (intent === null || redirectStatus(intent) !== null) return intent;
  const answer = await within(operations, orUnavailable(operations.intents.verify(intent)));
  return answer === "unavailable" ? intent : answer;
}

/** What comes later is not waited for; it is stored all the same. */
function within<T>({ timers }: CompatPageOperations, answer: Promise<T>): Promise<T | "unavailable"> {
  return new Promise((resolve, reject) => {
    const timer = timers.set(VERIFY_WAIT_MS, () => resolve("unavailable"));
    answer.finally(() => timer.clear()).then(resolve, reject);
  });
}

function waiting(language: Language, intent: IntentRecord, reloads: number) {
  const texts = textsIn(language);
  const { title, text } = texts.confirming;
  const address = returnAddress(intent, null);
  const back = (attributes: string) => (address === null ? "" : link(address, texts.backToShop, attributes));
  if (reloads >= RELOADS_MAX) return page({ language, title, main: `<p role="status">${texts.stillConfirming}</p>${back("")}` });
  const reload = `${RELOAD_AFTER_SECONDS}; url=/pay/return/${intent.token}?n=${reloads + 1}`;
  return page({
    language,
    title,
    head: `<noscript><meta http-equiv="refresh" content="${reload}"></noscript>
<script type="module" src="${RETURN_SCRIPT_PATH}"></script>
`,
    main: `<p role="status" id="state" data-late="${escaped(texts.stillConfirming)}">${text}</p>
<div class="progress" id="progress" aria-hidden="true"></div>
${back(' id="back" hidden')}`,
  });
}

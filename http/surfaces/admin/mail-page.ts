import { createHash } from "node:crypto";
import { escaped } from "../../../engine/kernel/escaped.ts";
import type { MailInOutbox } from "../../../engine/mails/administer-mails.ts";
import { iso } from "../../endpoint/time.ts";

const STYLE =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem;color:#1d2530;background:#fff}article{border-top:1px solid #c9d0d8;padding:1rem 0}h2{font-size:1.1rem;margin:0}p{margin:.25rem 0;color:#4a5563}pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f3f5f7;padding:.75rem;font:inherit}@media (prefers-color-scheme:dark){body{color:#e6eaef;background:#14181d}p{color:#aab4c0}pre{background:#1f252c}a{color:#8ab8ff}article{border-color:#3a434d}}";

/** Nothing but the page's own style, named by its digest. */
export const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The administrators' outbox. Everything of a mail is text; only addresses of the web in it can be followed. */
export function outboxPage(mails: readonly MailInOutbox[], sends: boolean): string {
  const intro = sends
    ? "Mails are sent by the configured server, so their texts are not shown here."
    : "No mail server is configured (RELAY_SMTP_URL): pass these mails on yourself. Anyone who has a link can use it.";
  const list = mails.length === 0 ? "<p>There are no mails.</p>" : mails.map(articleOf).join("");
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Outbox</title><style>${STYLE}</style></head><body><main><h1>Outbox</h1><p>${intro}</p>${list}</main></body></html>`;
}

function articleOf({ record, content }: MailInOutbox): string {
  const { id, kind, to, state, createdAtMs, expiresAtMs } = record;
  const until = state === "QUEUED" ? `, until ${timeOf(expiresAtMs)}` : "";
  const text = content === null ? "" : `<pre>${withLinks(content.text)}</pre>`;
  return `<article id="${escaped(id)}"><h2>${escaped(content?.subject ?? kind)}</h2><p>To ${escaped(to)}. ${kind}, ${state}${until}. ${timeOf(createdAtMs)}</p>${text}</article>`;
}

function timeOf(ms: number): string {
  const text = iso(ms);
  return `<time datetime="${text}">${text.slice(0, 16).replace("T", " ")} UTC</time>`;
}

/** Up to the first character that needs no escape in an address and ends it in a text. */
const WEB_ADDRESS = /https?:\/\/[^\s<>"']+/g;

function withLinks(text: string): string {
  let html = "";
  let from = 0;
  for (const { 0: found, index } of text.matchAll(WEB_ADDRESS)) {
    const address = found.replace(/[.,;:!?)\]]+$/, "");
    html += `${escaped(text.slice(from, index))}<a href="${escaped(address)}" rel="noreferrer">${escaped(address)}</a>`;
    from = index + address.length;
  }
  return html + escaped(text.slice(from));
}

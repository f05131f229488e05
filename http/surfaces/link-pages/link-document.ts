import { timeInMails } from "../../../engine/accounts/mail-texts.ts";
import { escaped } from "../../../engine/kernel/escaped.ts";
import { moneyText } from "../../../engine/kernel/money-text.ts";
import type { PortalLinkRecord } from "../../../engine/portal-links/portal-link.ts";
import { link as linkTo, page } from "../parts/buyer/buyer-document.ts";
import type { Language } from "../parts/buyer/buyer-language.ts";
import { type ShopParts, type ShownShop, WITHOUT_SHOP } from "../parts/buyer/buyer-shop.ts";
import { buyerTexts } from "../parts/buyer/buyer-texts.ts";
import { type LinkTexts, linkTextsIn } from "./link-texts.ts";
import type { LinkPageOperations } from "./surface.ts";

export type Told = { [Name in keyof LinkTexts]: LinkTexts[Name] extends { title: string } ? Name : never }[keyof LinkTexts];

const TAGS: Readonly<Record<Language, string>> = { it: "it-IT", en: "en-GB" };

function amountText(language: Language, { amountMinor, currency }: { amountMinor: number; currency: string }): string {
  return moneyText(amountMinor, currency, (options) => new Intl.NumberFormat(TAGS[language], options));
}

function badge({ livemode }: PortalLinkRecord, texts: LinkTexts): string {
  return livemode ? "" : `<p class="badge">${escaped(texts.test)}</p>\n`;
}

/** The page with the button. Its form leads to us, and by a redirect to the gateway's page, which the policy has to permit. */
export function payablePage({ localTime, linkPages }: LinkPageOperations, language: Language, shop: ShownShop, record: PortalLinkRecord) {
  const texts = linkTextsIn(language);
  const { token, order } = record;
  const amount = amountText(language, order);
  const until = timeInMails(language, order.expiresAtMs, localTime.zone);
  return page({
    ...{ language, shop },
    title: texts.payTo(shop.name),
    formAction: linkPages.gateway === null ? "'self'" : `'self' ${linkPages.gateway}`,
    main: `${badge(record, texts)}<p class="amount">${escaped(amount)}</p>
<p class="for">${escaped(order.description)}</p>
<form method="post" action="/l/${token}/pay">
<button type="submit" class="button wide">${escaped(texts.pay(amount))}</button>
</form>
<p class="small">${escaped(texts.secure)}</p>
<p class="small">${escaped(texts.until(until))}</p>`,
  });
}

/** `way`: what the reader may do next. */
export function tellingPage(
  language: Language,
  shop: ShopParts,
  told: Told,
  way: { href: string; text: "tryAgain" | "goOn" } | null = null,
) {
  const texts = linkTextsIn(language);
  const { title, text } = texts[told];
  const wayOn = way === null ? "" : linkTo(way.href, way.text === "goOn" ? texts.goOn : buyerTexts(language).tryAgain);
  return page({ language, shop, title, main: `<p>${escaped(text)}</p>${wayOn}` });
}

/** What was paid, by the gateway's word. */
export function paidPage(language: Language, shop: ShownShop, record: PortalLinkRecord) {
  const texts = linkTextsIn(language);
  const paid = record.attempts.findLast(({ state }) => state === "paid")?.paid ?? record.order;
  const amount = texts.paidAmount(amountText(language, paid), shop.name);
  const { title, text } = texts.paid;
  return page({
    ...{ language, shop },
    title,
    main: `${badge(record, texts)}<p class="for">${escaped(amount)}</p>
<p class="for">${escaped(record.order.description)}</p>
<p>${escaped(text)}</p>`,
  });
}

/** Where the policy of the page before does not permit a redirect from its form, the browser is sent on by this page, or the buyer goes on by hand. */
export function onwardPage(language: Language, shop: ShopParts, url: string) {
  const texts = linkTextsIn(language);
  const { title, text } = texts.onward;
  const { href } = new URL(url);
  return page({
    ...{ language, shop, title },
    head: `<meta http-equiv="refresh" content="0; url=${escaped(href)}">\n`,
    main: `<p>${escaped(text)}</p>${linkTo(href, texts.goOn)}`,
  });
}

export function missingLink(language: Language) {
  return { status: 404 as const, ...tellingPage(language, WITHOUT_SHOP, "missing") };
}

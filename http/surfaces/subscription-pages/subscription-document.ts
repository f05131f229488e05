import { timeInMails } from "../../../engine/accounts/mail-texts.ts";
import { escaped } from "../../../engine/kernel/escaped.ts";
import { moneyText } from "../../../engine/kernel/money-text.ts";
import { dunningCalendar, isUnpaid, nextTryAtMs, pendingOf } from "../../../engine/subscriptions/rules.ts";
import { FIRST_PAYMENT_MS, type SubscriptionRecord } from "../../../engine/subscriptions/subscription.ts";
import { link as linkTo, page } from "../parts/buyer/buyer-document.ts";
import type { Language } from "../parts/buyer/buyer-language.ts";
import { type ShopParts, shownShop, WITHOUT_SHOP } from "../parts/buyer/buyer-shop.ts";
import { type SubscriptionTexts, subscriptionTextsIn } from "./subscription-texts.ts";
import type { SubscriptionPageOperations } from "./surface.ts";

export type Told = {
  [Name in keyof SubscriptionTexts]: SubscriptionTexts[Name] extends { title: string } ? Name : never;
}[keyof SubscriptionTexts];

type Operations = Pick<SubscriptionPageOperations, "shops" | "linkPages" | "localTime">;

const TAGS: Readonly<Record<Language, string>> = { it: "it-IT", en: "en-GB" };

function amountText(language: Language, { amountMinor, currency }: { amountMinor: number; currency: string }): string {
  return moneyText(amountMinor, currency, (options) => new Intl.NumberFormat(TAGS[language], options));
}

function paragraph(text: string, of = "for"): string {
  return `<p class="${of}">${escaped(text)}</p>\n`;
}

function badge({ livemode }: SubscriptionRecord, texts: SubscriptionTexts): string {
  return livemode ? "" : paragraph(texts.test, "badge");
}

/** How a text writes times: `day` where the day is all that counts. */
interface Times {
  day(atMs: number): string;
  exact(atMs: number): string;
}

function timesIn(language: Language, { localTime }: Pick<Operations, "localTime">): Times {
  return {
    day: (atMs) => new Intl.DateTimeFormat(TAGS[language], { dateStyle: "full", timeZone: localTime.zone }).format(atMs),
    exact: (atMs) => timeInMails(language, atMs, localTime.zone),
  };
}

/** How a subscription stands, for its customer: nothing of what the merchant knows of the customer is on it. What is unpaid comes first. */
export async function standingPage(operations: Operations, language: Language, record: SubscriptionRecord) {
  const texts = subscriptionTextsIn(language);
  const times = timesIn(language, operations);
  const { token, plan, merchantId, state } = record;
  const shop = await shownShop(operations, merchantId);
  const amount = amountText(language, plan);
  const cancel = state === "CANCELLED" ? "" : `<p class="foot"><a href="/s/${token}/cancel">${escaped(texts.cancel)}</a></p>\n`;
  return page({
    ...{ language, shop },
    title: texts.subscriptionAt(shop.name),
    formAction: "'self'",
    main: [
      badge(record, texts),
      paragraph(plan.name, "plan"),
      paragraph(texts.every(amount, plan.interval, plan.count)),
      owed(record, language, texts, times),
      paragraph(standing(record, texts, times)),
      cancel,
    ].join(""),
  });
}

function standing({ state, period, cancelsAtPeriodEnd, createdAtMs }: SubscriptionRecord, texts: SubscriptionTexts, times: Times): string {
  switch (state) {
    case "INCOMPLETE":
      return texts.firstPaymentUntil(times.exact(createdAtMs + FIRST_PAYMENT_MS));
    case "PAUSED":
      return texts.paused;
    case "CANCELLED":
      return texts.ended;
    case "TRIALING":
    case "ACTIVE":
    case "PAST_DUE": {
      const until = times.day(period.untilMs);
      if (cancelsAtPeriodEnd) return texts.endsOn(until);
      return state === "TRIALING" ? texts.trialUntil(until) : texts.nextPayment(until);
    }
  }
}

/** What is unpaid, why, what comes of it, and the button. */
function owed(record: SubscriptionRecord, language: Language, texts: SubscriptionTexts, times: Times): string {
  const { charge, state, token } = record;
  if (charge === null || !isUnpaid(record) || state === "PAUSED" || state === "CANCELLED") return "";
  const amount = amountText(language, charge);
  const pending = pendingOf(record);
  const isUnderWay = pending !== null && (pending.state !== "open" || pending.closing);
  const lines = [
    paragraph(amount, "amount"),
    paragraph(texts.unpaidSince(times.day(charge.dueAtMs))),
    ...(isUnderWay ? [paragraph(texts.underWay)] : payable(record, texts, times, amount, token)),
  ];
  return `<div class="owed">\n${lines.join("")}</div>\n`;
}

function payable(record: SubscriptionRecord, texts: SubscriptionTexts, times: Times, amount: string, token: string): string[] {
  const { charge, dunning } = record;
  const last = charge?.attempts.findLast(({ means, code }) => means === "CARD" && code !== null);
  const tryAtMs = nextTryAtMs(record);
  const end = dunning === null || dunning.stays || dunning.terms.finalAction === "STAY" ? null : dunning.terms.finalAction;
  return [
    ...(last === undefined ? [] : [paragraph(last.hard ? texts.declinedForGood : texts.declined)]),
    ...(tryAtMs === null ? [] : [paragraph(texts.triedAgain(times.day(tryAtMs)), "small")]),
    ...(end === null || dunning === null
      ? []
      : [paragraph(texts.endsWithout[end](times.exact(dunningCalendar(dunning).finalAtMs)), "small")]),
    `<form method="post" action="/s/${token}/pay">
<button type="submit" class="button wide">${escaped(texts.pay(amount))}</button>
</form>
`,
    paragraph(texts.secure, "small"),
  ];
}

/** Asks once more, and says what each of the answers means. */
export async function cancelPage(operations: Operations, language: Language, record: SubscriptionRecord) {
  const texts = subscriptionTextsIn(language);
  const { token, plan, merchantId, period } = record;
  const shop = await shownShop(operations, merchantId);
  const until = timesIn(language, operations).day(period.untilMs);
  const button = (when: "now" | "end", text: string) => `<form method="post" action="/s/${token}/cancel?when=${when}">
<button type="submit" class="button wide outlined">${escaped(text)}</button>
</form>
`;
  const later = mayEndLater(record) ? [button("end", texts.cancelLater(until)), paragraph(texts.cancelLaterMeans(until), "small")] : [];
  return page({
    ...{ language, shop },
    title: texts.cancelTitle,
    formAction: "'self'",
    main: [
      badge(record, texts),
      paragraph(texts.subscriptionAt(shop.name)),
      paragraph(plan.name, "plan"),
      ...later,
      button("now", texts.cancelNow),
      paragraph(texts.cancelNowMeans, "small"),
      `<p class="foot"><a class="button wide" href="/s/${token}">${escaped(texts.keep)}</a></p>\n`,
    ].join(""),
  });
}

/** Before the first payment there is no period to end; what is to end then is only ended earlier. */
function mayEndLater({ state, cancelsAtPeriodEnd }: SubscriptionRecord): boolean {
  return state !== "INCOMPLETE" && state !== "CANCELLED" && !cancelsAtPeriodEnd;
}

/** `token`: of the page that the reader may go back to. */
export function tellingPage(language: Language, shop: ShopParts, told: Told, token: string | null = null) {
  const texts = subscriptionTextsIn(language);
  const { title, text } = texts[told];
  return page({ language, shop, title, main: `<p>${escaped(text)}</p>${token === null ? "" : linkTo(`/s/${token}`, texts.back)}` });
}

export function missingSubscription(language: Language) {
  return { status: 404 as const, ...tellingPage(language, WITHOUT_SHOP, "missing") };
}

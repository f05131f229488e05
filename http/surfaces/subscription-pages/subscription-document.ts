import { timeInMails } from "../../../engine/accounts/mail-texts.ts";
import { moneyText } from "../../../engine/kernel/money-text.ts";
import { dunningCalendar, isUnpaid, nextTryAtMs, pendingOf } from "../../../engine/subscriptions/rules.ts";
import { FIRST_PAYMENT_MS, type SubscriptionRecord } from "../../../engine/subscriptions/subscription.ts";
import { escaped, link as linkTo, page } from "../buyer-document.ts";
import type { Language } from "../buyer-language.ts";
import { type SubscriptionTexts, subscriptionTextsIn } from "./subscription-texts.ts";
import type { SubscriptionPageOperations } from "./surface.ts";

export type Told = {
  [Name in keyof SubscriptionTexts]: SubscriptionTexts[Name] extends { title: string } ? Name : never;
}[keyof SubscriptionTexts];

type Operations = Pick<SubscriptionPageOperations, "merchantName" | "localTime">;

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

/** How a subscription stands, for its customer: nothing of what the merchant knows of the customer is on it. */
export async function standingPage({ merchantName, localTime }: Operations, language: Language, record: SubscriptionRecord) {
  const texts = subscriptionTextsIn(language);
  const { token, plan, merchantId, state } = record;
  const time = (atMs: number) => timeInMails(language, atMs, localTime.zone);
  const amount = amountText(language, plan);
  const cancel = state === "CANCELLED" ? "" : `<p class="for"><a href="/s/${token}/cancel">${escaped(texts.cancel)}</a></p>\n`;
  return page({
    language,
    title: texts.subscriptionAt(await merchantName(merchantId)),
    formAction: "'self'",
    main: `${badge(record, texts)}${paragraph(plan.name)}${paragraph(texts.every(amount, plan.interval, plan.count))}${standing(record, texts, time)}${owed(record, language, texts, time)}${cancel}`,
  });
}

function standing(record: SubscriptionRecord, texts: SubscriptionTexts, time: (atMs: number) => string): string {
  const { state, period, cancelsAtPeriodEnd, createdAtMs } = record;
  switch (state) {
    case "INCOMPLETE":
      return paragraph(texts.firstPaymentUntil(time(createdAtMs + FIRST_PAYMENT_MS)));
    case "PAUSED":
      return paragraph(texts.paused);
    case "CANCELLED":
      return paragraph(texts.ended);
    case "TRIALING":
    case "ACTIVE":
    case "PAST_DUE": {
      const until = time(period.untilMs);
      if (cancelsAtPeriodEnd) return paragraph(texts.endsOn(until));
      return paragraph(state === "TRIALING" ? texts.trialUntil(until) : texts.nextPayment(until));
    }
  }
}

/** What is unpaid, why, and the button. */
function owed(record: SubscriptionRecord, language: Language, texts: SubscriptionTexts, time: (atMs: number) => string): string {
  const { charge, state, token, dunning } = record;
  if (charge === null || !isUnpaid(record) || state === "PAUSED" || state === "CANCELLED") return "";
  const amount = amountText(language, charge);
  const unpaid = paragraph(texts.unpaid(amount, time(charge.dueAtMs)));
  const pending = pendingOf(record);
  if (pending !== null && (pending.state !== "open" || pending.closing)) return `${unpaid}${paragraph(texts.underWay)}`;
  const last = charge.attempts.findLast(({ means, code }) => means === "CARD" && code !== null);
  const why = last === undefined ? texts.notPaidYet : last.hard ? texts.declinedForGood : texts.declined;
  const tryAtMs = nextTryAtMs(record);
  const finalAtMs = dunning === null || dunning.stays ? null : dunningCalendar(dunning).finalAtMs;
  return `${unpaid}${paragraph(why)}${tryAtMs === null ? "" : paragraph(texts.triedAgain(time(tryAtMs)), "small")}${
    finalAtMs === null ? "" : paragraph(texts.endsWithout(time(finalAtMs)), "small")
  }<form method="post" action="/s/${token}/pay">
<button type="submit" class="button wide">${escaped(texts.pay(amount))}</button>
</form>
${paragraph(texts.secure, "small")}`;
}

/** Asks once more, and says what each of the answers means. */
export async function cancelPage({ merchantName, localTime }: Operations, language: Language, record: SubscriptionRecord) {
  const texts = subscriptionTextsIn(language);
  const { token, plan, merchantId, period } = record;
  const until = timeInMails(language, period.untilMs, localTime.zone);
  const button = (when: "now" | "end", text: string) => `<form method="post" action="/s/${token}/cancel?when=${when}">
<button type="submit" class="button wide">${escaped(text)}</button>
</form>
`;
  const later = mayEndLater(record) ? `${button("end", texts.cancelLater(until))}${paragraph(texts.cancelLaterMeans(until), "small")}` : "";
  return page({
    language,
    title: texts.cancelTitle,
    formAction: "'self'",
    main: `${badge(record, texts)}${paragraph(texts.subscriptionAt(await merchantName(merchantId)))}${paragraph(plan.name)}${later}${button(
      "now",
      texts.cancelNow,
    )}${paragraph(texts.cancelNowMeans, "small")}${linkTo(`/s/${token}`, texts.keep)}`,
  });
}

/** Before the first payment there is no period to end; what is to end then is only ended earlier. */
function mayEndLater({ state, cancelsAtPeriodEnd }: SubscriptionRecord): boolean {
  return state !== "INCOMPLETE" && state !== "CANCELLED" && !cancelsAtPeriodEnd;
}

/** `token`: of the page that the reader may go back to. */
export function tellingPage(language: Language, told: Told, token: string | null = null) {
  const texts = subscriptionTextsIn(language);
  const { title, text } = texts[told];
  return page({ language, title, main: `<p>${escaped(text)}</p>${token === null ? "" : linkTo(`/s/${token}`, texts.back)}` });
}

export function missingSubscription(language: Language) {
  return { status: 404 as const, ...tellingPage(language, "missing") };
}

import type { Locale } from "../accounts/account.ts";
import { type MailText, paragraphs, timeInMails } from "../accounts/mail-texts.ts";
import { moneyText } from "../kernel/money-text.ts";
import { nextTryAtMs } from "./rules.ts";
import type { SubscriptionMail, SubscriptionRecord } from "./subscription.ts";

interface Facts {
  merchantName: string;
  record: SubscriptionRecord;
}

/** The mails to the customer of a subscription, as plain text. */
export type SubscriptionMailTexts = Readonly<Record<SubscriptionMail, (locale: Locale, facts: Facts) => MailText>>;

export interface SubscriptionMailTextsOptions {
  /** The address of the relay for customers' browsers, without a slash at the end. */
  publicUrl(): string;
  /** The installation's time zone (IANA). Times are written in it. */
  timeZone: string;
}

export function createSubscriptionMailTexts({ publicUrl, timeZone }: SubscriptionMailTextsOptions): SubscriptionMailTexts {
  const written =
    (kind: SubscriptionMail) =>
    (locale: Locale, { merchantName, record }: Facts) => {
      const { token, livemode, customer, plan, charge } = record;
      const tryAtMs = nextTryAtMs(record);
      return TEXTS[locale][kind]({
        merchantName: oneLine(merchantName),
        customerName: oneLine(customer.name),
        amount: amountText(locale, charge ?? plan),
        plan: oneLine(plan.name),
        url: `${publicUrl()}/s/${token}`,
        tryAt: tryAtMs === null ? null : timeInMails(locale, tryAtMs, timeZone),
        livemode,
      });
    };
  return { payment: written("payment"), failed: written("failed"), step: written("step"), recovered: written("recovered") };
}

/**
 * A merchant's text stays within one line, because separate lines could look like the relay's own
 * text.
 */
function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{C}]+/gu, " ").trim();
}

const TAGS: Readonly<Record<Locale, string>> = { it: "it-IT", en: "en-GB" };

function amountText(locale: Locale, { amountMinor, currency }: { amountMinor: number; currency: string }): string {
  return moneyText(amountMinor, currency, (options) => new Intl.NumberFormat(TAGS[locale], options));
}

interface Written {
  merchantName: string;
  customerName: string;
  amount: string;
  plan: string;
  url: string;
  /** The time of the next automatic card charge; null if the customer must pay. */
  tryAt: string | null;
  livemode: boolean;
}

type Texts = Readonly<Record<SubscriptionMail, (facts: Written) => MailText>>;

const TEST = { it: "È una prova: non viene addebitato nulla.", en: "This is a test: nothing is charged." } as const;

const TEXTS: Readonly<Record<Locale, Texts>> = {
  it: {
    payment: (facts) =>
      mailOf("it", facts, `${facts.merchantName}: pagamento di ${facts.amount}`, [
        `devi pagare ${facts.amount} per il tuo abbonamento "${facts.plan}" presso ${facts.merchantName}.`,
        `Per pagare con carta, apri la pagina del tuo abbonamento:\n${facts.url}`,
      ]),
    failed: (facts) =>
      mailOf("it", facts, `${facts.merchantName}: pagamento di ${facts.amount} non riuscito`, [
        `il pagamento di ${facts.amount} per il tuo abbonamento "${facts.plan}" presso ${facts.merchantName} non è riuscito.`,
        ...again("it", facts),
      ]),
    step: (facts) =>
      mailOf("it", facts, `${facts.merchantName}: ${facts.amount} ancora da pagare`, [
        `il tuo abbonamento "${facts.plan}" presso ${facts.merchantName} non è ancora pagato: mancano ${facts.amount}.`,
        ...again("it", facts),
      ]),
    recovered: (facts) =>
      mailOf("it", facts, `${facts.merchantName}: pagamento ricevuto`, [
        `il pagamento di ${facts.amount} per il tuo abbonamento "${facts.plan}" presso ${facts.merchantName} è arrivato. L'abbonamento continua.`,
        `La pagina del tuo abbonamento:\n${facts.url}`,
      ]),
  },
  en: {
    payment: (facts) =>
      mailOf("en", facts, `${facts.merchantName}: payment of ${facts.amount}`, [
        `please pay ${facts.amount} for your subscription "${facts.plan}" with ${facts.merchantName}.`,
        `To pay by card, open the page of your subscription:\n${facts.url}`,
      ]),
    failed: (facts) =>
      mailOf("en", facts, `${facts.merchantName}: payment of ${facts.amount} failed`, [
        `the payment of ${facts.amount} for your subscription "${facts.plan}" with ${facts.merchantName} has failed.`,
        ...again("en", facts),
      ]),
    step: (facts) =>
      mailOf("en", facts, `${facts.merchantName}: ${facts.amount} not paid yet`, [
        `your subscription "${facts.plan}" with ${facts.merchantName} has not been paid yet: ${facts.amount} is outstanding.`,
        ...again("en", facts),
      ]),
    recovered: (facts) =>
      mailOf("en", facts, `${facts.merchantName}: payment received`, [
        `your payment of ${facts.amount} for your subscription "${facts.plan}" with ${facts.merchantName} has arrived. The subscription continues.`,
        `The page of your subscription:\n${facts.url}`,
      ]),
  },
};

function again(locale: Locale, { tryAt, url }: Written): string[] {
  if (locale === "it") {
    return [
      ...(tryAt === null ? [] : [`Riproveremo con la stessa carta ${tryAt}.`]),
      `${tryAt === null ? "Per pagare" : "Per pagare subito in un altro modo"}, apri la pagina del tuo abbonamento:\n${url}`,
    ];
  }
  return [
    ...(tryAt === null ? [] : [`We will try the same card again on ${tryAt}.`]),
    `${tryAt === null ? "To pay" : "To pay now in another way"}, open the page of your subscription:\n${url}`,
  ];
}

/** Names and amounts may be long. A subject over the limit of mails would prevent the mail. */
const SUBJECT_MAX = 180;

function mailOf(locale: Locale, { customerName, merchantName, livemode }: Written, subject: string, texts: readonly string[]): MailText {
  const whole = `${livemode ? "" : "[TEST] "}${subject}`;
  return {
    subject:
      whole.length > SUBJECT_MAX
        ? `${Array.from(whole)
            .slice(0, SUBJECT_MAX / 2)
            .join("")}…`
        : whole,
    text: paragraphs(
      locale === "it" ? `Buongiorno ${customerName},` : `Hello ${customerName},`,
      ...texts,
      ...(livemode ? [] : [TEST[locale]]),
      locale === "it"
        ? `Chi ha questo indirizzo vede la pagina del tuo abbonamento. Se non conosci ${merchantName}, ignora questo messaggio.`
        : `Anyone who has this address can open the page of your subscription. If you do not know ${merchantName}, ignore this message.`,
    ),
  };
}

import type { Locale } from "../accounts/account.ts";
import { timeInMails } from "../accounts/mail-texts.ts";
import { moneyText } from "../kernel/money-text.ts";
import { composeMail, type MailBlock, type MailText, oneLine } from "../mails/mail-text.ts";
import { dunningCalendar, isUnpaid, nextTryAtMs } from "./rules.ts";
import { FIRST_PAYMENT_MS, type SubscriptionMail, type SubscriptionRecord } from "./subscription.ts";

interface Facts {
  merchantName: string;
  record: SubscriptionRecord;
}

/** The mails to the customer of a subscription. */
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
      const time = (atMs: number) => timeInMails(locale, atMs, timeZone);
      const day = (atMs: number) => new Intl.DateTimeFormat(TAGS[locale], { dateStyle: "long", timeZone }).format(atMs);
      return mailOf(locale, kind, writtenOf(locale, { merchantName, record }, { time, day, url: `${publicUrl()}/s/${record.token}` }));
    };
  return {
    payment: written("payment"),
    failed: written("failed"),
    step: written("step"),
    recovered: written("recovered"),
    cancelled: written("cancelled"),
  };
}

const TAGS: Readonly<Record<Locale, string>> = { it: "it-IT", en: "en-GB" };

function amountText(locale: Locale, { amountMinor, currency }: { amountMinor: number; currency: string }): string {
  return moneyText(amountMinor, currency, (options) => new Intl.NumberFormat(TAGS[locale], options));
}

interface Words {
  time(atMs: number): string;
  day(atMs: number): string;
  url: string;
}

interface Written {
  merchantName: string;
  customerName: string;
  amount: string;
  plan: string;
  url: string;
  /** The first and the last day of the period that is paid. */
  period: readonly [from: string, until: string];
  /** Until when the first payment must be made; null for a later one. */
  startsBy: string | null;
  /** The time of the next automatic card charge; null if the customer must pay. */
  tryAt: string | null;
  /** The action if the amount stays unpaid, and its time; null for none. */
  end: { readonly action: "CANCEL" | "PAUSE"; readonly at: string } | null;
  /** The day on which a cancelled subscription ends; null if it has ended. */
  endsOn: string | null;
  cancelledBy: SubscriptionRecord["cancelledBy"];
  livemode: boolean;
}

function writtenOf(locale: Locale, { merchantName, record }: Facts, { time, day, url }: Words): Written {
  const { state, livemode, customer, plan, charge, dunning, createdAtMs, cancelledBy } = record;
  const tryAtMs = nextTryAtMs(record);
  const period = charge?.period ?? record.period;
  const action = dunning === null || dunning.stays || !isUnpaid(record) ? "STAY" : dunning.terms.finalAction;
  return {
    merchantName: oneLine(merchantName),
    customerName: oneLine(customer.name),
    amount: amountText(locale, charge ?? plan),
    plan: oneLine(plan.name),
    url,
    period: [day(period.fromMs), day(period.untilMs)],
    startsBy: state === "INCOMPLETE" ? time(createdAtMs + FIRST_PAYMENT_MS) : null,
    tryAt: tryAtMs === null ? null : time(tryAtMs),
    end: action === "STAY" || dunning === null ? null : { action, at: time(dunningCalendar(dunning).finalAtMs) },
    endsOn: state === "CANCELLED" ? null : day(record.period.untilMs),
    cancelledBy,
    livemode,
  };
}

interface Texts {
  readonly test: string;
  hello(name: string): string;
  note(merchantName: string): string;
  readonly labels: { readonly plan: string; readonly amount: string; readonly period: string };
  period(from: string, until: string): string;
  readonly toPage: { readonly lead: string; readonly button: string };
  toPay(amount: string): { readonly lead: string; readonly button: string };
  toPayOtherwise(amount: string): { readonly lead: string; readonly button: string };
  triedAgain(at: string): string;
  endsWithout(action: "CANCEL" | "PAUSE", at: string): string;
  subject(kind: SubscriptionMail, facts: Written): string;
  /** The sentences before the facts. */
  says(kind: SubscriptionMail, facts: Written): readonly string[];
}

const TEXTS: Readonly<Record<Locale, Texts>> = {
  it: {
    test: "È una prova: non viene addebitato nulla.",
    hello: (name) => `Buongiorno ${name},`,
    note: (merchantName) =>
      `Chi ha questo indirizzo vede la pagina del tuo abbonamento. Se non conosci ${merchantName}, ignora questo messaggio.`,
    labels: { plan: "Abbonamento", amount: "Importo", period: "Periodo" },
    period: (from, until) => `dal ${from} al ${until}`,
    toPage: { lead: "La pagina del tuo abbonamento:", button: "Apri l’abbonamento" },
    toPay: (amount) => ({ lead: "Per pagare con carta, apri la pagina del tuo abbonamento:", button: `Paga ${amount}` }),
    toPayOtherwise: (amount) => ({
      lead: "Per pagare subito in un altro modo, apri la pagina del tuo abbonamento:",
      button: `Paga ${amount}`,
    }),
    triedAgain: (at) => `Riproveremo con la stessa carta ${at}. Verifica che la carta sia valida e che ci sia disponibilità.`,
    endsWithout: (action, at) =>
      action === "CANCEL"
        ? `Senza pagamento, l'abbonamento verrà annullato ${at}.`
        : `Senza pagamento, l'abbonamento andrà in pausa ${at}.`,
    subject: (kind, { merchantName, amount, startsBy, endsOn }) => {
      switch (kind) {
        case "payment":
          return startsBy === null
            ? `${merchantName}: rinnovo dell'abbonamento, ${amount}`
            : `${merchantName}: primo pagamento di ${amount}`;
        case "failed":
          return `${merchantName}: pagamento di ${amount} non riuscito`;
        case "step":
          return `${merchantName}: ${amount} ancora da pagare`;
        case "recovered":
          return `${merchantName}: pagamento ricevuto`;
        case "cancelled":
          return endsOn === null ? `${merchantName}: abbonamento terminato` : `${merchantName}: l'abbonamento termina il ${endsOn}`;
      }
    },
    says: (kind, { merchantName, amount, plan, startsBy, endsOn, cancelledBy }) => {
      switch (kind) {
        case "payment":
          return startsBy === null
            ? [`il tuo abbonamento "${plan}" presso ${merchantName} si rinnova: per il nuovo periodo devi pagare ${amount}.`]
            : [
                `il tuo abbonamento "${plan}" presso ${merchantName} inizia con il primo pagamento di ${amount}.`,
                `Si può pagare fino a ${startsBy}. Senza pagamento l'abbonamento non inizia.`,
              ];
        case "failed":
          return [`il pagamento di ${amount} per il tuo abbonamento "${plan}" presso ${merchantName} non è riuscito.`];
        case "step":
          return [`il tuo abbonamento "${plan}" presso ${merchantName} non è ancora pagato: mancano ${amount}.`];
        case "recovered":
          return [`il pagamento di ${amount} per il tuo abbonamento "${plan}" presso ${merchantName} è arrivato. L'abbonamento continua.`];
        case "cancelled":
          return endsOn === null
            ? [
                `il tuo abbonamento "${plan}" presso ${merchantName} è terminato${ENDED_BECAUSE.it[cancelledBy ?? "customer"](merchantName)}.`,
                "Non ci saranno altri pagamenti.",
              ]
            : [
                `il tuo abbonamento "${plan}" presso ${merchantName} è stato disdetto. Continua fino al ${endsOn}.`,
                "Dopo non ci saranno altri pagamenti.",
              ];
      }
    },
  },
  en: {
    test: "This is a test: nothing is charged.",
    hello: (name) => `Hello ${name},`,
    note: (merchantName) =>
      `Anyone who has this address can open the page of your subscription. If you do not know ${merchantName}, ignore this message.`,
    labels: { plan: "Subscription", amount: "Amount", period: "Period" },
    period: (from, until) => `${from} to ${until}`,
    toPage: { lead: "The page of your subscription:", button: "Open the subscription" },
    toPay: (amount) => ({ lead: "To pay by card, open the page of your subscription:", button: `Pay ${amount}` }),
    toPayOtherwise: (amount) => ({ lead: "To pay now in another way, open the page of your subscription:", button: `Pay ${amount}` }),
    triedAgain: (at) => `We will try the same card again on ${at}. Please check that the card is valid and has enough funds.`,
    endsWithout: (action, at) =>
      action === "CANCEL"
        ? `If it is not paid, the subscription will be cancelled on ${at}.`
        : `If it is not paid, the subscription will be paused on ${at}.`,
    subject: (kind, { merchantName, amount, startsBy, endsOn }) => {
      switch (kind) {
        case "payment":
          return startsBy === null
            ? `${merchantName}: renewal of your subscription, ${amount}`
            : `${merchantName}: first payment of ${amount}`;
        case "failed":
          return `${merchantName}: payment of ${amount} failed`;
        case "step":
          return `${merchantName}: ${amount} not paid yet`;
        case "recovered":
          return `${merchantName}: payment received`;
        case "cancelled":
          return endsOn === null ? `${merchantName}: subscription ended` : `${merchantName}: your subscription ends on ${endsOn}`;
      }
    },
    says: (kind, { merchantName, amount, plan, startsBy, endsOn, cancelledBy }) => {
      switch (kind) {
        case "payment":
          return startsBy === null
            ? [`your subscription "${plan}" with ${merchantName} renews: please pay ${amount} for the new period.`]
            : [
                `your subscription "${plan}" with ${merchantName} starts with the first payment of ${amount}.`,
                `You can pay until ${startsBy}. Without the payment the subscription does not start.`,
              ];
        case "failed":
          return [`the payment of ${amount} for your subscription "${plan}" with ${merchantName} has failed.`];
        case "step":
          return [`your subscription "${plan}" with ${merchantName} has not been paid yet: ${amount} is outstanding.`];
        case "recovered":
          return [
            `your payment of ${amount} for your subscription "${plan}" with ${merchantName} has arrived. The subscription continues.`,
          ];
        case "cancelled":
          return endsOn === null
            ? [
                `your subscription "${plan}" with ${merchantName} has ended${ENDED_BECAUSE.en[cancelledBy ?? "customer"](merchantName)}.`,
                "There are no more payments.",
              ]
            : [
                `your subscription "${plan}" with ${merchantName} is cancelled. It continues until ${endsOn}.`,
                "After that there are no more payments.",
              ];
      }
    },
  },
};

type Ending = NonNullable<SubscriptionRecord["cancelledBy"]>;

const ENDED_BECAUSE: Readonly<Record<Locale, Readonly<Record<Ending, (merchantName: string) => string>>>> = {
  it: {
    merchant: (merchantName) => `: lo ha disdetto ${merchantName}`,
    customer: () => ", come hai chiesto",
    no_first_payment: () => ", perché il primo pagamento non è arrivato",
    dunning: () => ", perché un pagamento non è arrivato",
  },
  en: {
    merchant: (merchantName) => `: ${merchantName} cancelled it`,
    customer: () => ", as you asked",
    no_first_payment: () => ", because the first payment was not made",
    dunning: () => ", because a payment was not made",
  },
};

function mailOf(locale: Locale, kind: SubscriptionMail, facts: Written): MailText {
  const { customerName, merchantName, livemode } = facts;
  const texts = TEXTS[locale];
  return composeMail(
    locale,
    `${livemode ? "" : "[TEST] "}${texts.subject(kind, facts)}`,
    texts.hello(customerName),
    ...texts.says(kind, facts),
    ...whatToDo(kind, texts, facts),
    ...(livemode ? [] : [texts.test]),
    { note: texts.note(merchantName) },
  );
}

/** The facts, what happens next, and the button. */
function whatToDo(kind: SubscriptionMail, texts: Texts, facts: Written): MailBlock[] {
  const { amount, plan, url, tryAt, end } = facts;
  const { labels } = texts;
  const toPage = { ...texts.toPage, url };
  if (kind === "cancelled") return [toPage];
  const table: MailBlock = {
    facts: [
      [labels.plan, plan],
      [labels.amount, amount],
      [labels.period, texts.period(...facts.period)],
    ],
  };
  if (kind === "recovered") return [table, toPage];
  const next =
    kind === "payment"
      ? []
      : [...(tryAt === null ? [] : [texts.triedAgain(tryAt)]), ...(end === null ? [] : [texts.endsWithout(end.action, end.at)])];
  const way = tryAt === null || kind === "payment" ? texts.toPay(amount) : texts.toPayOtherwise(amount);
  return [table, ...next, { ...way, url }];
}

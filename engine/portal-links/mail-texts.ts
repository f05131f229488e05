import type { Locale } from "../accounts/account.ts";
import { timeInMails } from "../accounts/mail-texts.ts";
import { moneyText } from "../kernel/money-text.ts";
import { composeMail, type MailText, oneLine } from "../mails/mail-text.ts";
import type { PortalLinkRecord } from "./portal-link.ts";

export interface PortalLinkMailTexts {
  link(locale: Locale, facts: { merchantName: string; link: PortalLinkRecord }): MailText;
  /** Writes to the merchant's team, without the customer's data. */
  paid(locale: Locale, facts: { merchantName: string; link: PortalLinkRecord }): MailText;
}

export interface PortalLinkMailTextsOptions {
  /** The base URL for customers' browsers, without a slash at its end. */
  publicUrl(): string;
  portalUrl(): string;
  timeZone: string;
}

export function createPortalLinkMailTexts({ publicUrl, portalUrl, timeZone }: PortalLinkMailTextsOptions): PortalLinkMailTexts {
  return {
    link: (locale, { merchantName, link: { token, livemode, order } }) =>
      TEXTS[locale].paymentLink({
        merchantName: oneLine(merchantName),
        amount: amountText(locale, order),
        description: oneLine(order.description),
        url: `${publicUrl()}/l/${token}`,
        until: timeInMails(locale, order.expiresAtMs, timeZone),
        livemode,
      }),
    paid: (locale, { merchantName, link }) => {
      const { id, order, late, livemode } = link;
      const paid = link.attempts.findLast(({ state }) => state === "paid")?.paid ?? null;
      return TEXTS[locale].paymentLinkPaid({
        merchantName: oneLine(merchantName),
        amount: amountText(locale, paid ?? order),
        description: oneLine(order.description),
        reference: order.reference === null ? null : oneLine(order.reference),
        url: `${portalUrl()}/portal/payment-links/${id}`,
        at: timeInMails(locale, paid?.atMs ?? link.paidAtMs ?? link.updatedAtMs, timeZone),
        late,
        livemode,
      });
    },
  };
}

const TAGS: Readonly<Record<Locale, string>> = { it: "it-IT", en: "en-GB" };

function amountText(locale: Locale, { amountMinor, currency }: { amountMinor: number; currency: string }): string {
  return moneyText(amountMinor, currency, (options) => new Intl.NumberFormat(TAGS[locale], options));
}

interface Texts {
  paymentLink(facts: {
    merchantName: string;
    amount: string;
    description: string;
    url: string;
    until: string;
    livemode: boolean;
  }): MailText;
  paymentLinkPaid(facts: {
    merchantName: string;
    amount: string;
    description: string;
    reference: string | null;
    url: string;
    at: string;
    late: boolean;
    livemode: boolean;
  }): MailText;
}

const TEXTS: Readonly<Record<Locale, Texts>> = {
  it: {
    paymentLink: ({ merchantName, amount, description, url, until, livemode }) =>
      composeMail(
        "it",
        `${livemode ? "" : "[TEST] "}${merchantName}: richiesta di pagamento di ${amount}`,
        "Buongiorno,",
        `${merchantName} ti chiede il pagamento di ${amount} per:\n${description}`,
        { lead: "Per pagare con carta, apri questo indirizzo:", button: `Paga ${amount}`, url },
        `Si può pagare una sola volta, fino a ${until}.`,
        ...(livemode ? [] : ["È una prova: non viene addebitato nulla."]),
        {
          note: `Chi ha questo indirizzo può pagare al tuo posto. Se non conosci ${merchantName} o non ti aspettavi questa richiesta, ignora questo messaggio: non viene addebitato nulla.`,
        },
      ),
    paymentLinkPaid: ({ merchantName, amount, description, reference, url, at, late, livemode }) =>
      composeMail(
        "it",
        `${livemode ? "" : "[TEST] "}Link pagato: ${amount}`,
        "Buongiorno,",
        `un link di pagamento di ${merchantName} è stato pagato ${at}.`,
        {
          facts: [["Importo", amount], ["Descrizione", description], ...(reference === null ? [] : [["Riferimento", reference] as const])],
        },
        ...(late
          ? [
              "Era già stato annullato o era scaduto: il cliente aveva la pagina di pagamento ancora aperta. Se non vuoi il pagamento, rimborsalo.",
            ]
          : []),
        ...(livemode ? [] : ["È una prova: non è stato incassato nulla."]),
        { lead: "Il pagamento nel portale:", button: "Apri il pagamento", url },
      ),
  },
  en: {
    paymentLink: ({ merchantName, amount, description, url, until, livemode }) =>
      composeMail(
        "en",
        `${livemode ? "" : "[TEST] "}${merchantName} asks you to pay ${amount}`,
        "Hello,",
        `${merchantName} asks you to pay ${amount} for:\n${description}`,
        { lead: "To pay by card, open this address:", button: `Pay ${amount}`, url },
        `It can be paid once, until ${until}.`,
        ...(livemode ? [] : ["This is a test: nothing is charged."]),
        {
          note: `Anyone who has this address can pay instead of you. If you do not know ${merchantName}, or did not expect this request, ignore this message: nothing is charged.`,
        },
      ),
    paymentLinkPaid: ({ merchantName, amount, description, reference, url, at, late, livemode }) =>
      composeMail(
        "en",
        `${livemode ? "" : "[TEST] "}Payment link paid: ${amount}`,
        "Hello,",
        `a payment link of ${merchantName} was paid on ${at}.`,
        { facts: [["Amount", amount], ["Description", description], ...(reference === null ? [] : [["Reference", reference] as const])] },
        ...(late
          ? [
              "It had been cancelled or had expired before: the customer still had the payment page open. If you do not want the payment, refund it.",
            ]
          : []),
        ...(livemode ? [] : ["This is a test: no money was taken."]),
        { lead: "The payment in the portal:", button: "Open the payment", url },
      ),
  },
};

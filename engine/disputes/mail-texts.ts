import type { Locale } from "../accounts/account.ts";
import { timeInMails } from "../accounts/mail-texts.ts";
import { moneyText } from "../kernel/money-text.ts";
import { composeMail, type MailText, oneLine } from "../mails/mail-text.ts";
import type { DisputeCategory, DisputeRecord } from "./dispute.ts";

/** The texts contain no evidence. */
export interface DisputeMailTexts {
  received(locale: Locale, facts: { merchantName: string; dispute: DisputeRecord }): MailText;
  reminder(locale: Locale, facts: { merchantName: string; dispute: DisputeRecord; leadMs: number }): MailText;
}

export interface DisputeMailTextsOptions {
  /** The base URL of the portal, without a slash at its end. */
  portalUrl(): string;
  timeZone: string;
}

export function createDisputeMailTexts({ portalUrl, timeZone }: DisputeMailTextsOptions): DisputeMailTexts {
  function factsOf(locale: Locale, { merchantName, dispute }: { merchantName: string; dispute: DisputeRecord }): Facts {
    const { id, amountMinor, currency, category, network, networkCaseId, respondByMs, livemode } = dispute;
    return {
      merchantName: oneLine(merchantName),
      amount: moneyText(amountMinor, currency, (options) => new Intl.NumberFormat(TAGS[locale], options)),
      reason: REASONS[locale][category],
      number: `${network} ${networkCaseId}`,
      url: `${portalUrl()}/portal/disputes/${id}`,
      until: timeInMails(locale, respondByMs, timeZone),
      mark: livemode ? "" : "[TEST] ",
    };
  }

  return {
    received: (locale, facts) => TEXTS[locale].received(factsOf(locale, facts)),
    reminder: (locale, facts) => TEXTS[locale].reminder(factsOf(locale, facts), Math.max(1, Math.round(facts.leadMs / DAY_MS))),
  };
}

const DAY_MS = 86_400_000;

const TAGS: Readonly<Record<Locale, string>> = { it: "it-IT", en: "en-GB" };

const REASONS: Readonly<Record<Locale, Readonly<Record<DisputeCategory, string>>>> = {
  it: {
    FRAUD: "pagamento non riconosciuto",
    NOT_RECEIVED: "merce o servizio non ricevuto",
    NOT_AS_DESCRIBED: "merce o servizio diverso da quanto descritto",
    DUPLICATE: "pagamento addebitato due volte",
    CANCELLED_RECURRING: "abbonamento già disdetto",
    OTHER: "altro",
  },
  en: {
    FRAUD: "payment not recognised",
    NOT_RECEIVED: "goods or service not received",
    NOT_AS_DESCRIBED: "goods or service not as described",
    DUPLICATE: "charged twice",
    CANCELLED_RECURRING: "subscription already cancelled",
    OTHER: "other",
  },
};

interface Facts {
  merchantName: string;
  amount: string;
  reason: string;
  number: string;
  url: string;
  until: string;
  /** Precedes the subject in the test environment. */
  mark: string;
}

interface Texts {
  received(facts: Facts): MailText;
  reminder(facts: Facts, days: number): MailText;
}

const TEXTS: Readonly<Record<Locale, Texts>> = {
  it: {
    received: ({ merchantName, amount, reason, number, url, until, mark }) =>
      composeMail(
        "it",
        `${mark}Contestazione di ${amount}`,
        "Buongiorno,",
        `un cliente ha contestato presso la sua banca un pagamento di ${merchantName}.`,
        {
          facts: [
            ["Importo", amount],
            ["Motivo", reason],
            ["Numero della pratica", number],
          ],
        },
        `Può rispondere fino a ${until}. Senza una risposta, la contestazione è persa.`,
        "Finché la contestazione è aperta, questo pagamento non si può rimborsare.",
        { lead: "La contestazione nel portale:", button: "Apri la contestazione", url },
      ),
    reminder: ({ merchantName, amount, number, url, until, mark }, days) =>
      composeMail(
        "it",
        `${mark}Contestazione di ${amount}: ${days === 1 ? "manca un giorno" : `mancano ${days} giorni`}`,
        "Buongiorno,",
        `una contestazione di ${merchantName} attende ancora una risposta.`,
        {
          facts: [
            ["Importo", amount],
            ["Numero della pratica", number],
          ],
        },
        `Si può rispondere fino a ${until}. Senza risposta la contestazione è persa.`,
        { lead: "La contestazione nel portale:", button: "Apri la contestazione", url },
      ),
  },
  en: {
    received: ({ merchantName, amount, reason, number, url, until, mark }) =>
      composeMail(
        "en",
        `${mark}Dispute of ${amount}`,
        "Hello,",
        `a customer has disputed a payment of ${merchantName} with their bank.`,
        {
          facts: [
            ["Amount", amount],
            ["Reason", reason],
            ["Case", number],
          ],
        },
        `You can respond until ${until}. Without a response the dispute is lost.`,
        "While the dispute is open, this payment cannot be refunded.",
        { lead: "The dispute in the portal:", button: "Open the dispute", url },
      ),
    reminder: ({ merchantName, amount, number, url, until, mark }, days) =>
      composeMail(
        "en",
        `${mark}Dispute of ${amount}: ${days === 1 ? "one day left" : `${days} days left`}`,
        "Hello,",
        `a dispute of ${merchantName} still waits for a response.`,
        {
          facts: [
            ["Amount", amount],
            ["Case", number],
          ],
        },
        `You can respond until ${until}. Without a response the dispute is lost.`,
        { lead: "The dispute in the portal:", button: "Open the dispute", url },
      ),
  },
};

import type { PlanInterval } from "../../../engine/subscriptions/calendar.ts";
import type { Language } from "../parts/buyer/buyer-language.ts";
import type { Section } from "../parts/buyer/buyer-texts.ts";

/** What the customer of a subscription reads beside what every buyer does (buyer-texts.ts), in one language. */
export interface SubscriptionTexts {
  readonly subscriptionAt: (merchantName: string) => string;
  readonly every: (amount: string, interval: PlanInterval, count: number) => string;
  readonly test: string;
  readonly trialUntil: (time: string) => string;
  readonly nextPayment: (time: string) => string;
  readonly endsOn: (time: string) => string;
  readonly firstPaymentUntil: (time: string) => string;
  readonly paused: string;
  readonly ended: string;
  readonly unpaidSince: (day: string) => string;
  /** Why it is unpaid. */
  readonly declined: string;
  readonly declinedForGood: string;
  readonly underWay: string;
  readonly triedAgain: (time: string) => string;
  /** What the shop does if it stays unpaid. */
  readonly endsWithout: Readonly<Record<"CANCEL" | "PAUSE", (time: string) => string>>;
  readonly pay: (amount: string) => string;
  readonly secure: string;
  readonly cancel: string;
  readonly cancelTitle: string;
  readonly cancelNow: string;
  readonly cancelNowMeans: string;
  readonly cancelLater: (time: string) => string;
  readonly cancelLaterMeans: (time: string) => string;
  readonly keep: string;
  readonly back: string;
  readonly nothingDue: Section;
  readonly outcomeUnknown: Section;
  readonly refused: Section;
  readonly missing: Section;
}

const TEXTS: Readonly<Record<Language, SubscriptionTexts>> = {
  en: {
    subscriptionAt: (merchantName) => `Your subscription with ${merchantName}`,
    every: (amount, interval, count) => {
      const one = { WEEK: "week", MONTH: "month", YEAR: "year" }[interval];
      return count === 1 ? `${amount} every ${one}` : `${amount} every ${count} ${one}s`;
    },
    test: "Test: nothing will be charged",
    trialUntil: (time) => `Free trial until ${time}. Nothing is charged before then.`,
    nextPayment: (time) => `Next payment: ${time}.`,
    endsOn: (time) => `You have cancelled. The subscription ends on ${time}. There are no more payments.`,
    firstPaymentUntil: (time) => `The subscription starts with the first payment. Please pay by ${time}, otherwise it ends.`,
    paused: "The subscription is paused. There are no payments at the moment.",
    ended: "The subscription has ended. There are no more payments.",
    unpaidSince: (day) => `Unpaid since ${day}.`,
    declined: "Your card was declined.",
    declinedForGood: "Your card can no longer be used. Please pay in another way.",
    underWay: "A payment is in progress, and the bank has not answered yet. Please do not pay again. Open this page again later.",
    triedAgain: (time) => `We will charge the same card again on ${time}.`,
    endsWithout: {
      CANCEL: (time) => `If it is not paid, the subscription will be cancelled on ${time}.`,
      PAUSE: (time) => `If it is not paid, the subscription will be paused on ${time}.`,
    },
    pay: (amount) => `Pay ${amount}`,
    secure: "You enter your card details on the bank’s secure page.",
    cancel: "Cancel subscription",
    cancelTitle: "Cancel the subscription?",
    cancelNow: "Cancel now",
    cancelNowMeans: "The subscription ends at once. You need not pay the open amount. Past payments are not refunded.",
    cancelLater: (time) => `Cancel on ${time}`,
    cancelLaterMeans: (time) => `The subscription continues until ${time}, then there are no more payments. An open amount is still due.`,
    keep: "Keep subscription",
    back: "Back to your subscription",
    nothingDue: { title: "Nothing to pay", text: "There is no open amount right now." },
    outcomeUnknown: {
      title: "A payment is in progress",
      text: "The bank has not answered yet. Please do not pay again. Open this page again later to see the result.",
    },
    refused: { title: "Not available right now", text: "This payment cannot be made right now. Please contact the shop." },
    missing: { title: "Subscription not found", text: "The address is incomplete, or the subscription ended long ago." },
  },
  it: {
    subscriptionAt: (merchantName) => `Il tuo abbonamento presso ${merchantName}`,
    every: (amount, interval, count) => {
      const [one, more] = { WEEK: ["settimana", "settimane"], MONTH: ["mese", "mesi"], YEAR: ["anno", "anni"] }[interval];
      return count === 1 ? `${amount} ogni ${one}` : `${amount} ogni ${count} ${more}`;
    },
    test: "Prova: non viene addebitato nulla",
    trialUntil: (time) => `Prova gratuita fino a ${time}. Prima non si paga nulla.`,
    nextPayment: (time) => `Prossimo pagamento: ${time}.`,
    endsOn: (time) => `Hai disdetto. L’abbonamento termina ${time}. Non ci saranno altri pagamenti.`,
    firstPaymentUntil: (time) => `L’abbonamento inizia con il primo pagamento. In mancanza, termina ${time}.`,
    paused: "L’abbonamento è in pausa. Al momento non ci sono pagamenti.",
    ended: "L’abbonamento è terminato. Non ci saranno altri pagamenti.",
    unpaidSince: (day) => `Da pagare da ${day}.`,
    declined: "La tua carta è stata rifiutata.",
    declinedForGood: "La tua carta non si può più usare. Paga in un altro modo.",
    underWay: "Un pagamento è in corso e la banca non ha ancora risposto. Non pagare di nuovo. Riapri questa pagina più tardi.",
    triedAgain: (time) => `Addebiteremo di nuovo la stessa carta ${time}.`,
    endsWithout: {
      CANCEL: (time) => `Senza pagamento, l’abbonamento verrà annullato ${time}.`,
      PAUSE: (time) => `Senza pagamento, l’abbonamento andrà in pausa ${time}.`,
    },
    pay: (amount) => `Paga ${amount}`,
    secure: "Inserisci i dati della carta sulla pagina sicura della banca.",
    cancel: "Disdici l’abbonamento",
    cancelTitle: "Vuoi disdire l’abbonamento?",
    cancelNow: "Disdici subito",
    cancelNowMeans:
      "L’abbonamento termina subito. Non devi pagare l’importo in sospeso. I pagamenti già effettuati non vengono rimborsati.",
    cancelLater: (time) => `Disdici per ${time}`,
    cancelLaterMeans: (time) =>
      `L’abbonamento continua fino a ${time}, poi non ci saranno altri pagamenti. Un importo in sospeso resta da pagare.`,
    keep: "Mantieni l’abbonamento",
    back: "Torna al tuo abbonamento",
    nothingDue: { title: "Nulla da pagare", text: "Al momento non c’è nulla da pagare." },
    outcomeUnknown: {
      title: "Un pagamento è in corso",
      text: "La banca non ha ancora risposto. Non pagare di nuovo. Riapri questa pagina più tardi per vedere l’esito.",
    },
    refused: { title: "Al momento non disponibile", text: "Al momento questo pagamento non è possibile. Contatta il negozio." },
    missing: { title: "Abbonamento non trovato", text: "L’indirizzo è incompleto, oppure l’abbonamento è terminato da molto tempo." },
  },
};

export function subscriptionTextsIn(language: Language): SubscriptionTexts {
  return TEXTS[language];
}

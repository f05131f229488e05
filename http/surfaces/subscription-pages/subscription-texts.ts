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
    test: "Test: nothing is charged",
    trialUntil: (time) => `Nothing has to be paid before ${time}.`,
    nextPayment: (time) => `Next payment: ${time}.`,
    endsOn: (time) => `It is cancelled, and ends on ${time}. You will not be asked to pay again.`,
    firstPaymentUntil: (time) => `It begins with the first payment. Without a payment, it ends on ${time}.`,
    paused: "It is paused. You do not have to pay anything at present.",
    ended: "It has ended. You will not be asked to pay again.",
    unpaidSince: (day) => `Unpaid since ${day}.`,
    declined: "Your card was declined.",
    declinedForGood: "Your card can no longer be used. Please pay in another way.",
    underWay: "A payment is in progress, and the bank has not answered yet. Please do not pay again; open this page later.",
    triedAgain: (time) => `We will try the same card again on ${time}.`,
    endsWithout: {
      CANCEL: (time) => `If it stays unpaid, the subscription is cancelled on ${time}.`,
      PAUSE: (time) => `If it stays unpaid, the subscription is paused on ${time}.`,
    },
    pay: (amount) => `Pay ${amount}`,
    secure: "You enter your card on the secure page of the bank.",
    cancel: "Cancel the subscription",
    cancelTitle: "Cancel the subscription?",
    cancelNow: "Cancel now",
    cancelNowMeans: "It ends at once. You no longer have to pay what is unpaid. Payments that you have made are not refunded.",
    cancelLater: (time) => `Cancel on ${time}`,
    cancelLaterMeans: (time) =>
      `It continues until ${time}; after that you will not be asked to pay. You still have to pay what is unpaid now.`,
    keep: "Keep the subscription",
    back: "Back to your subscription",
    nothingDue: { title: "Nothing to pay", text: "Nothing is unpaid at present." },
    outcomeUnknown: {
      title: "A payment is in progress",
      text: "The bank has not answered yet. Please do not pay again: open this page later to see the outcome.",
    },
    refused: { title: "Not payable at present", text: "This payment cannot be made at present. Please ask the shop." },
    missing: { title: "No such subscription", text: "The address is not complete, or the subscription ended long ago." },
  },
  it: {
    subscriptionAt: (merchantName) => `Il tuo abbonamento presso ${merchantName}`,
    every: (amount, interval, count) => {
      const [one, more] = { WEEK: ["settimana", "settimane"], MONTH: ["mese", "mesi"], YEAR: ["anno", "anni"] }[interval];
      return count === 1 ? `${amount} ogni ${one}` : `${amount} ogni ${count} ${more}`;
    },
    test: "Prova: non viene addebitato nulla",
    trialUntil: (time) => `Non c’è nulla da pagare prima di ${time}.`,
    nextPayment: (time) => `Prossimo pagamento: ${time}.`,
    endsOn: (time) => `È disdetto e termina ${time}. Non verrà chiesto altro.`,
    firstPaymentUntil: (time) => `Inizia con il primo pagamento. Senza un pagamento, termina ${time}.`,
    paused: "È sospeso. Al momento non viene chiesto nulla.",
    ended: "È terminato. Non verrà chiesto altro.",
    unpaidSince: (day) => `Da pagare da ${day}.`,
    declined: "La tua carta è stata rifiutata.",
    declinedForGood: "La tua carta non può più essere usata. Paga in un altro modo.",
    underWay: "Un pagamento è in corso e la banca non ha ancora risposto. Non pagare di nuovo: riapri questa pagina più tardi.",
    triedAgain: (time) => `Riproveremo con la stessa carta ${time}.`,
    endsWithout: {
      CANCEL: (time) => `Se resta non pagato, l’abbonamento viene annullato ${time}.`,
      PAUSE: (time) => `Se resta non pagato, l’abbonamento viene sospeso ${time}.`,
    },
    pay: (amount) => `Paga ${amount}`,
    secure: "Inserisci la carta sulla pagina sicura della banca.",
    cancel: "Disdici l’abbonamento",
    cancelTitle: "Vuoi disdire l’abbonamento?",
    cancelNow: "Disdici subito",
    cancelNowMeans: "Termina subito. Ciò che non è pagato non dovrà più essere pagato. I pagamenti già fatti non vengono rimborsati.",
    cancelLater: (time) => `Disdici per ${time}`,
    cancelLaterMeans: (time) => `Continua fino a ${time}; dopo non ti verrà chiesto altro. Ciò che ora non è pagato resta da pagare.`,
    keep: "Mantieni l’abbonamento",
    back: "Torna al tuo abbonamento",
    nothingDue: { title: "Nulla da pagare", text: "Al momento non c’è nulla da pagare." },
    outcomeUnknown: {
      title: "Un pagamento è in corso",
      text: "La banca non ha ancora risposto. Non pagare di nuovo: riapri questa pagina più tardi per vedere com’è andata.",
    },
    refused: { title: "Al momento non pagabile", text: "Al momento questo pagamento non è possibile. Rivolgiti al negozio." },
    missing: { title: "Abbonamento non trovato", text: "L’indirizzo non è completo, oppure l’abbonamento è terminato da molto tempo." },
  },
};

export function subscriptionTextsIn(language: Language): SubscriptionTexts {
  return TEXTS[language];
}

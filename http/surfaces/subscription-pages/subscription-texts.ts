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
    endsOn: (time) => `It is cancelled, and ends on ${time}. Nothing more will be asked for.`,
    firstPaymentUntil: (time) => `It begins with the first payment. Without it, it ends on ${time}.`,
    paused: "It is paused. Nothing is asked for at present.",
    ended: "It has ended. Nothing more will be asked for.",
    unpaidSince: (day) => `Unpaid since ${day}.`,
    declined: "Your card was declined.",
    declinedForGood: "Your card can no longer be used. Please pay in another way.",
    underWay: "A payment is under way, and the bank has not answered yet. Please do not pay again; look at this page later.",
    triedAgain: (time) => `The same card is tried again on ${time}.`,
    endsWithout: {
      CANCEL: (time) => `If it stays unpaid, the subscription is cancelled on ${time}.`,
      PAUSE: (time) => `If it stays unpaid, the subscription is paused on ${time}.`,
    },
    pay: (amount) => `Pay ${amount}`,
    secure: "You enter your card on the secure page of the bank.",
    cancel: "Cancel the subscription",
    cancelTitle: "Cancel the subscription?",
    cancelNow: "Cancel now",
    cancelNowMeans: "It ends at once. What is unpaid is no longer asked for; what is paid is not given back by this.",
    cancelLater: (time) => `Cancel on ${time}`,
    cancelLaterMeans: (time) => `It goes on until ${time}, and nothing is asked for after that. What is unpaid now stays to be paid.`,
    keep: "Keep the subscription",
    back: "Back to your subscription",
    nothingDue: { title: "Nothing to pay", text: "Nothing is unpaid at present." },
    outcomeUnknown: {
      title: "A payment is under way",
      text: "The bank has not answered yet. Please do not pay again: look at this page later to see how it went.",
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
    firstPaymentUntil: (time) => `Inizia con il primo pagamento. Senza, termina ${time}.`,
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
    cancelNowMeans: "Termina subito. Ciò che non è pagato non viene più chiesto; ciò che è pagato non viene restituito con questo.",
    cancelLater: (time) => `Disdici per ${time}`,
    cancelLaterMeans: (time) => `Continua fino a ${time}, poi non viene chiesto altro. Ciò che ora non è pagato resta da pagare.`,
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

import type { Language } from "../parts/buyer/buyer-language.ts";
import type { Section } from "../parts/buyer/buyer-texts.ts";

/** What the customer of a payment link reads beside what every buyer does (buyer-texts.ts), in one language. */
export interface LinkTexts {
  readonly payTo: (merchantName: string) => string;
  readonly pay: (amount: string) => string;
  /** Under the button. */
  readonly secure: string;
  readonly until: (time: string) => string;
  readonly test: string;
  readonly paid: Section;
  readonly paidAmount: (amount: string, merchantName: string) => string;
  readonly cancelled: Section;
  readonly expired: Section;
  readonly preparing: Section;
  readonly failed: Section;
  readonly turnedBack: Section;
  readonly refused: Section;
  readonly tooMany: Section;
  readonly closed: Section;
  readonly onward: Section;
  readonly missing: Section;
  /** Said after half a minute without an answer. */
  readonly stillConfirming: string;
  readonly backToLink: string;
  readonly goOn: string;
}

const TEXTS: Readonly<Record<Language, LinkTexts>> = {
  en: {
    payTo: (merchantName) => `Payment to ${merchantName}`,
    pay: (amount) => `Pay ${amount}`,
    secure: "You enter your card on the secure page of the bank.",
    until: (time) => `You can pay until ${time}.`,
    test: "Test: nothing is charged",
    paid: { title: "Paid", text: "Thank you. You do not need to do anything else." },
    paidAmount: (amount, merchantName) => `${amount} to ${merchantName}`,
    cancelled: { title: "Payment cancelled", text: "The request was withdrawn. It can no longer be paid." },
    expired: { title: "This link has expired", text: "The time to pay is over. Ask for a new link if you still want to pay." },
    preparing: { title: "One moment", text: "The payment page is not ready yet. Wait a moment, then try again." },
    failed: { title: "The payment was not made", text: "Nothing was charged. You can try again, with another card if you like." },
    turnedBack: { title: "You have cancelled the payment", text: "Nothing was charged. You can still pay." },
    refused: { title: "The payment cannot be made", text: "The bank does not accept this payment. Please tell whoever sent you the link." },
    tooMany: { title: "Tried too often", text: "There were too many attempts with this link. Ask for a new one." },
    closed: { title: "Not payable at present", text: "This payment cannot be made at present. Please ask whoever sent you the link." },
    onward: { title: "On to the bank's page", text: "You are taken to the page where you pay." },
    missing: { title: "No such link", text: "The address is not complete, or the link is too old." },
    stillConfirming: "The bank has not answered yet. Please do not pay again: look at this link later to see how it went.",
    backToLink: "Back to the payment link",
    goOn: "Continue",
  },
  it: {
    payTo: (merchantName) => `Pagamento a ${merchantName}`,
    pay: (amount) => `Paga ${amount}`,
    secure: "I dati della carta si inseriscono sulla pagina sicura della banca.",
    until: (time) => `Puoi pagare fino a ${time}.`,
    test: "Prova: non viene addebitato nulla",
    paid: { title: "Pagato", text: "Grazie. Non devi fare altro." },
    paidAmount: (amount, merchantName) => `${amount} a ${merchantName}`,
    cancelled: { title: "Pagamento annullato", text: "La richiesta è stata ritirata. Non è più possibile pagarla." },
    expired: { title: "Questo link è scaduto", text: "Il tempo per pagare è finito. Se vuoi ancora pagare, chiedi un nuovo link." },
    preparing: { title: "Un momento", text: "La pagina di pagamento non è ancora pronta. Attendi un attimo e riprova." },
    failed: { title: "Pagamento non riuscito", text: "Non è stato addebitato nulla. Puoi riprovare, anche con un’altra carta." },
    turnedBack: { title: "Hai annullato il pagamento", text: "Non è stato addebitato nulla. Puoi ancora pagare." },
    refused: { title: "Il pagamento non è possibile", text: "La banca non accetta questo pagamento. Avvisa chi ti ha inviato il link." },
    tooMany: { title: "Troppi tentativi", text: "Con questo link ci sono stati troppi tentativi. Chiedi un nuovo link." },
    closed: { title: "Al momento non pagabile", text: "Al momento questo pagamento non è possibile. Chiedi a chi ti ha inviato il link." },
    onward: { title: "Verso la pagina della banca", text: "Stai per passare alla pagina dove si paga." },
    missing: { title: "Link non trovato", text: "L’indirizzo non è completo, oppure il link è troppo vecchio." },
    stillConfirming: "La banca non ha ancora risposto. Non pagare di nuovo: riapri questo link più tardi per vedere com’è andata.",
    backToLink: "Torna al link di pagamento",
    goOn: "Continua",
  },
};

export function linkTextsIn(language: Language): LinkTexts {
  return TEXTS[language];
}

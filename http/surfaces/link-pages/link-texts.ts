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
    secure: "You enter your card details on the bank’s secure page.",
    until: (time) => `You can pay until ${time}.`,
    test: "Test: nothing will be charged",
    paid: { title: "Paid", text: "Thank you. You do not need to do anything else." },
    paidAmount: (amount, merchantName) => `${amount} to ${merchantName}`,
    cancelled: { title: "Payment cancelled", text: "The seller has withdrawn this request. It can no longer be paid." },
    expired: { title: "This link has expired", text: "It can no longer be paid. If you still want to pay, ask for a new link." },
    preparing: { title: "One moment", text: "The payment page is not ready yet. Wait a moment and try again." },
    failed: { title: "The payment was not made", text: "Nothing was charged. You can try again, also with another card." },
    turnedBack: { title: "You cancelled the payment", text: "Nothing was charged. You can still pay." },
    refused: {
      title: "The payment cannot be made",
      text: "The bank does not accept this payment. Please contact the person who sent you the link.",
    },
    tooMany: { title: "Too many attempts", text: "This link cannot be used any more. Ask for a new one." },
    closed: {
      title: "Not available right now",
      text: "This payment cannot be made right now. Please contact the person who sent you the link.",
    },
    onward: { title: "Continue to the bank’s page", text: "You are being taken to the payment page." },
    missing: {
      title: "Link not found",
      text: "The address is incomplete, or the link is too old. Check the address or ask for a new link.",
    },
    stillConfirming: "The bank has not answered yet. Please do not pay again. Open this link again later to see the result.",
    backToLink: "Back to the payment link",
    goOn: "Continue",
  },
  it: {
    payTo: (merchantName) => `Pagamento a ${merchantName}`,
    pay: (amount) => `Paga ${amount}`,
    secure: "Inserisci i dati della carta sulla pagina sicura della banca.",
    until: (time) => `Puoi pagare fino a ${time}.`,
    test: "Prova: non viene addebitato nulla",
    paid: { title: "Pagato", text: "Grazie. Non devi fare altro." },
    paidAmount: (amount, merchantName) => `${amount} a ${merchantName}`,
    cancelled: { title: "Pagamento annullato", text: "Il venditore ha ritirato questa richiesta. Non si può più pagare." },
    expired: { title: "Questo link è scaduto", text: "Non si può più pagare. Se vuoi ancora pagare, chiedi un nuovo link." },
    preparing: { title: "Attendi un momento", text: "La pagina di pagamento non è ancora pronta. Attendi un momento e riprova." },
    failed: { title: "Pagamento non riuscito", text: "Non è stato addebitato nulla. Puoi riprovare, anche con un’altra carta." },
    turnedBack: { title: "Hai annullato il pagamento", text: "Non è stato addebitato nulla. Puoi ancora pagare." },
    refused: { title: "Il pagamento non è possibile", text: "La banca non accetta questo pagamento. Contatta chi ti ha inviato il link." },
    tooMany: { title: "Troppi tentativi", text: "Questo link non si può più usare. Chiedine uno nuovo." },
    closed: {
      title: "Al momento non disponibile",
      text: "Al momento questo pagamento non è possibile. Contatta chi ti ha inviato il link.",
    },
    onward: { title: "Continua sulla pagina della banca", text: "Stai per passare alla pagina di pagamento." },
    missing: {
      title: "Link non trovato",
      text: "L’indirizzo è incompleto, oppure il link è troppo vecchio. Controlla l’indirizzo o chiedi un nuovo link.",
    },
    stillConfirming: "La banca non ha ancora risposto. Non pagare di nuovo. Riapri questo link più tardi per vedere l’esito.",
    backToLink: "Torna al link di pagamento",
    goOn: "Continua",
  },
};

export function linkTextsIn(language: Language): LinkTexts {
  return TEXTS[language];
}

import type { Language } from "../parts/buyer/buyer-language.ts";
import type { Section } from "../parts/buyer/buyer-texts.ts";

/** What the buyer of an intent reads beside what every buyer does (buyer-texts.ts), in one language. */
export interface PageTexts {
  readonly paid: Section;
  readonly canceled: Section;
  readonly ended: Section;
  readonly preparing: Section;
  readonly missing: Section;
  /** Said after half a minute without an answer. */
  readonly stillConfirming: string;
  readonly backToShop: string;
}

const TEXTS: Readonly<Record<Language, PageTexts>> = {
  en: {
    paid: { title: "Already paid", text: "This payment is complete. You do not need to do anything else." },
    canceled: { title: "Payment cancelled", text: "The shop has cancelled this payment. It can no longer be paid." },
    ended: { title: "This payment has ended", text: "It was not completed. To pay, go back to the shop and start again." },
    preparing: { title: "One moment", text: "The payment page is not ready yet. Wait a moment and try again." },
    missing: { title: "Payment not found", text: "The address is incomplete, or the payment is too old. Go back to the shop." },
    stillConfirming: "The bank has not answered yet. Please do not pay again. You can go back to the shop, which will get the result.",
    backToShop: "Back to the shop",
  },
  it: {
    paid: { title: "Già pagato", text: "Il pagamento è stato completato. Non devi fare altro." },
    canceled: { title: "Pagamento annullato", text: "Il negozio ha annullato questo pagamento. Non si può più pagare." },
    ended: { title: "Questo pagamento è terminato", text: "Non è stato completato. Per pagare, torna al negozio e ricomincia." },
    preparing: { title: "Attendi un momento", text: "La pagina di pagamento non è ancora pronta. Attendi un momento e riprova." },
    missing: { title: "Pagamento non trovato", text: "L’indirizzo è incompleto, oppure il pagamento è troppo vecchio. Torna al negozio." },
    stillConfirming: "La banca non ha ancora risposto. Non pagare di nuovo. Puoi tornare al negozio, che riceverà l’esito.",
    backToShop: "Torna al negozio",
  },
};

export function textsIn(language: Language): PageTexts {
  return TEXTS[language];
}

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
    paid: { title: "Already paid", text: "This payment was completed. You do not need to do anything." },
    canceled: { title: "Payment cancelled", text: "The shop has cancelled this payment. It can no longer be paid." },
    ended: { title: "This payment has ended", text: "It was not completed. To pay, go back to the shop and begin again." },
    preparing: { title: "One moment", text: "The payment page is not ready yet." },
    missing: { title: "No such payment", text: "The address is not complete, or the payment is too old." },
    stillConfirming:
      "The bank has not answered yet. You can go back to the shop, which will be told as soon as it has. Please do not pay again.",
    backToShop: "Back to the shop",
  },
  it: {
    paid: { title: "Già pagato", text: "Il pagamento è stato completato. Non devi fare altro." },
    canceled: { title: "Pagamento annullato", text: "Il negozio ha annullato questo pagamento. Non è più possibile pagarlo." },
    ended: { title: "Questo pagamento è terminato", text: "Non è stato completato. Per pagare, torna al negozio e ricomincia." },
    preparing: { title: "Un momento", text: "La pagina di pagamento non è ancora pronta." },
    missing: { title: "Pagamento non trovato", text: "L'indirizzo non è completo, oppure il pagamento è troppo vecchio." },
    stillConfirming: "La banca non ha ancora risposto. Puoi tornare al negozio, che sarà avvisato appena risponde. Non pagare di nuovo.",
    backToShop: "Torna al negozio",
  },
};

export function textsIn(language: Language): PageTexts {
  return TEXTS[language];
}

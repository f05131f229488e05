import type { Language } from "./buyer-language.ts";

export interface Section {
  readonly title: string;
  readonly text: string;
}

/** What buyers read on the pages of every surface, in one language. */
export interface BuyerTexts {
  readonly confirming: Section;
  readonly unavailable: Section;
  readonly tryAgain: string;
}

const TEXTS: Readonly<Record<Language, BuyerTexts>> = {
  en: {
    confirming: { title: "Confirming your payment", text: "We are waiting for the answer of the bank. Please leave this page open." },
    unavailable: { title: "Please try again shortly", text: "We cannot look at your payment right now. Nothing is lost." },
    tryAgain: "Try again",
  },
  it: {
    confirming: { title: "Stiamo confermando il pagamento", text: "Attendiamo la risposta della banca. Lascia aperta questa pagina." },
    unavailable: { title: "Riprova tra poco", text: "In questo momento non possiamo verificare il pagamento. Nulla è andato perso." },
    tryAgain: "Riprova",
  },
};

export function buyerTexts(language: Language): BuyerTexts {
  return TEXTS[language];
}

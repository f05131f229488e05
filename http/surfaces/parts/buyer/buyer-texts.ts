import type { Language } from "./buyer-language.ts";

export interface Section {
  readonly title: string;
  readonly text: string;
}

/** The texts of the buyers' pages of every surface, in one language. */
export interface BuyerTexts {
  readonly confirming: Section;
  readonly unavailable: Section;
  readonly tryAgain: string;
}

const TEXTS: Readonly<Record<Language, BuyerTexts>> = {
  en: {
    confirming: { title: "Confirming your payment", text: "We are waiting for the bank. Please keep this page open." },
    unavailable: { title: "Please try again shortly", text: "We cannot check your payment right now. Nothing is lost." },
    tryAgain: "Try again",
  },
  it: {
    confirming: { title: "Conferma del pagamento in corso", text: "Attendiamo la risposta della banca. Lascia aperta questa pagina." },
    unavailable: { title: "Riprova tra poco", text: "Al momento non possiamo verificare il pagamento. Nulla è andato perso." },
    tryAgain: "Riprova",
  },
};

export function buyerTexts(language: Language): BuyerTexts {
  return TEXTS[language];
}

export type Language = "en" | "it";

/** All that a buyer reads, in one language. */
export interface PageTexts {
  readonly paid: Section;
  readonly canceled: Section;
  readonly ended: Section;
  readonly preparing: Section;
  readonly confirming: Section;
  readonly missing: Section;
  readonly unavailable: Section;
  /** Said after half a minute without an answer. */
  readonly stillConfirming: string;
  readonly backToShop: string;
  readonly tryAgain: string;
}

interface Section {
  readonly title: string;
  readonly text: string;
}

const TEXTS: Readonly<Record<Language, PageTexts>> = {
  en: {
    paid: { title: "Already paid", text: "This payment was completed. You do not need to do anything." },
    canceled: { title: "Payment cancelled", text: "The shop has cancelled this payment. It can no longer be paid." },
    ended: { title: "This payment has ended", text: "It was not completed. To pay, go back to the shop and begin again." },
    preparing: { title: "One moment", text: "The payment page is not ready yet." },
    confirming: { title: "Confirming your payment", text: "We are waiting for the answer of the bank. Please leave this page open." },
    missing: { title: "No such payment", text: "The address is not complete, or the payment is too old." },
    unavailable: { title: "Please try again shortly", text: "We cannot look at your payment right now. Nothing is lost." },
    stillConfirming:
      "The bank has not answered yet. You can go back to the shop, which will be told as soon as it has. Please do not pay again.",
    backToShop: "Back to the shop",
    tryAgain: "Try again",
  },
  it: {
    paid: { title: "Già pagato", text: "Il pagamento è stato completato. Non devi fare altro." },
    canceled: { title: "Pagamento annullato", text: "Il negozio ha annullato questo pagamento. Non è più possibile pagarlo." },
    ended: { title: "Questo pagamento è terminato", text: "Non è stato completato. Per pagare, torna al negozio e ricomincia." },
    preparing: { title: "Un momento", text: "La pagina di pagamento non è ancora pronta." },
    confirming: { title: "Stiamo confermando il pagamento", text: "Attendiamo la risposta della banca. Lascia aperta questa pagina." },
    missing: { title: "Pagamento non trovato", text: "L'indirizzo non è completo, oppure il pagamento è troppo vecchio." },
    unavailable: { title: "Riprova tra poco", text: "In questo momento non possiamo verificare il pagamento. Nulla è andato perso." },
    stillConfirming: "La banca non ha ancora risposto. Puoi tornare al negozio, che sarà avvisato appena risponde. Non pagare di nuovo.",
    backToShop: "Torna al negozio",
    tryAgain: "Riprova",
  },
};

export function textsIn(language: Language): PageTexts {
  return TEXTS[language];
}

/** The one of our languages that the buyer likes best, by `Accept-Language`; English where neither is named. */
export function languageOf(acceptLanguage: string): Language {
  const weighed = acceptLanguage.split(",").flatMap((part): { language: Language; weight: number }[] => {
    // Trimmed first: with spaces at both ends of an optional part the expression would take time by the square of their number.
    const [, tag = "", weight = "1"] = /^([A-Za-z]{1,8})(?:-[A-Za-z0-9-]*)?\s*(?:;\s*q=([01](?:\.\d{0,3})?))?$/.exec(part.trim()) ?? [];
    const language = tag.toLowerCase();
    return (language === "it" || language === "en") && Number(weight) > 0 ? [{ language, weight: Number(weight) }] : [];
  });
  return weighed.toSorted((a, b) => b.weight - a.weight)[0]?.language ?? "en";
}

import type { Catalogue } from "./en.ts";

export const search: Catalogue["search"] = {
  field: "Che cosa cerchi?",
  merchantHint:
    "Un importo, l’inizio di un id, un codice di autorizzazione, le ultime quattro cifre di una carta, un terminale o l’indirizzo e-mail completo di un cliente.",
  results: "Risultati",
  pages: "Pagine",
  groups: {
    payments: "Pagamenti",
    payment_links: "Link di pagamento",
    subscriptions: "Abbonamenti",
    disputes: "Contestazioni e avvisi",
    terminals: "Terminali",
  },
  first: (group) => `${group}: primi risultati`,
  allPayments: "Mostra tutti questi pagamenti",
  near: (text) => `Nulla ha l’id ${text}. Questi sono simili:`,
  suggestions: "Intendevi uno di questi?",
  searching: "Ricerca in corso…",
  nothing: (text) => `Nessun risultato per «${text}».`,
  count: (count) => (count === 1 ? "1 risultato" : `${count} risultati`),
  away: (groups) => `Al momento non è stato possibile cercare in: ${groups}. Tutto il resto è stato cercato.`,
  since: (day) => `I pagamenti prima del ${day} non sono stati cercati. Per andare più indietro usa i filtri delle transazioni.`,
  withheld: "Il tuo ruolo non vede i dati personali, quindi non può cercare per indirizzo e-mail.",
};

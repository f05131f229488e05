import { amongLoaded } from "./app.it.ts";
import type { Words } from "./start.en.ts";

export const audit: Words["audit"] = {
  title: "Attività",
  lead: "Chi ha modificato che cosa, quando e da dove. Mostra amministratori e partner, o gli utenti di un esercente.",
  find: "Trova",
  findHint: "Cerca nome, attività, oggetto e indirizzo nelle voci caricate.",
  merchant: "Id dell’esercente",
  merchantHint: "Inserisci un id per vedere il registro di quell’esercente.",
  merchantForm: "Lettere, cifre, punti, trattini e trattini bassi, fino a 64.",
  count: (shown: number, loaded: number, isCut: boolean) => amongLoaded(shown, loaded, isCut, "voce", "voci", "Le prime"),
  as: "Accesso come",
  role: "Ruolo di allora",
  emptyTitle: "Ancora nessuna voce",
  emptyText: "Le modifiche compaiono qui. Vengono conservate per 400 giorni.",
};

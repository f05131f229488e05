import { amongLoaded } from "./app.it.ts";
import type { Words } from "./en.ts";

export const audit: Words["audit"] = {
  title: "Attività",
  lead: "Chi ha cambiato che cosa, quando e da dove: amministratori e partner, o le persone di un esercente.",
  find: "Trova",
  findHint: "Nome, attività, oggetto o indirizzo, tra ciò che è caricato.",
  merchant: "Id dell’esercente",
  merchantHint: "Mostra invece il registro di questo esercente.",
  merchantForm: "Lettere, cifre, punti, trattini e trattini bassi, fino a 64.",
  count: (shown: number, loaded: number, isCut: boolean) => amongLoaded(shown, loaded, isCut, "voce", "voci", "Le prime"),
  as: "Accesso come",
  role: "Ruolo di allora",
  emptyTitle: "Nessuna voce",
  emptyText: "Le modifiche appaiono qui, e restano 400 giorni.",
};

import type { Catalogue } from "./en.ts";

export const shortcuts: Catalogue["shortcuts"] = {
  title: "Scorciatoie da tastiera",
  show: "Mostra questo aiuto",
  create: "Crea un nuovo elemento",
  filter: "Vai ai filtri",
  always: "In ogni pagina",
  next: "Vai al campo o al pulsante successivo",
  open: "Apri la riga, il pulsante o il link selezionato",
  close: "Chiudi ciò che è davanti alla pagina",
  tabs: "Cambia scheda",
  singleKeys: "Scorciatoie con un solo tasto",
  singleKeysHint: "Disattivale se detti il testo o se premi i tasti per errore. La scelta resta in questo browser.",
  keys: { Tab: "Tab", Enter: "Invio", Escape: "Esc", Ctrl: "Ctrl" },
};

import type { Catalogue } from "./en.ts";

export const terminals: Catalogue["terminals"] = {
  title: "Terminali",
  lead: "I tuoi terminali e il loro stato di connessione in questo momento.",
  count: (online, total) => `${online} di ${total} online`,
  terminal: "Terminale",
  status: "Connessione",
  statuses: { ONLINE: "Online", OFFLINE: "Offline", NEVER_CONNECTED: "Mai connesso" },
  lastSeen: "Ultimo contatto",
  now: "Adesso",
  model: "Modello",
  version: "Versione dell’app",
  group: "Gruppo",
  connection: "Tipo di connessione",
  connections: { WEBSOCKET: "Connessione diretta", POLLING: "Ogni pochi secondi" },
  connectedSince: "Connesso dal",
  lastResult: "Ultimo pagamento",
  noResult: "Nessun pagamento negli ultimi 31 giorni.",
  itsTransactions: "Mostra le sue transazioni",
  resultsAway: "Al momento gli ultimi pagamenti non sono disponibili. Le connessioni sono aggiornate.",
  offlineHelp:
    "Controlla che sia acceso e connesso alla rete. I pagamenti inviati adesso attendono un minuto e poi scadono, senza addebiti.",
  emptyTitle: "Ancora nessun terminale",
  emptyText: "I tuoi terminali compaiono qui appena il tuo fornitore te li assegna.",
  unknownTitle: "Terminale non trovato",
  unknownText: "Potrebbe essere assegnato a un altro esercente.",
};

import type { Words } from "./start.en.ts";

export const cluster: Words["cluster"] = {
  title: "Stato",
  lead: "I nodi di questa installazione e i loro dati complessivi.",
  nodes: "Nodi",
  node: "Nodo",
  state: "Stato",
  states: { live: "Attivo", draining: "In arresto", gone: "Assente" },
  version: "Versione",
  since: "Dal",
  terminals: "Terminali",
  queued: "In attesa",
  sent: "Senza esito",
  lapses: "Interruzioni",
  actions: "Azioni",
  drain: "Arresta",
  drainOf: (node: string) => `Arresta: ${node}`,
  drainTitle: (node: string) => `Arrestare ${node}?`,
  drainText:
    "Il nodo non accetta nuovo lavoro, cede i suoi terminali agli altri nodi, conclude le richieste e chiude le connessioni poco alla volta. Il processo termina al più tardi dopo circa 30 secondi. Nessun pagamento va perso.",
  drainBack: "Il gestore dei processi decide se riparte. Arresta un nodo alla volta: attendi che il precedente sia di nuovo attivo.",
  drains: (node: string) => `${node} è in arresto.`,
  lastNode: (node: string) =>
    `${node} è l’unico nodo attivo e non è stato arrestato. Nulla risponderebbe finché non si avvia un altro nodo.`,
  allowLast: "Arrestalo comunque",
  online: "Terminali online",
  offline: (count: string) => `${count} offline`,
  waiting: "Comandi aperti",
  queuedAndSent: (queued: string, sent: string) => `${queued} in attesa, ${sent} ancora senza esito`,
  approved: "Approvati oggi",
  declined: (count: string) => `Rifiutati: ${count}`,
  links: "Link aperti",
  linksEnded: (count: string) => `Conclusi oggi: ${count}`,
  outbox: "Righe in attesa per i report",
  oldest: (seconds: string) => `La più vecchia attende da ${seconds} s`,
  outboxUnknown: "Al momento il numero di righe in attesa per i report non è disponibile.",
  setAside: (count: number) =>
    count === 1
      ? "1 riga è stata rifiutata e manca nei report. Vedi «Da controllare»."
      : `${count} righe sono state rifiutate e mancano nei report. Vedi «Da controllare».`,
  endedToday: "Comandi conclusi oggi",
  endedHint: "Per esito. Gli ultimi secondi prima di un arresto improvviso possono mancare.",
  noneEnded: "Ancora nessuno.",
  commands: "Comandi",
};

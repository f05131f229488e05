import type { Words } from "./start.en.ts";

export const attention: Words["attention"] = {
  title: "Da controllare",
  lead: "Problemi che richiedono una persona: che cosa è successo e che cosa fare.",
  refresh: "Aggiorna",
  byKind: "Per tipo",
  kind: "Tipo",
  order: "Ordine",
  newest: "Prima i più recenti",
  oldest: "Prima i più vecchi",
  time: "Ora",
  terminal: "Terminale",
  uuid: "Id del pagamento",
  detail: "Dettagli",
  since: (time: string) => `Il più vecchio: ${time}`,
  count: (count: number) => (count === 1 ? "1 voce" : `${count} voci`),
  cut: (count: number) => `Ce ne sono più delle ${count} mostrate qui. Scegli un tipo, risolvi le sue voci, poi ricarica la pagina.`,
  whatToDo: "Che cosa fare:",
  searchIt: "Cerca questo pagamento",
  itsTerminal: "Apri il terminale",
  done: "Fatto: rimuovi voce",
  doneTitle: "Rimuovere questa voce?",
  doneText: "Non cambia nient’altro. Il registro attività indica che l’hai rimossa. Se succede di nuovo, la voce ritorna.",
  isDone: "La voce è stata rimossa.",
  raw: "Dati ricevuti",
  rawHint: "I numeri di carta sono mascherati.",
  goes: "Le voci restano 90 giorni. Una voce sparisce prima se la causa si risolve automaticamente.",
  emptyTitle: "Nulla da controllare",
  emptyText: "Tutti i pagamenti hanno un esito chiaro. I problemi compaiono qui appena vengono rilevati.",
  kinds: {
    unknown: {
      title: "Esito sconosciuto",
      means: "Un comando è stato inviato a un terminale, ma non è arrivato alcun esito. Il cliente potrebbe aver pagato.",
      todo: "Controlla il giornale del terminale o chiedi al negozio prima che qualcuno addebiti di nuovo. La voce sparisce da sola quando arriva l’esito.",
    },
    unsolicited: {
      title: "Esito non richiesto",
      means:
        "Un terminale ha inviato un esito per cui il relay non ha alcun comando: un pagamento avviato sul terminale stesso, o un uuid sconosciuto.",
      todo: "Confrontalo con la cassa del negozio. Se il negozio ha inserito il pagamento a mano, non devi fare nulla. Altrimenti scopri chi altro invia comandi a questo terminale.",
    },
    unreadable: {
      title: "Esito illeggibile",
      means: "Un terminale ha inviato un esito illeggibile. Il pagamento di quel momento potrebbe essere andato a buon fine.",
      todo: "Leggi i dati ricevuti qui sotto. Trova l’esito sul terminale e informa il negozio. Segnala la versione dell’app al produttore.",
    },
    conflict: {
      title: "Due esiti diversi",
      means: "Per un pagamento sono arrivati due esiti diversi. Vale il primo. Il secondo è mostrato qui.",
      todo: "Confronta entrambi con il giornale del terminale. Se è corretto il secondo, correggi la cassa a mano: il relay non modifica un esito già comunicato.",
    },
    amount_differs: {
      title: "Importo diverso",
      means: "Il terminale ha incassato qualcosa di diverso dalla richiesta: un altro importo, o lo stesso numero in un’altra valuta.",
      todo: "Controlla la ricevuta: una mancia o un’approvazione parziale possono spiegarlo. Altrimenti chiedi al negozio di rimborsare o addebitare la differenza.",
    },
    currency_unknown: {
      title: "Valuta sconosciuta",
      means: "Un esito contiene un codice di valuta che non esiste. È conservato come è arrivato.",
      todo: "Controlla le impostazioni del terminale e correggi la configurazione dell’app. L’importo stesso è conservato.",
    },
    late: {
      title: "Esito in ritardo",
      means: "Un esito è arrivato dopo che il comando risultava scaduto o annullato. La cassa potrebbe aver proseguito senza.",
      todo: "Se è approvato, il cliente ha pagato. Chiedi al negozio se ha addebitato due volte e, in tal caso, di rimborsare un pagamento.",
    },
    link_late: {
      title: "Link pagato in ritardo",
      means: "Un link di pagamento è stato pagato dopo che risultava scaduto o fallito.",
      todo: "Informa l’esercente che il pagamento è stato incassato. L’esercente evade l’ordine o lo rimborsa.",
    },
    link_unverified: {
      title: "Link non verificato",
      means: "Un link è scaduto, ma il gateway non risponde se è stato pagato.",
      todo: "Controlla il conto gateway del partner o dell’esercente, e se il gateway è raggiungibile. La voce sparisce quando il gateway risponde.",
    },
    link_operation_unknown: {
      title: "Conferma, storno o rimborso incerto",
      means: "La risposta a una conferma, uno storno o un rimborso è andata persa, e il gateway non ne conferma l’esecuzione.",
      todo: "Cerca la transazione nel back office del gateway prima che qualcuno la ripeta. Il denaro potrebbe essersi già mosso.",
    },
    link_reversal: {
      title: "Pagamento senza ordine",
      means: "Un link è stato pagato per un ordine annullato o già pagato.",
      todo: "I dettagli indicano se il relay rimborsa il pagamento. Altrimenti rimborsalo a mano nel back office del gateway.",
    },
    link_paid_twice: {
      title: "Link pagato due volte",
      means: "Un link di pagamento del portale è stato pagato due volte: il cliente ha pagato il doppio.",
      todo: "L’esercente rimborsa uno dei pagamenti nel portale. Se non avviene entro un giorno, chiama l’esercente.",
    },
    dispute_undelivered: {
      title: "Risposta a una contestazione non consegnata",
      means: "La risposta a una contestazione non è arrivata al circuito, o non è noto se sia arrivata.",
      todo: "Chiedi al circuito o all’acquirer se l’ha ricevuta, se possibile prima della scadenza. Poi informa l’esercente.",
    },
    alert_refund_failed: {
      title: "Rimborso di un avviso fallito",
      means: "Il rimborso automatico di un avviso è stato rifiutato. L’esercente deve decidere di nuovo.",
      todo: "I dettagli indicano il motivo. Informa l’esercente: deve rimborsare o rifiutare l’avviso prima della scadenza, altrimenti diventa una contestazione.",
    },
    alert_refund_unknown: {
      title: "Rimborso di un avviso incerto",
      means: "La risposta al rimborso di un avviso è andata persa, e il gateway non ne conferma l’esecuzione.",
      todo: "Cerca la transazione nel back office del gateway prima che qualcuno la ripeta. Il denaro potrebbe essersi già mosso.",
    },
    alert_refunded_twice: {
      title: "Avviso rimborsato due volte",
      means: "Un pagamento è stato rimborsato per un avviso già chiuso in altro modo. Anche il circuito potrebbe aver pagato il cliente.",
      todo: "Chiedi al circuito se ha pagato anche il cliente. In tal caso l’esercente ha pagato due volte e può chiedere lì la restituzione.",
    },
    subscription_unknown: {
      title: "Addebito di abbonamento sconosciuto",
      means:
        "Da un giorno non è noto se il cliente di un abbonamento è stato addebitato. Finché non lo è, non vengono richiesti altri pagamenti.",
      todo: "Cerca l’addebito presso il fornitore che conserva la carta. La voce sparisce quando l’esito è noto.",
    },
    subscription_late: {
      title: "Abbonamento pagato in ritardo",
      means: "Un pagamento è arrivato dopo che il suo abbonamento era stato sospeso o annullato.",
      todo: "L’esercente tiene il pagamento o lo rimborsa. Se l’esercente non ne sa nulla, chiamalo.",
    },
    subscription_paid_twice: {
      title: "Abbonamento pagato due volte",
      means: "Un periodo di un abbonamento è stato pagato due volte: il cliente ha pagato il doppio.",
      todo: "L’esercente rimborsa uno dei pagamenti. Se non avviene entro un giorno, chiama l’esercente.",
    },
    feed_refused: {
      title: "Riga rifiutata dai report",
      means: "ClickHouse o Kafka hanno rifiutato una riga, che manca nei report e negli elenchi. Le risposte del relay la contengono.",
      todo: "Rimuovi la causa, poi esegui «npm run rebuild-analytics». La voce sparisce quando la riga è stata accettata.",
    },
    clickhouse_damaged: {
      title: "ClickHouse è danneggiato",
      means:
        "ClickHouse non riesce a leggere una parte di una tabella, o l’ha messa da parte. Le sue righe mancano nei report e negli elenchi, o questi non funzionano. I pagamenti non ne risentono.",
      todo: "Segui il runbook RelayClickHouseDamaged: elimina la parte, poi esegui «npm run rebuild-analytics». Questo rimuove la voce.",
    },
    store_lost_commits: {
      title: "L’archivio ha perso pagamenti",
      means:
        "L’archivio è ripartito senza modifiche che aveva confermato. Il relay potrebbe non conoscere i pagamenti del periodo indicato nella voce. Se un pagamento viene inviato di nuovo, il cliente è addebitato due volte.",
      todo: "Segui subito il runbook RelayStoreLostCommits: ferma i pagamenti ripetuti di quel periodo, poi confronta terminali e report con il relay.",
    },
    zvt_undelivered: {
      title: "Cassa non avvisata",
      means:
        "Un pagamento di una cassa è stato approvato, ma la cassa non ha ricevuto l’esito. Potrebbe essere passata alla vendita successiva.",
      todo: "Informa il negozio che il cliente ha pagato. Controlla la connessione tra cassa e relay.",
    },
    zvt_refused_by_ecr: {
      title: "Esito rifiutato dalla cassa",
      means: "Una cassa non ha accettato il messaggio di pagamento approvato. La carta è stata addebitata.",
      todo: "Informa il negozio che la vendita è pagata, o va rimborsata. Informa il produttore della cassa.",
    },
  },
};

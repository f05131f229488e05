import type { Words } from "./en.ts";

export const attention: Words["attention"] = {
  title: "Da controllare",
  lead: "Che cosa deve guardare una persona, che cosa significa e che cosa fare.",
  refresh: "Aggiorna",
  byKind: "Per tipo",
  kind: "Tipo",
  order: "Ordine",
  newest: "Prima i più recenti",
  oldest: "Prima i più vecchi",
  time: "Ora",
  terminal: "Terminale",
  uuid: "Id del pagamento",
  detail: "Che cosa si sa",
  since: (time: string) => `Il più vecchio: ${time}`,
  count: (count: number) => (count === 1 ? "1 voce" : `${count} voci`),
  cut: (count: number) => `Ce ne sono più delle ${count} mostrate qui: lavora su un tipo, poi ricarica la pagina.`,
  whatToDo: "Che cosa fare:",
  searchIt: "Cerca questo pagamento",
  itsTerminal: "Il suo terminale",
  done: "Fatto: rimuovi la voce",
  doneTitle: "Rimuovere questa voce?",
  doneText: "Non cambia nient’altro. Che l’hai fatto è nel registro delle attività. Se succede di nuovo, la voce ritorna.",
  isDone: "La voce è rimossa.",
  raw: "Che cosa è stato inviato",
  rawHint: "I numeri di carta sono mascherati.",
  goes: "Le voci restano 90 giorni. Se la causa può sparire, spariscono con essa; le altre restano da consultare.",
  emptyTitle: "Niente da controllare",
  emptyText: "Ogni pagamento ha un esito su cui tutti concordano.",
  kinds: {
    unknown: {
      title: "Esito sconosciuto",
      means: "Un comando è stato consegnato a un terminale e non è arrivato alcun esito. Il cliente potrebbe aver pagato.",
      todo: "Guarda il giornale del terminale o chiedi al negozio prima che qualcuno addebiti di nuovo. La voce sparisce da sola quando arriva l’esito.",
    },
    unsolicited: {
      title: "Esito non richiesto",
      means:
        "Un terminale ha inviato un esito per cui il relay non ha alcun comando: un pagamento iniziato sul terminale stesso, o un uuid che non è nostro.",
      todo: "Confrontalo con la cassa del negozio. Se lo ha fatto il negozio a mano, non c’è nulla da fare; altrimenti scopri chi altro invia a questo terminale.",
    },
    unreadable: {
      title: "Esito illeggibile",
      means:
        "Un terminale ha inviato qualcosa da cui non si capisce l’esito. Il pagamento di quel momento potrebbe essere andato a buon fine.",
      todo: "Leggi che cosa è stato inviato, qui sotto. Trova l’esito sul terminale, informa il negozio e segnala la versione dell’app a chi la produce.",
    },
    conflict: {
      title: "Due esiti diversi",
      means: "Per un pagamento sono arrivati due esiti diversi. Vale il primo; il secondo è conservato qui.",
      todo: "Confronta entrambi con il giornale del terminale. Se è vero il secondo, correggi la cassa a mano: il relay non cambia ciò che ha detto.",
    },
    amount_differs: {
      title: "Importo diverso",
      means: "È stato incassato altro da ciò che era richiesto: un importo diverso, o lo stesso numero in un’altra valuta.",
      todo: "Controlla lo scontrino: una mancia o un’approvazione parziale lo spiegano. Altrimenti chiedi al negozio di rimborsare o addebitare la differenza.",
    },
    currency_unknown: {
      title: "Valuta sconosciuta",
      means: "Un esito indica una valuta che non esiste. È conservata come è arrivata.",
      todo: "Controlla le impostazioni del terminale e correggi la configurazione dell’app. L’importo è conservato.",
    },
    late: {
      title: "Esito in ritardo",
      means: "Un esito è arrivato dopo che il comando era stato dato per scaduto o annullato: la cassa potrebbe aver proseguito senza.",
      todo: "Se è approvato, il cliente ha pagato: chiedi al negozio se ha addebitato due volte, e fai rimborsare uno dei due.",
    },
    link_late: {
      title: "Link pagato in ritardo",
      means: "Un link di pagamento è stato pagato dopo che era stato dato per scaduto o fallito.",
      todo: "Informa l’esercente che il denaro c’è: consegni, o rimborsi il pagamento.",
    },
    link_unverified: {
      title: "Link non verificato",
      means: "Un link è scaduto e non si può chiedere al gateway se è stato pagato.",
      todo: "Controlla il conto gateway del partner o dell’esercente, e se il gateway è raggiungibile. La voce sparisce quando il gateway risponde.",
    },
    link_operation_unknown: {
      title: "Conferma, storno o rimborso incerto",
      means: "La risposta a una conferma, uno storno o un rimborso è andata persa, e il gateway non conferma che sia avvenuto.",
      todo: "Cerca la transazione nel back office del gateway prima che qualcuno ripeta: il denaro potrebbe essersi mosso.",
    },
    link_reversal: {
      title: "Pagamento senza ordine",
      means: "Un link è stato pagato per un ordine annullato o già pagato.",
      todo: "Il dettaglio dice se il relay restituisce il denaro. Se no, rimborsalo a mano nel back office del gateway.",
    },
    link_paid_twice: {
      title: "Link pagato due volte",
      means: "Un link di pagamento del portale è stato pagato una seconda volta: il cliente ha pagato il doppio.",
      todo: "Il suo esercente restituisce uno dei pagamenti nel portale. Se entro un giorno nessuno lo fa, chiama l’esercente.",
    },
    dispute_undelivered: {
      title: "Risposta a una contestazione non consegnata",
      means: "La risposta a una contestazione non è arrivata al circuito, o non si sa se sia arrivata.",
      todo: "Chiedi al circuito o all’acquirer se l’ha ricevuta, prima della scadenza se è ancora possibile, e informa l’esercente.",
    },
    alert_refund_failed: {
      title: "Rimborso di un avviso fallito",
      means: "Il rimborso automatico di un avviso è stato rifiutato. L’avviso attende di nuovo l’esercente.",
      todo: "Il dettaglio dice perché. Informa l’esercente: rimborsi o rifiuti prima della scadenza, altrimenti diventa una contestazione.",
    },
    alert_refund_unknown: {
      title: "Rimborso di un avviso incerto",
      means: "La risposta al rimborso di un avviso è andata persa, e il gateway non conferma che sia avvenuto.",
      todo: "Cerca la transazione nel back office del gateway prima che qualcuno ripeta: il denaro potrebbe essersi mosso.",
    },
    alert_refunded_twice: {
      title: "Avviso rimborsato due volte",
      means: "Un pagamento è stato rimborsato per un avviso chiuso in altro modo: anche il circuito potrebbe aver pagato il cliente.",
      todo: "Chiedi al circuito se ha mosso anche lui il denaro. Se sì, l’esercente ha pagato due volte e può reclamarlo lì.",
    },
    subscription_unknown: {
      title: "Addebito di abbonamento sconosciuto",
      means: "Da un giorno nessuno dice se il cliente di un abbonamento è stato addebitato. Finché non si sa, non viene chiesto altro.",
      todo: "Cerca l’addebito dove è conservata la carta. La voce sparisce quando l’esito è noto.",
    },
    subscription_late: {
      title: "Abbonamento pagato in ritardo",
      means: "Un pagamento è arrivato dopo che il suo abbonamento era stato sospeso o annullato.",
      todo: "Il suo esercente tiene il pagamento o lo restituisce. Se l’esercente non ne sa nulla, chiamalo.",
    },
    subscription_paid_twice: {
      title: "Abbonamento pagato due volte",
      means: "Un ciclo di un abbonamento è stato pagato una seconda volta: il cliente ha pagato il doppio.",
      todo: "Il suo esercente restituisce uno dei pagamenti. Se entro un giorno nessuno lo fa, chiama l’esercente.",
    },
    feed_refused: {
      title: "Riga rifiutata dai report",
      means: "ClickHouse o Kafka hanno rifiutato una riga: ai report e agli elenchi manca. Le risposte del relay la contengono.",
      todo: "Rimuovi la causa, poi esegui «npm run rebuild-analytics». La voce sparisce quando la riga è stata accettata.",
    },
    clickhouse_damaged: {
      title: "ClickHouse è danneggiato",
      means:
        "ClickHouse non riesce a leggere una parte di una tabella, o l’ha messa da parte: ai report e agli elenchi mancano le sue righe, o non funzionano. I pagamenti non ne risentono.",
      todo: "Segui il runbook RelayClickHouseDamaged: elimina la parte, poi esegui «npm run rebuild-analytics», che rimuove la voce.",
    },
    store_lost_commits: {
      title: "L’archivio ha perso pagamenti",
      means:
        "L’archivio è tornato senza modifiche che aveva confermato. I pagamenti del periodo indicato possono essere sconosciuti al relay: lo stesso pagamento inviato di nuovo verrebbe addebitato due volte.",
      todo: "Segui subito il runbook RelayStoreLostCommits: ferma i pagamenti ripetuti di quel periodo, poi confronta terminali e report con il relay.",
    },
    zvt_undelivered: {
      title: "Cassa non avvisata",
      means:
        "Un pagamento di una cassa è stato approvato e la cassa non è stata avvisata. Potrebbe essere passata alla vendita successiva.",
      todo: "Informa il negozio: il cliente ha pagato. Controlla la connessione tra cassa e relay.",
    },
    zvt_refused_by_ecr: {
      title: "Risposta rifiutata dalla cassa",
      means: "Una cassa non ha accettato il messaggio che il suo pagamento è approvato. La carta è stata addebitata.",
      todo: "Informa il negozio: la vendita è pagata, o va rimborsata. Informa il produttore della cassa.",
    },
  },
};

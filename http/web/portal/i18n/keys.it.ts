import type { Catalogue } from "./en.ts";

export const keys: Catalogue["keys"] = {
  title: "Chiavi API",
  lead: "I tuoi programmi, per esempio un negozio online, le usano per incassare a tuo nome.",
  present: "Le tue chiavi",
  publishable: "Chiave pubblica",
  publishableText: "Per le pagine del tuo negozio. È pubblica e può soltanto avviare un pagamento.",
  secret: "Chiave segreta",
  secretText: "Solo per i tuoi server. Dà accesso completo alle API. È stata mostrata per intero una volta sola, alla creazione.",
  since: "Creata",
  notKept: "Queste chiavi funzionano, ma sono troppo vecchie per essere mostrate qui. Se crei una nuova coppia, viene mostrata.",
  pending: (at: string, until: string) =>
    `Il tuo fornitore di pagamenti ha richiesto nuove chiavi ${at}. Sostituiranno la coppia attuale ${until}, se non le rifiuti. Se non te le aspettavi, rifiutale e contatta il fornitore.`,
  confirmPending: "Usale subito",
  confirmPendingTitle: "Usare subito le nuove chiavi?",
  confirmPendingText:
    "La coppia attuale smette subito di funzionare. I programmi che la usano non possono incassare finché non hanno le nuove chiavi.",
  refusePending: "Rifiutale",
  refusePendingTitle: "Rifiutare le nuove chiavi?",
  refusePendingText:
    "La coppia attuale resta valida e le nuove chiavi non funzioneranno. Il tuo fornitore di pagamenti può richiederne altre.",
  replace: "Crea una nuova coppia",
  replaceTitle: "Creare una nuova coppia di chiavi?",
  leaked: "Qualcun altro potrebbe avere le chiavi attuali",
  leakedText:
    "Termina anche tutto ciò che è stato creato con la chiave segreta: i token degli agenti AI e i webhook, che puoi riattivare. Altrimenti restano attivi e ne vedi l’elenco.",
  madeByKey: "Creati con la chiave segreta precedente",
  madeByKeyText: "Termina tutto ciò che non riconosci. Se riattivi un webhook terminato, puoi inviare di nuovo ciò che non ha ricevuto.",
  madeWebhook: (host: string) => `Webhook verso ${host}:`,
  madeAgent: (last4: string) => `Token di un agente AI che termina con ${last4}:`,
  madeEnded: "terminato",
  endMade: "Termina",
  madeGoesOn: "ancora attivo",
  madeUnsure: "origine non registrata; controllalo",
  noneYet: (environment: string) =>
    `Non ci sono ancora chiavi per ${environment}. Crea una coppia: le chiavi dell’altro ambiente qui non valgono.`,
  otherTitle: (environment: string) => `Chiavi per ${environment}`,
  otherHint: "Accedono solo ai dati del proprio ambiente.",
  replaceOther: (environment: string) => `Crea una nuova coppia per ${environment}`,
  firstText: (environment: string) =>
    `Crea la prima coppia per ${environment}. Le altre chiavi non cambiano. Tutti i titolari vengono avvisati per e-mail.`,
  replaceText: "Da fare se le chiavi sono andate perse o se qualcun altro potrebbe averle. La coppia attuale smette subito di funzionare:",
  breaks: [
    "Negozi online e casse che la usano non possono incassare finché non hanno le nuove chiavi.",
    "Le pagine con la chiave pubblica attuale non mostrano più il modulo di pagamento.",
    "I pagamenti in corso non ne risentono. Tutti i titolari vengono avvisati per e-mail.",
  ],
  madeTitle: "Le tue nuove chiavi",
  madeText: "Copia ora la chiave segreta: non verrà più mostrata. La coppia precedente non funziona più.",
  copySecret: "Copia chiave segreta",
  download: "Scarica entrambe",
  saved: "Ho conservato la chiave segreta in un posto sicuro",
  fileName: "chiavi-api.txt",
  fileHead: (merchant: string) => `Chiavi API di ${merchant}`,
};

export const compatibleApi: Catalogue["compatibleApi"] = {
  title: "API compatibile",
  hint: "Per software creato per la piattaforma compatibile.",
  version: "Versione predefinita",
  versionHint: (version: string) =>
    `Usata per le richieste e gli endpoint webhook che non indicano una versione. Ora: ${version}. Lascia vuoto per la più recente.`,
  saveVersion: "Salva versione",
  schemes: "App a cui tornano i clienti",
  schemesHint:
    "Inserisci la prima parte dell’indirizzo di ogni app, separate da virgole: per myapp://back inserisci myapp. Gli indirizzi web non servono.",
  saveSchemes: "Salva app",
  saved: "Le impostazioni sono salvate.",
};

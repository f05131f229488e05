import type { Catalogue } from "./en.ts";

export const keys: Catalogue["keys"] = {
  title: "Chiavi API",
  lead: "Con queste i tuoi programmi, per esempio un negozio online, incassano a tuo nome.",
  present: "Le tue chiavi",
  publishable: "Chiave pubblica",
  publishableText: "Per le pagine del tuo negozio. È pubblica e può soltanto iniziare un pagamento.",
  secret: "Chiave segreta",
  secretText:
    "Solo per i tuoi server: può fare tutto ciò che i tuoi programmi possono. È stata mostrata intera una volta, quando è stata creata.",
  since: "Creata",
  notKept: "Queste chiavi sono di prima che il portale conservasse ciò che può mostrarne. Funzionano; una nuova coppia si potrà mostrare.",
  pending: (at: string, until: string) =>
    `Chi ti fornisce il servizio di pagamento ha chiesto nuove chiavi ${at}. Sostituiranno la coppia attuale ${until}, se non le rifiuti. Se non te le aspettavi, rifiutale e chiedi spiegazioni.`,
  confirmPending: "Usale subito",
  confirmPendingTitle: "Usare subito le nuove chiavi?",
  confirmPendingText:
    "La coppia attuale smette subito di funzionare. I programmi che la usano non incassano finché non ricevono le nuove chiavi.",
  refusePending: "Rifiutale",
  refusePendingTitle: "Rifiutare le nuove chiavi?",
  refusePendingText:
    "La coppia attuale resta valida e le nuove chiavi non funzioneranno mai. Chi ti fornisce il servizio di pagamento può chiederne altre.",
  replace: "Crea una nuova coppia",
  replaceTitle: "Creare una nuova coppia di chiavi?",
  leaked: "Qualcun altro potrebbe avere le chiavi attuali",
  leakedText:
    "Allora termina anche tutto ciò che la chiave segreta ha creato: i token degli agenti IA e i webhook, che puoi riattivare. Altrimenti resta attivo e ne vedi l’elenco.",
  madeByKey: "Creati con la chiave segreta precedente",
  madeByKeyText:
    "Termina ciò che non riconosci. Ciò che non è stato consegnato a un webhook terminato si può inviare di nuovo dopo averlo riattivato.",
  madeWebhook: (host: string) => `Webhook verso ${host}:`,
  madeAgent: (last4: string) => `Token di un agente IA che termina con ${last4}:`,
  madeEnded: "terminato",
  endMade: "Termina",
  madeGoesOn: "ancora attivo",
  madeUnsure: "anteriore a questa registrazione; controllalo",
  noneYet: (environment: string) =>
    `Non ci sono ancora chiavi per ${environment}. Crea una nuova coppia: le chiavi dell’altro ambiente non valgono per questo.`,
  otherTitle: (environment: string) => `Chiavi per ${environment}`,
  otherHint: "Raggiungono solo ciò che è stato creato nel loro ambiente.",
  replaceOther: (environment: string) => `Crea una nuova coppia per ${environment}`,
  firstText: (environment: string) =>
    `La prima coppia per ${environment}. Le altre chiavi restano come sono. Tutti i titolari vengono avvisati per e-mail.`,
  replaceText: "Per chiavi andate perse, o che qualcun altro potrebbe avere. La coppia attuale smette subito di funzionare:",
  breaks: [
    "Negozi online e casse che la usano non incassano finché non ricevono le nuove chiavi.",
    "Le pagine con la chiave pubblica attuale non mostrano più il modulo di pagamento.",
    "I pagamenti in corso non ne risentono. Tutti i titolari vengono avvisati per e-mail.",
  ],
  madeTitle: "Le tue nuove chiavi",
  madeText: "Copia ora la chiave segreta: non si può mostrare di nuovo. La coppia precedente non funziona più.",
  copySecret: "Copia la chiave segreta",
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
    `Delle richieste e degli endpoint webhook che non ne indicano una. Ora: ${version}. Nessuna richiesta la cambia. Lasciala vuota per la più recente.`,
  saveVersion: "Salva la versione",
  schemes: "App a cui tornano i clienti",
  schemesHint:
    "L’inizio degli indirizzi delle tue app, come myapp di myapp://back, separati da virgole. Gli indirizzi web non ne hanno bisogno.",
  saveSchemes: "Salva le app",
  saved: "Le impostazioni sono salvate.",
};

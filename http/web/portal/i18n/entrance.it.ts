import type { Catalogue } from "./en.ts";
import { dated } from "./italian.ts";

export const signIn: Catalogue["signIn"] = {
  title: "Accedi",
  lead: "al portale esercenti",
  submit: "Accedi",
  passkey: "Accedi con una passkey",
  or: "oppure",
  forgot: "Password dimenticata?",
  passkeyFailed: "La passkey non è stata accettata, oppure l’operazione è stata annullata. Riprova.",
  tagline: "Ogni pagamento di ogni terminale, nel momento in cui avviene.",
};

export const secondFactor: Catalogue["secondFactor"] = {
  title: "Secondo fattore",
  lead: (email) => `Accesso come ${email}`,
  submit: "Continua",
  withPasskey: "Usa una passkey",
  withRecovery: "Usa un codice di recupero",
  withCode: "Usa l’app di autenticazione",
  other: "Usa un altro account",
};

export const stepUp: Catalogue["stepUp"] = {
  title: "Conferma la tua identità",
  text: "Per questa modifica inserisci di nuovo il secondo fattore.",
  confirm: "Conferma",
  passkey: "Usa una passkey",
};

export const enrol: Catalogue["enrol"] = {
  title: "Proteggi il tuo account",
  lead: "Per usare il portale serve un secondo fattore. Si configura una volta sola, in un minuto.",
  app: "App di autenticazione",
  passkey: "Passkey",
  step1: "Inquadra questo codice QR con l’app di autenticazione",
  step1Hint: "Va bene qualsiasi app che genera codici a tempo.",
  qrAlt: "Codice QR per l’app di autenticazione; la stessa chiave è sotto come testo",
  cannotScan: "Oppure inserisci questa chiave nell’app",
  step2: "Inserisci il codice mostrato dall’app",
  confirm: "Conferma",
  passkeyText:
    "Usa l’impronta, il volto, il PIN del dispositivo o una chiave di sicurezza. Non c’è nulla da digitare, e resiste al phishing.",
  passkeyName: "Nome della passkey",
  passkeyNameHint: "Per riconoscerla in seguito, ad esempio «Portatile dell’ufficio».",
  passkeyDefault: "Il mio dispositivo",
  addPasskey: "Crea una passkey",
  passkeyFailed: "La passkey non è stata creata: l’operazione è stata annullata. Riprova.",
};

export const recovery: Catalogue["recovery"] = {
  title: "Salva i codici di recupero",
  text: "Se perdi il telefono o la passkey, puoi accedere con uno di questi codici. Ognuno vale una volta sola. Vengono mostrati soltanto ora.",
  copy: "Copia",
  download: "Scarica",
  print: "Stampa",
  saved: "Li ho salvati in un posto sicuro",
  done: "Continua",
  fileName: "codici-di-recupero.txt",
  fileHead: (email) => `Codici di recupero del portale esercenti per ${email}`,
  list: "Codici di recupero",
};

export const invitation: Catalogue["invitation"] = {
  title: "Hai ricevuto un invito",
  lead: (merchant, role) => `${merchant} ti invita con il ruolo ${role}.`,
  newAccount: "Scegli una password per il tuo nuovo account.",
  hasAccount: "Hai già un account. Inserisci la sua password per accettare.",
  until: (time) => `L’invito scade ${dated("il", time)}.`,
  submit: "Accetta l’invito",
  goneTitle: "Questo invito non è più valido",
  goneText: "È già stato usato, è stato ritirato oppure è scaduto. Chiedi a chi ti ha invitato di inviarlo di nuovo.",
  missing: "Apri di nuovo il link che hai ricevuto per e-mail: l’indirizzo di questa pagina non lo contiene più.",
  toSignIn: "Vai all’accesso",
};

export const forgot: Catalogue["forgot"] = {
  title: "Reimposta la password",
  lead: "Inserisci il tuo indirizzo e-mail. Se corrisponde a un account, ti inviamo un link.",
  submit: "Invia il link",
  sentTitle: "Controlla la posta",
  sentText: (email) => `Se ${email} corrisponde a un account, riceverai un link. Vale una volta sola, per un’ora.`,
  back: "Torna all’accesso",
};

export const reset: Catalogue["reset"] = {
  title: "Scegli una nuova password",
  lead: "Tutte le tue sessioni verranno chiuse. Il secondo fattore non cambia.",
  submit: "Imposta la password",
  done: "La password è stata cambiata. Accedi con quella nuova.",
  goneTitle: "Questo link non è più valido",
  goneText: "È già stato usato o è scaduto. Richiedine uno nuovo.",
  again: "Richiedi un nuovo link",
};

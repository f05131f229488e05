import type { Words } from "./start.en.ts";

export const amongLoaded = (shown: number, loaded: number, isCut: boolean, one: string, many: string, first: string): string => {
  const what = shown === 1 ? one : many;
  if (!isCut) return `${shown} ${what}`;
  return shown === loaded ? `${first} ${shown} ${many}` : `${shown} ${what} su ${loaded} caricati`;
};

export const app: Words["app"] = { sandbox: "SANDBOX: nessun denaro reale" };

export const nav: Words["nav"] = {
  work: "Ogni giorno",
  fleet: "Terminali e partner",
  relay: "Relay",
  attention: "Da controllare",
  search: "Ricerca",
  terminals: "Terminali",
  fleetPage: "Azioni sui terminali",
  rollouts: "Aggiornamenti",
  partners: "Partner",
  merchants: "Esercenti",
  cluster: "Stato",
  machines: "Token per programmi",
  audit: "Attività",
  mails: "E-mail",
  account: "Il mio account",
};

export const roles: Words["roles"] = { owner: "Proprietario", operator: "Operatore", "read-only": "Sola lettura" };

export const roleRights: Words["roleRights"] = {
  "read-only": ["Vedere terminali, pagamenti, partner, esercenti, nodi e il registro attività"],
  operator: [
    "Inviare pagamenti e comandi ai terminali, configurarli, ammetterli e bloccarli",
    "Caricare le versioni dell’app e distribuirle",
    "Registrare contestazioni e avvisi, inviare di nuovo webhook e callback, rimuovere le voci da controllare",
    "Attivare e disattivare i partner, limitare le chiamate degli esercenti, arrestare i nodi, vedere l’elenco delle e-mail",
  ],
  owner: [
    "Gestire gli amministratori, le loro password e i loro secondi fattori, e i token per programmi",
    "Gestire i partner, le loro chiavi e i loro limiti, e l’account del gateway",
    "Invitare e rimuovere gli utenti del portale degli esercenti, azzerarne i secondi fattori, leggere le e-mail",
  ],
};

export const entrance: Words["entrance"] = {
  username: "Nome",
  forgotten:
    "Password dimenticata? Un altro proprietario può impostarne una nuova. La password del proprietario configurato è nella configurazione.",
};

export const lists: Words["lists"] = {
  noMatchTitle: "Nessun risultato",
  noMatch: "Modifica o rimuovi un filtro.",
  noMatchSoFar: "Nessun risultato tra gli elementi caricati. Caricane altri o modifica un filtro.",
};

export const account: Words["account"] = {
  title: "Il mio account",
  lead: (name: string, role: string) => `Accesso come ${name}. Ruolo: ${role}`,
  preferencesHint: "Salvato in questo browser.",
  passwordText: "Dal prossimo accesso vale la nuova password, qui e nelle API.",
  configured: "La password di questo proprietario è nella configurazione (RELAY_ADMIN_PASSWORD). Si può cambiare solo lì.",
};

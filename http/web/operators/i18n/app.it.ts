import type { Words } from "./en.ts";

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

export const entrance: Words["entrance"] = {
  username: "Nome",
  forgotten:
    "Password dimenticata? Un altro proprietario ne imposta una nuova. Quella del proprietario di configurazione sta nella configurazione.",
};

export const lists: Words["lists"] = {
  noMatchTitle: "Nessuna corrispondenza",
  noMatch: "Nessun elemento è così.",
  noMatchSoFar: "Nessuno degli elementi caricati è così. Ce ne sono altri: caricali.",
};

export const account: Words["account"] = {
  title: "Il mio account",
  lead: (name: string, role: string) => `Accesso come ${name}. Ruolo: ${role}`,
  preferencesHint: "Conservato in questo browser.",
  passwordText: "Il prossimo accesso chiede quella nuova, qui e tramite l’interfaccia.",
  configured: "La password di questo proprietario sta nella configurazione (RELAY_ADMIN_PASSWORD), e si cambia solo lì.",
};

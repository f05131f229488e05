import { start as portal } from "../../portal/i18n/start.it.ts";
import { account, app, entrance, lists, nav, roleRights, roles } from "./app.it.ts";
import { attention } from "./attention.it.ts";
import { audit } from "./audit.it.ts";
import { cluster } from "./cluster.it.ts";
import { fleet } from "./fleet.it.ts";
import { machines } from "./machines.it.ts";
import { mails } from "./mails.it.ts";
import { merchants } from "./merchants.it.ts";
import { partners } from "./partners.it.ts";
import { rollouts } from "./rollouts.it.ts";
import { search } from "./search.it.ts";
import type { Words } from "./start.en.ts";
import { terminals } from "./terminals.it.ts";

/** Le parole dei componenti del portale, come le dicono queste pagine. */
export const common: typeof portal = {
  ...portal,
  app: {
    ...portal.app,
    name: "Operazioni",
    brokenText: "Ricarica la pagina. Se l’errore si ripete, controlla il log del relay.",
  },
  errors: {
    ...portal.errors,
    invalid_login: "Il nome o la password non sono corretti. Controllali e riprova.",
    forbidden: "Il tuo ruolo non lo consente. Chiedi a un proprietario.",
  },
  signIn: { ...portal.signIn, lead: "per gestire questo relay", tagline: "Ogni terminale, ogni pagamento, ogni nodo." },
  secondFactor: { ...portal.secondFactor, lead: (name: string) => `Accesso come ${name}` },
  enrol: {
    ...portal.enrol,
    lead: "Su queste pagine ogni amministratore ha bisogno di un secondo fattore. Si configura una volta sola, in un minuto.",
  },
  recovery: {
    ...portal.recovery,
    fileName: "codici-di-recupero-relay.txt",
    fileHead: (name: string) => `Codici di recupero dell’amministratore ${name} del relay`,
  },
};

export const it: Words = {
  app,
  nav,
  roles,
  roleRights,
  entrance,
  attention,
  search,
  lists,
  terminals,
  partners,
  merchants,
  rollouts,
  fleet,
  audit,
  machines,
  mails,
  cluster,
  account,
};

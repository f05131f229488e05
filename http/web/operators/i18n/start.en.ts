import { start as portal } from "../../portal/i18n/start.en.ts";
import { account, app, entrance, lists, nav, roleRights, roles } from "./app.en.ts";
import { attention } from "./attention.en.ts";
import { audit } from "./audit.en.ts";
import { cluster } from "./cluster.en.ts";
import { fleet } from "./fleet.en.ts";
import { machines } from "./machines.en.ts";
import { mails } from "./mails.en.ts";
import { merchants } from "./merchants.en.ts";
import { partners } from "./partners.en.ts";
import { rollouts } from "./rollouts.en.ts";
import { search } from "./search.en.ts";
import { terminals } from "./terminals.en.ts";

/**
 * The words of the portal's components, as the operators' pages say them: where the portal speaks of itself, these speak of the relay. All else is the same, so
 * that a word is chosen once.
 */
export const common: typeof portal = {
  ...portal,
  app: {
    ...portal.app,
    name: "Operations",
    brokenText: "Reload the page. If the error comes back, check the log of the relay.",
  },
  errors: {
    ...portal.errors,
    invalid_login: "The name or the password is wrong. Check both and try again.",
    forbidden: "Your role does not allow this. Ask an owner.",
  },
  signIn: { ...portal.signIn, lead: "to operate this relay", tagline: "Every terminal, every payment, every node." },
  secondFactor: { ...portal.secondFactor, lead: (name: string) => `Signing in as ${name}` },
  enrol: { ...portal.enrol, lead: "Every administrator needs a second factor on these pages. You set it up once, in a minute." },
  recovery: {
    ...portal.recovery,
    fileName: "relay-recovery-codes.txt",
    fileHead: (name: string) => `Recovery codes of relay administrator ${name}`,
  },
};

/** The other texts of the operators' pages, one file a page. The Italian ones have the same form. */
export const en = {
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

export type Words = typeof en;

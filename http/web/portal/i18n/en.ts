import { agents } from "./agents.en.ts";
import { alerts } from "./alerts.en.ts";
import { app, errors, fields, methods, nav, roleHints, roles } from "./app.en.ts";
import { audit } from "./audit.en.ts";
import { disputes } from "./disputes.en.ts";
import { enrol, forgot, invitation, recovery, reset, secondFactor, signIn, stepUp } from "./entrance.en.ts";
import { exports } from "./exports.en.ts";
import { compatibleApi, keys } from "./keys.en.ts";
import { logs } from "./logs.en.ts";
import { overview } from "./overview.en.ts";
import { paymentLinks } from "./payment-links.en.ts";
import { paymentMethods } from "./payment-methods.en.ts";
import { reconciliation } from "./reconciliation.en.ts";
import { search } from "./search.en.ts";
import { settings } from "./settings.en.ts";
import { dunning, plans, subscriptions } from "./subscriptions.en.ts";
import { terminals } from "./terminals.en.ts";
import { transactions } from "./transactions.en.ts";
import { users } from "./users.en.ts";
import { webhooks } from "./webhooks.en.ts";

/**
 * The portal's English texts, one file per page. Every other catalogue has the same shape. A text
 * that contains a value is a function.
 */
export const en = {
  app,
  nav,
  roles,
  roleHints,
  methods,
  fields,
  errors,
  signIn,
  secondFactor,
  stepUp,
  enrol,
  recovery,
  invitation,
  forgot,
  reset,
  overview,
  transactions,
  paymentLinks,
  subscriptions,
  plans,
  dunning,
  disputes,
  alerts,
  agents,
  reconciliation,
  exports,
  terminals,
  paymentMethods,
  keys,
  compatibleApi,
  webhooks,
  logs,
  users,
  audit,
  settings,
  search,
};

export type Catalogue = typeof en;

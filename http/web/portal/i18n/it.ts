import { agents } from "./agents.it.ts";
import { alerts } from "./alerts.it.ts";
import { audit } from "./audit.it.ts";
import { disputes } from "./disputes.it.ts";
import type { PageTexts } from "./en.ts";
import { exports } from "./exports.it.ts";
import { compatibleApi, keys } from "./keys.it.ts";
import { logs } from "./logs.it.ts";
import { paymentLinks } from "./payment-links.it.ts";
import { paymentMethods } from "./payment-methods.it.ts";
import { reconciliation } from "./reconciliation.it.ts";
import { search } from "./search.it.ts";
import { dunning, plans, subscriptions } from "./subscriptions.it.ts";
import { terminals } from "./terminals.it.ts";
import { transactions } from "./transactions.it.ts";
import { users } from "./users.it.ts";
import { webhooks } from "./webhooks.it.ts";

/** The portal's Italian texts, one file per page. A missing text does not compile. */
export const it: PageTexts = {
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
  search,
};

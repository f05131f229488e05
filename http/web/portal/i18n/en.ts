import { agents } from "./agents.en.ts";
import { alerts } from "./alerts.en.ts";
import { audit } from "./audit.en.ts";
import { disputes } from "./disputes.en.ts";
import { exports } from "./exports.en.ts";
import { compatibleApi, keys } from "./keys.en.ts";
import { logs } from "./logs.en.ts";
import { paymentLinks } from "./payment-links.en.ts";
import { paymentMethods } from "./payment-methods.en.ts";
import { reconciliation } from "./reconciliation.en.ts";
import { search } from "./search.en.ts";
import type { StartTexts } from "./start.en.ts";
import { dunning, plans, subscriptions } from "./subscriptions.en.ts";
import { terminals } from "./terminals.en.ts";
import { transactions } from "./transactions.en.ts";
import { users } from "./users.en.ts";
import { webhooks } from "./webhooks.en.ts";

/**
 * The portal's English texts, one file per page. Every other catalogue has the same shape. A text
 * that contains a value is a function. A page loads them together with its script; the texts that
 * are loaded before any page are in start.en.ts.
 */
export const en = {
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

export type PageTexts = typeof en;

export type Catalogue = StartTexts & PageTexts;

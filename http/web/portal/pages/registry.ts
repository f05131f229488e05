import type { MerchantAct } from "../../../../engine/access/merchant-user-grant.ts";
import type { IconName } from "../components/icon.tsx";
import { type PageLoader, pageLoader } from "../components/lazy-page.tsx";
import type { Catalogue } from "../i18n/en.ts";
import { may } from "../state/session.ts";
import type { PageProps } from "./page-props.ts";

export interface PageEntry {
  /** The page's part of the address; empty for the start page, `/portal`. */
  name: string;
  /** Whether the address may contain the id of an object. */
  hasObjects: boolean;
  label: (texts: Catalogue) => string;
  /** A shorter label for narrow screens. */
  shortLabel?: (texts: Catalogue) => string;
  icon: IconName;
  group: "payments" | "developers" | "company";
  /** The permission that opens the page. Without it the navigation and the router hide the page. */
  act: MerchantAct;
  /** Whether the page is in the bar at the bottom of a phone, which has room for four. */
  onPhone: boolean;
  page: PageLoader<PageProps>;
}

/** Every page of the portal, in the order of the navigation. */
export const PAGES: readonly PageEntry[] = [
  {
    name: "",
    hasObjects: false,
    label: ({ nav }) => nav.overview,
    icon: "overview",
    group: "payments",
    act: "look",
    onPhone: true,
    page: pageLoader(async () => (await import("./overview/overview-page.tsx")).OverviewPage, "start"),
  },
  {
    name: "transactions",
    hasObjects: true,
    label: ({ nav }) => nav.transactions,
    icon: "transactions",
    group: "payments",
    act: "look",
    onPhone: true,
    page: pageLoader(async () => (await import("./transactions/transactions-page.tsx")).TransactionsPage),
  },
  {
    name: "analytics",
    hasObjects: false,
    label: ({ nav }) => nav.analytics,
    icon: "chart",
    group: "payments",
    act: "look",
    onPhone: false,
    page: pageLoader(async () => (await import("./analytics/analytics-page.tsx")).AnalyticsPage),
  },
  {
    name: "payment-links",
    hasObjects: true,
    label: ({ nav }) => nav.paymentLinks,
    shortLabel: ({ nav }) => nav.links,
    icon: "link",
    group: "payments",
    act: "look",
    onPhone: true,
    page: pageLoader(async () => (await import("./payment-links/payment-links-page.tsx")).PaymentLinksPage),
  },
  {
    name: "disputes",
    hasObjects: true,
    label: ({ nav }) => nav.disputes,
    icon: "dispute",
    group: "payments",
    act: "look",
    onPhone: false,
    page: pageLoader(async () => (await import("./disputes/disputes-page.tsx")).DisputesPage),
  },
  {
    name: "alerts",
    hasObjects: true,
    label: ({ nav }) => nav.alerts,
    icon: "alert",
    group: "payments",
    act: "look",
    onPhone: false,
    page: pageLoader(async () => (await import("./alerts/alerts-page.tsx")).AlertsPage),
  },
  {
    name: "subscriptions",
    hasObjects: true,
    label: ({ nav }) => nav.subscriptions,
    icon: "subscriptions",
    group: "payments",
    act: "look",
    onPhone: false,
    page: pageLoader(async () => (await import("./subscriptions/subscriptions-page.tsx")).SubscriptionsPage),
  },
  {
    name: "reconciliation",
    hasObjects: true,
    label: ({ nav }) => nav.reconciliation,
    icon: "reconciliation",
    group: "payments",
    act: "look",
    onPhone: false,
    page: pageLoader(async () => (await import("./reconciliation/reconciliation-page.tsx")).ReconciliationPage),
  },
  {
    name: "payment-methods",
    hasObjects: true,
    label: ({ nav }) => nav.paymentMethods,
    icon: "card",
    group: "payments",
    act: "look",
    onPhone: false,
    page: pageLoader(async () => (await import("./payment-methods/payment-methods-page.tsx")).PaymentMethodsPage),
  },
  {
    name: "terminals",
    hasObjects: true,
    label: ({ nav }) => nav.terminals,
    icon: "terminals",
    group: "payments",
    act: "look",
    onPhone: true,
    page: pageLoader(async () => (await import("./terminals/terminals-page.tsx")).TerminalsPage),
  },
  {
    name: "exports",
    hasObjects: false,
    label: ({ nav }) => nav.exports,
    icon: "download",
    group: "payments",
    act: "operate",
    onPhone: false,
    page: pageLoader(async () => (await import("./exports/exports-page.tsx")).ExportsPage),
  },
  {
    name: "webhooks",
    hasObjects: true,
    label: ({ nav }) => nav.webhooks,
    icon: "webhook",
    group: "developers",
    act: "integrate",
    onPhone: false,
    page: pageLoader(async () => (await import("./webhooks/webhooks-page.tsx")).WebhooksPage),
  },
  {
    name: "agents",
    hasObjects: true,
    label: ({ nav }) => nav.agents,
    icon: "agent",
    group: "developers",
    act: "look",
    onPhone: false,
    page: pageLoader(async () => (await import("./agents/agents-page.tsx")).AgentsPage),
  },
  {
    name: "keys",
    hasObjects: false,
    label: ({ nav }) => nav.keys,
    icon: "key",
    group: "developers",
    act: "administer keys",
    onPhone: false,
    page: pageLoader(async () => (await import("./keys/keys-page.tsx")).KeysPage),
  },
  {
    name: "logs",
    hasObjects: false,
    label: ({ nav }) => nav.logs,
    icon: "logs",
    group: "developers",
    act: "integrate",
    onPhone: false,
    page: pageLoader(async () => (await import("./logs/logs-page.tsx")).LogsPage),
  },
  {
    name: "users",
    hasObjects: false,
    label: ({ nav }) => nav.users,
    icon: "users",
    group: "company",
    act: "look",
    onPhone: false,
    page: pageLoader(async () => (await import("./users/users-page.tsx")).UsersPage),
  },
  {
    name: "audit",
    hasObjects: false,
    label: ({ nav }) => nav.audit,
    icon: "audit",
    group: "company",
    act: "look",
    onPhone: false,
    page: pageLoader(async () => (await import("./audit/audit-page.tsx")).AuditPage),
  },
  {
    name: "settings",
    hasObjects: false,
    label: ({ nav }) => nav.settings,
    icon: "settings",
    group: "company",
    act: "look",
    onPhone: false,
    page: pageLoader(async () => (await import("./settings/settings-page.tsx")).SettingsPage),
  },
];

export function pagesForMe(): readonly PageEntry[] {
  return PAGES.filter(({ act }) => may(act));
}

export function hrefOf({ name }: PageEntry): string {
  return name === "" ? "/portal" : `/portal/${name}`;
}

/** Returns the page at a path, and the id of the object in it. */
export function pageAt(pages: readonly PageEntry[], path: string): { entry: PageEntry; id: string | null } | null {
  const [, , name = "", object, ...more] = path.split("/");
  const entry = pages.find((page) => page.name === name && (object === undefined || page.hasObjects) && more.length === 0);
  return entry === undefined ? null : { entry, id: object === undefined ? null : decoded(object) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // The portal never creates such an encoding.
    return text;
  }
}

import type { AdministratorRole } from "../../../../engine/access/administrator-role.ts";
import type { IconName } from "../../portal/components/icon.tsx";
import { type PageLoader, pageLoader } from "../../portal/components/lazy-page.tsx";
import type { PageProps } from "../../portal/pages/page-props.ts";
import type { Words } from "../i18n/start.en.ts";
import { placeOf } from "../state/addresses.ts";
import { may } from "../state/session.ts";

/** The parts of the navigation. */
export const GROUPS = ["work", "fleet", "relay"] as const;

export interface PageEntry {
  /** The word in its address; empty for the start page. */
  name: string;
  /** Whether its address may name an object; otherwise such an address is no page. */
  hasObjects: boolean;
  label: (nav: Words["nav"]) => string;
  icon: IconName;
  group: (typeof GROUPS)[number];
  /** Who may open it: the navigation and the router show it to nobody else. */
  role: AdministratorRole;
  /** Stands in the bar at the bottom of a phone, which has room for three. */
  onPhone: boolean;
  page: PageLoader<PageProps>;
}

/** Every page for operators, in the order of the navigation. */
export const PAGES: readonly PageEntry[] = [
  {
    name: "",
    hasObjects: false,
    label: ({ attention }) => attention,
    icon: "warning",
    group: "work",
    role: "read-only",
    onPhone: true,
    page: pageLoader(async () => (await import("./attention/attention-page.tsx")).AttentionPage, "start"),
  },
  {
    name: "search",
    hasObjects: false,
    label: ({ search }) => search,
    icon: "search",
    group: "work",
    role: "read-only",
    onPhone: true,
    page: pageLoader(async () => (await import("./search/search-page.tsx")).SearchPage),
  },
  {
    name: "terminals",
    hasObjects: true,
    label: ({ terminals }) => terminals,
    icon: "terminals",
    group: "fleet",
    role: "read-only",
    onPhone: true,
    page: pageLoader(async () => (await import("./terminals/terminals-page.tsx")).TerminalsPage),
  },
  {
    name: "fleet",
    hasObjects: true,
    label: ({ fleetPage }) => fleetPage,
    icon: "device",
    group: "fleet",
    role: "read-only",
    onPhone: false,
    page: pageLoader(async () => (await import("./fleet/fleet-page.tsx")).FleetPage),
  },
  {
    name: "rollouts",
    hasObjects: true,
    label: ({ rollouts }) => rollouts,
    icon: "download",
    group: "fleet",
    role: "read-only",
    onPhone: false,
    page: pageLoader(async () => (await import("./rollouts/rollouts-page.tsx")).RolloutsPage),
  },
  {
    name: "partners",
    hasObjects: true,
    label: ({ partners }) => partners,
    icon: "users",
    group: "fleet",
    role: "read-only",
    onPhone: false,
    page: pageLoader(async () => (await import("./partners/partners-page.tsx")).PartnersPage),
  },
  {
    name: "merchants",
    hasObjects: true,
    label: ({ merchants }) => merchants,
    icon: "inbox",
    group: "fleet",
    role: "read-only",
    onPhone: false,
    page: pageLoader(async () => (await import("./partners/merchants-page.tsx")).MerchantsPage),
  },
  {
    name: "cluster",
    hasObjects: false,
    label: ({ cluster }) => cluster,
    icon: "device",
    group: "relay",
    role: "read-only",
    onPhone: false,
    page: pageLoader(async () => (await import("./cluster/cluster-page.tsx")).ClusterPage),
  },
  {
    name: "machines",
    hasObjects: false,
    label: ({ machines }) => machines,
    icon: "key",
    group: "relay",
    role: "read-only",
    onPhone: false,
    page: pageLoader(async () => (await import("./machines/machines-page.tsx")).MachinesPage),
  },
  {
    name: "audit",
    hasObjects: false,
    label: ({ audit }) => audit,
    icon: "audit",
    group: "relay",
    role: "read-only",
    onPhone: false,
    page: pageLoader(async () => (await import("./audit/audit-page.tsx")).AuditPage),
  },
  {
    name: "mails",
    hasObjects: true,
    label: ({ mails }) => mails,
    icon: "mail",
    group: "relay",
    role: "operator",
    onPhone: false,
    page: pageLoader(async () => (await import("./mails/mails-page.tsx")).MailsPage),
  },
  {
    name: "account",
    hasObjects: false,
    label: ({ account }) => account,
    icon: "settings",
    group: "relay",
    role: "read-only",
    onPhone: false,
    page: pageLoader(async () => (await import("./account/account-page.tsx")).AccountPage),
  },
];

export function pagesForMe(): readonly PageEntry[] {
  return PAGES.filter(({ role }) => may(role));
}

/** The page at a path, and the object that the path names. */
export function pageAt(pages: readonly PageEntry[], path: string): { entry: PageEntry; id: string | null } | null {
  const place = placeOf(path);
  if (place === null) return null;
  const entry = pages.find(({ name, hasObjects }) => name === place.name && (place.id === null || hasObjects));
  return entry === undefined ? null : { entry, id: place.id };
}

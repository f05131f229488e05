import { PAYMENT_LINK_LIST as filters } from "../../../../surfaces/merchant/payment-links/list.ts";
import type { PaymentLinkJson } from "../../../../surfaces/merchant/payment-links/schemas.ts";
import { BY_CREATION } from "../../../../surfaces/merchant/sorts.ts";
import { Time } from "../../components/time.tsx";
import { c, desk } from "../../list/columns.tsx";
import type { ListDeclaration } from "../../list/declaration.ts";
import { listPage } from "../../list/list-page.tsx";
import { AgentField } from "./agent-field.tsx";
import { CreateDialog } from "./create-dialog.tsx";
import { LinkDrawer } from "./link-drawer.tsx";
import { LinkState } from "./link-state.tsx";

const PAYMENT_LINK_LIST = { page: "payment-links", path: "/payment-links", filters, sorts: BY_CREATION } as const satisfies ListDeclaration;

/** Lists the merchant's payment links, newest first. */
export const PaymentLinksPage = listPage<PaymentLinkJson, typeof PAYMENT_LINK_LIST>({
  list: PAYMENT_LINK_LIST,
  texts: ({ paymentLinks }) => paymentLinks,
  icon: "link",
  fields: ({ paymentLinks: words, transactions }) => ({
    q: { label: transactions.search, hint: words.searchHint, type: "search" },
    state: { label: words.state, words: words.states },
    from: { label: words.created },
    customerEmail: { label: words.customerEmail },
    agentId: (filters) => <AgentField filters={filters} />,
  }),
  columns: ({ paymentLinks: words }) => [
    c.clip("description", words.description, "clip-short"),
    c.amount(words.amount),
    c.time("createdAt", words.created),
    { key: "state", header: words.state, cell: (link) => <LinkState link={link} /> },
    desk(c.clip("customerEmail", words.customerEmail, "clip-narrow")),
    desk({
      key: "expires",
      header: words.expires,
      // A link that has ended does not expire any more.
      cell: ({ expiresAt, state }) => (state === "PENDING" ? <Time at={expiresAt} as="date" /> : "–"),
    }),
  ],
  idOf: ({ id }) => id,
  drawer: LinkDrawer,
  create: { act: "operate", dialog: CreateDialog },
  savedViews: true,
  exportList: "payment-links",
});

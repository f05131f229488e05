import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import type { PaymentLinkJson } from "../../../../surfaces/merchant/payment-links/schemas.ts";
import { Amount } from "../../components/amount.tsx";
import { Button } from "../../components/button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FilterBar } from "../../components/filter-bar.tsx";
import { ObjectList } from "../../components/object-list.tsx";
import { Page } from "../../components/page.tsx";
import { SavedViews } from "../../components/saved-views.tsx";
import type { Column } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { text } from "../../i18n/texts.ts";
import { useFilters } from "../../state/filters.ts";
import { may } from "../../state/session.ts";
import { ExportButton } from "../exports/export-button.tsx";
import type { PageProps } from "../page-props.ts";
import { CreateDialog } from "./create-dialog.tsx";
import { FilterFields } from "./filter-fields.tsx";
import { FILTERS, queryOf } from "./filters.ts";
import { LinkDrawer } from "./link-drawer.tsx";
import { LinkState } from "./link-state.tsx";
import { paymentLinkHref } from "./words.ts";

/** The merchant's payment links, newest first. Filters and the opened link stand in the address. */
export function PaymentLinksPage({ id }: PageProps) {
  const { paymentLinks: words } = text();
  const filters = useFilters(FILTERS);
  const { route } = useLocation();
  const [creating, setCreating] = useState(false);
  /** Counts what was changed here. */
  const [round, setRound] = useState(0);
  const changed = () => setRound((before) => before + 1);
  const query = queryOf(filters.values);
  const list = `/portal/payment-links${filters.query === "" ? "" : `?${filters.query}`}`;
  const create = (
    <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
      {words.create}
    </Button>
  );
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        <>
          <SavedViews list="payment-links" query={filters.query} />
          <ExportButton list="payment-links" query={query} />
          {may("operate") && create}
        </>
      }
    >
      <FilterBar count={filters.count}>
        <FilterFields filters={filters} />
      </FilterBar>
      <ObjectList<PaymentLinkJson>
        path="/payment-links"
        query={query}
        filters={filters}
        round={round}
        end={words.end}
        empty={
          <EmptyState icon="link" title={words.emptyTitle} action={may("operate") ? create : undefined}>
            {may("operate") ? words.emptyText : words.emptyLookText}
          </EmptyState>
        }
        caption={words.title}
        columns={columnsOf()}
        keyOf={({ id: linkId }) => linkId}
        onOpen={(link) => route(paymentLinkHref(link.id, filters.query))}
        phone="lines"
      />
      {id !== null && <LinkDrawer key={id} id={id} onClose={() => route(list)} onChanged={changed} />}
      {creating && (
        <CreateDialog
          onClose={() => setCreating(false)}
          onCreated={changed}
          onOpen={(created) => {
            setCreating(false);
            route(paymentLinkHref(created, filters.query));
          }}
        />
      )}
    </Page>
  );
}

function columnsOf(): Column<PaymentLinkJson>[] {
  const { paymentLinks: words } = text();
  return [
    { key: "description", header: words.description, cell: ({ description }) => <span class="clip clip-short">{description}</span> },
    {
      key: "amount",
      header: words.amount,
      align: "right",
      cell: ({ amountMinor, currency }) => <Amount minor={amountMinor} currency={currency} strong />,
    },
    { key: "created", header: words.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
    { key: "state", header: words.state, cell: (link) => <LinkState link={link} /> },
    {
      key: "customer",
      header: words.customerEmail,
      cell: ({ customerEmail }) => <span class="clip clip-narrow">{customerEmail ?? "–"}</span>,
      deskOnly: true,
    },
    {
      key: "expires",
      header: words.expires,
      // When it would have is of no interest any more.
      cell: ({ expiresAt, state }) => (state === "PENDING" ? <Time at={expiresAt} as="date" /> : "–"),
      deskOnly: true,
    },
  ];
}

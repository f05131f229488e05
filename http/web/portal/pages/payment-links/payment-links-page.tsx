import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import type { PaymentLinkJson } from "../../../../surfaces/merchant/schemas.ts";
import { Amount } from "../../components/amount.tsx";
import { Button } from "../../components/button.tsx";
import { Drawer } from "../../components/dialog.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { LiveList } from "../../components/live-list.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { SavedViews } from "../../components/saved-views.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { text } from "../../i18n/texts.ts";
import { useFilters } from "../../state/filters.ts";
import { may } from "../../state/session.ts";
import type { PageProps } from "../page-props.ts";
import { CreateDialog } from "./create-dialog.tsx";
import { FilterFields } from "./filter-fields.tsx";
import { FILTERS, queryOf } from "./filters.ts";
import { LinkDrawer } from "./link-drawer.tsx";
import { LinkState } from "./link-state.tsx";
import { paymentLinkHref } from "./words.ts";

/** The merchant's payment links, newest first. Filters and the opened link stand in the address. */
export function PaymentLinksPage({ id }: PageProps) {
  const { paymentLinks: words, transactions } = text();
  const filters = useFilters(FILTERS);
  const { route } = useLocation();
  const [filtering, setFiltering] = useState(false);
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
          {may("operate") && create}
        </>
      }
    >
      <div class="filters-desk">
        <Panel>
          <FilterFields filters={filters} />
        </Panel>
      </div>
      <div class="filters-phone">
        <Button icon="filter" onClick={() => setFiltering(true)} wide>
          {transactions.filters(filters.count)}
        </Button>
      </div>
      <LiveList<PaymentLinkJson>
        key={JSON.stringify(query)}
        path="/payment-links"
        query={query}
        round={round}
        end={words.end}
        empty={
          filters.count > 0 ? (
            <EmptyState
              icon="search"
              title={transactions.noMatchTitle}
              action={<Button onClick={filters.clear}>{transactions.clear}</Button>}
            >
              {transactions.noMatchText}
            </EmptyState>
          ) : (
            <EmptyState icon="link" title={words.emptyTitle} action={may("operate") ? create : undefined}>
              {may("operate") ? words.emptyText : words.emptyLookText}
            </EmptyState>
          )
        }
      >
        {(items) => (
          <Table
            caption={words.title}
            columns={columnsOf()}
            rows={items}
            keyOf={(link) => link.id}
            onOpen={(link) => route(paymentLinkHref(link.id, filters.query))}
            phone="lines"
          />
        )}
      </LiveList>
      {filtering && (
        <Drawer title={transactions.filters(filters.count)} onClose={() => setFiltering(false)}>
          <FilterFields filters={filters} />
          <Button kind="primary" wide onClick={() => setFiltering(false)}>
            {transactions.showResults}
          </Button>
        </Drawer>
      )}
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

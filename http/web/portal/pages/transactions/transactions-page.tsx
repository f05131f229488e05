import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import type { TransactionItemJson } from "../../../../surfaces/merchant/schemas.ts";
import { addressOf, get } from "../../api/client.ts";
import type { ListJson } from "../../api/types.ts";
import { Banner } from "../../components/banner.tsx";
import { Button, ButtonLink } from "../../components/button.tsx";
import { Drawer } from "../../components/dialog.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { CheckField } from "../../components/field.tsx";
import { Icon } from "../../components/icon.tsx";
import { Menu } from "../../components/menu.tsx";
import { Page } from "../../components/page.tsx";
import { Loaded, Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { Table } from "../../components/table.tsx";
import { errorText } from "../../i18n/error-text.ts";
import { locale, text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { useFilters } from "../../state/filters.ts";
import { useResource } from "../../state/resource.ts";
import { may } from "../../state/session.ts";
import type { PageProps } from "../page-props.ts";
import { CHOOSABLE, columnsShown, shownColumns, toggleColumn } from "./columns.tsx";
import { FilterFields } from "./filter-fields.tsx";
import { FILTERS, queryOf } from "./filters.ts";
import { SavedViews } from "./saved-views.tsx";
import { TransactionDrawer } from "./transaction-drawer.tsx";
import { transactionHref } from "./words.ts";

type List = ListJson<TransactionItemJson>;

const PAGE = 50;
const LIVE_MS = 5_000;

/** What the shop took, newest first. Filters and the opened transaction stand in the address. */
export function TransactionsPage({ id }: PageProps) {
  const { transactions: words } = text();
  const filters = useFilters(FILTERS);
  const { route } = useLocation();
  const [filtering, setFiltering] = useState(false);
  const query = queryOf(filters.values);
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        <>
          <SavedViews query={filters.query} />
          <div class="desk-only">
            <ColumnMenu />
          </div>
          {may("operate") && (
            <ButtonLink icon="download" href={addressOf("/transactions.csv", { ...query, lang: locale.value })} download>
              {words.export}
            </ButtonLink>
          )}
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
          {words.filters(filters.count)}
        </Button>
      </div>
      <TransactionList
        key={JSON.stringify(query)}
        query={query}
        isFiltered={filters.count > 0}
        onOpen={({ uuid }) => route(transactionHref(uuid, filters.query))}
        onClear={filters.clear}
      />
      {filtering && (
        <Drawer title={words.filters(filters.count)} onClose={() => setFiltering(false)}>
          <FilterFields filters={filters} />
          <Button kind="primary" wide onClick={() => setFiltering(false)}>
            {words.showResults}
          </Button>
        </Drawer>
      )}
      {id !== null && (
        <TransactionDrawer uuid={id} onClose={() => route(`/portal/transactions${filters.query === "" ? "" : `?${filters.query}`}`)} />
      )}
    </Page>
  );
}

function TransactionList({
  query,
  isFiltered,
  onOpen,
  onClear,
}: {
  query: Readonly<Record<string, string>>;
  isFiltered: boolean;
  onOpen: (item: TransactionItemJson) => void;
  onClear: () => void;
}) {
  const { transactions: words } = text();
  const [older, setOlder] = useState<List | null>(null);
  // The first page is live while it is the only one; who has gone further back reads, and rows must not move below.
  const first = useResource(
    `transactions ${JSON.stringify(query)}`,
    (signal) => get<List>("/transactions", { signal, query: { ...query, limit: PAGE } }),
    older === null ? { everyMs: LIVE_MS } : {},
  );
  const [frozen, setFrozen] = useState<List | null>(null);
  const more = useAction(async (shown: List, cursor: string) => {
    const page = await get<List>("/transactions", { query: { ...query, limit: PAGE, cursor } });
    setFrozen((before) => before ?? shown);
    setOlder((before) => ({ items: [...(before?.items ?? []), ...page.items], next: page.next }));
  });
  const isRead = older !== null;
  useEffect(() => {
    if (!isRead) setFrozen(null);
  }, [isRead]);
  return (
    <Panel flush>
      <Loaded of={first} skeleton={<Skeleton lines={8} />}>
        {(live) => {
          const head = frozen ?? live;
          const items = [...head.items, ...(older?.items ?? [])];
          const next = older === null ? head.next : older.next;
          if (items.length === 0) return <Nothing isFiltered={isFiltered} onClear={onClear} />;
          return (
            <>
              <Table
                caption={words.title}
                columns={columnsShown()}
                rows={items}
                keyOf={({ uuid, terminalId }) => `${uuid} ${terminalId}`}
                onOpen={onOpen}
                phone="lines"
              />
              {more.error !== null && (
                <div class="panel-note">
                  <Banner kind="danger" alert>
                    {errorText(more.error)}
                  </Banner>
                </div>
              )}
              {next !== null ? (
                <div class="table-more">
                  <Button busy={more.busy} onClick={() => void more.run(head, next)}>
                    {text().app.loadMore}
                  </Button>
                </div>
              ) : (
                <p class="table-end">{words.end(items.length)}</p>
              )}
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}

function Nothing({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  const { transactions: words } = text();
  return isFiltered ? (
    <EmptyState icon="search" title={words.noMatchTitle} action={<Button onClick={onClear}>{words.clear}</Button>}>
      {words.noMatchText}
    </EmptyState>
  ) : (
    <EmptyState icon="receipt" title={words.emptyTitle}>
      {words.emptyText}
    </EmptyState>
  );
}

function ColumnMenu() {
  const { transactions: words } = text();
  return (
    <Menu
      label={words.chooseColumns}
      trigger={
        <>
          <Icon name="settings" size={18} />
          <span>{words.columnsButton}</span>
        </>
      }
    >
      {() => (
        <div class="menu-checks">
          {CHOOSABLE.map((name) => (
            <CheckField key={name} label={words.columns[name]} checked={shownColumns.value.has(name)} onChange={() => toggleColumn(name)} />
          ))}
        </div>
      )}
    </Menu>
  );
}

import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import type { TransactionItemJson } from "../../../../surfaces/merchant/transaction-schemas.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { CheckField } from "../../components/field.tsx";
import { FilterBar } from "../../components/filter-bar.tsx";
import { Icon } from "../../components/icon.tsx";
import { Menu } from "../../components/menu.tsx";
import { ObjectList } from "../../components/object-list.tsx";
import { Page } from "../../components/page.tsx";
import { SavedViews } from "../../components/saved-views.tsx";
import { text } from "../../i18n/texts.ts";
import { useFilters } from "../../state/filters.ts";
import { ExportButton } from "../exports/export-button.tsx";
import type { PageProps } from "../page-props.ts";
import { CHOOSABLE, columnsShown, shownColumns, toggleColumn } from "./columns.tsx";
import { FilterFields } from "./filter-fields.tsx";
import { FILTERS, queryOf } from "./filters.ts";
import { TransactionDrawer } from "./transaction-drawer.tsx";
import { transactionHref } from "./words.ts";

/** What the shop took, newest first. Filters and the opened transaction stand in the address. */
export function TransactionsPage({ id }: PageProps) {
  const { transactions: words } = text();
  const filters = useFilters(FILTERS);
  const { route } = useLocation();
  /** Counts what was changed here. */
  const [round, setRound] = useState(0);
  const query = queryOf(filters.values);
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        <>
          <SavedViews list="transactions" query={filters.query} />
          <div class="desk-only">
            <ColumnMenu />
          </div>
          <ExportButton list="transactions" query={query} />
        </>
      }
    >
      <FilterBar count={filters.count}>
        <FilterFields filters={filters} />
      </FilterBar>
      <ObjectList<TransactionItemJson>
        path="/transactions"
        query={query}
        filters={filters}
        round={round}
        end={words.end}
        empty={
          <EmptyState icon="receipt" title={words.emptyTitle}>
            {words.emptyText}
          </EmptyState>
        }
        caption={words.title}
        columns={columnsShown()}
        keyOf={({ uuid, terminalId }) => `${uuid} ${terminalId}`}
        onOpen={({ uuid }) => route(transactionHref(uuid, filters.query))}
        phone="lines"
      />
      {id !== null && (
        <TransactionDrawer
          key={id}
          uuid={id}
          onClose={() => route(`/portal/transactions${filters.query === "" ? "" : `?${filters.query}`}`)}
          onChanged={() => setRound((before) => before + 1)}
        />
      )}
    </Page>
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

import type { TransactionItemJson } from "../../../../surfaces/merchant/transaction-schemas.ts";
import { CheckField } from "../../components/field.tsx";
import { Icon } from "../../components/icon.tsx";
import { Menu } from "../../components/menu.tsx";
import { text } from "../../i18n/texts.ts";
import { listPage } from "../../list/list-page.tsx";
import { CHOOSABLE, columnsShown, shownColumns, toggleColumn } from "./columns.tsx";
import { FilterFields } from "./filter-fields.tsx";
import { TransactionDrawer } from "./transaction-drawer.tsx";
import { TRANSACTION_LIST } from "./words.ts";

/** Lists the merchant's payments, newest first. */
export const TransactionsPage = listPage<TransactionItemJson, typeof TRANSACTION_LIST>({
  list: TRANSACTION_LIST,
  texts: ({ transactions }) => transactions,
  icon: "receipt",
  drawFields: (filters) => <FilterFields filters={filters} />,
  columns: columnsShown,
  idOf: ({ uuid }) => uuid,
  keyOf: ({ uuid, terminalId }) => `${uuid} ${terminalId}`,
  drawer: TransactionDrawer,
  actions: ColumnMenu,
  savedViews: true,
  exportList: "transactions",
});

function ColumnMenu() {
  const { transactions: words } = text();
  return (
    <div class="desk-only">
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
              <CheckField
                key={name}
                label={words.columns[name]}
                checked={shownColumns.value.has(name)}
                onChange={() => toggleColumn(name)}
              />
            ))}
          </div>
        )}
      </Menu>
    </div>
  );
}

import type { ComponentChildren } from "preact";
import type { Query } from "../api/client.ts";
import { text } from "../i18n/texts.ts";
import type { Filters } from "../state/filters.ts";
import { Button } from "./button.tsx";
import { EmptyState } from "./empty-state.tsx";
import { LiveList } from "./live-list.tsx";
import { Table, type TableProps } from "./table.tsx";

export interface ObjectListProps<Item> extends Omit<TableProps<Item>, "rows"> {
  path: string;
  query: Query;
  filters: Pick<Filters, "count" | "clear">;
  /** Counts the changes on this page. */
  round?: number;
  /** Loads the first page repeatedly, which only an order with new items first needs. */
  live?: boolean;
  /** Says that there are no more items. */
  end: (count: number) => string;
  /** The content of a list without any items. */
  empty: ComponentChildren;
  /** Advice for filters that match nothing. */
  noMatchText?: string | undefined;
  /** The content below the advice. */
  noMatch?: ComponentChildren;
}

/** Shows a list with filters page by page, newest first. A row opens its object. */
export function ObjectList<Item>({
  path,
  query,
  filters,
  round = 0,
  live = true,
  end,
  empty,
  noMatchText,
  noMatch,
  ...table
}: ObjectListProps<Item>) {
  const { transactions: words } = text();
  return (
    <LiveList<Item>
      key={JSON.stringify(query)}
      path={path}
      query={query}
      round={round}
      live={live}
      end={end}
      empty={
        filters.count === 0 ? (
          empty
        ) : (
          <>
            <EmptyState icon="search" title={words.noMatchTitle} action={<Button onClick={filters.clear}>{words.clear}</Button>}>
              {noMatchText ?? words.noMatchText}
            </EmptyState>
            {noMatch}
          </>
        )
      }
    >
      {(items) => <Table {...table} rows={items} />}
    </LiveList>
  );
}

import type { ComponentChildren } from "preact";
import type { Query } from "../api/client.ts";
import { text } from "../i18n/texts.ts";
import type { Filters } from "../state/filters.ts";
import { Button } from "./button.tsx";
import { EmptyState } from "./empty-state.tsx";
import { LiveList } from "./live-list.tsx";
import { Table, type TableProps } from "./table.tsx";

export interface ObjectListProps<Item> extends Omit<TableProps<Item>, "rows" | "sorting" | "onSort"> {
  path: string;
  query: Query;
  filters: Pick<Filters, "count" | "clear">;
  /** Counts the changes on this page. */
  round?: number;
  /** Says that there are no more items. */
  end: (count: number) => string;
  /** The content of a list without any items. */
  empty: ComponentChildren;
  /** Advice for filters that match nothing. */
  noMatchText?: string | undefined;
}

/** Shows a list with filters page by page, newest first. A row opens its object. */
export function ObjectList<Item>({ path, query, filters, round = 0, end, empty, noMatchText, ...table }: ObjectListProps<Item>) {
  const { transactions: words } = text();
  return (
    <LiveList<Item>
      key={JSON.stringify(query)}
      path={path}
      query={query}
      round={round}
      end={end}
      empty={
        filters.count === 0 ? (
          empty
        ) : (
          <EmptyState icon="search" title={words.noMatchTitle} action={<Button onClick={filters.clear}>{words.clear}</Button>}>
            {noMatchText ?? words.noMatchText}
          </EmptyState>
        )
      }
    >
      {(items) => <Table {...table} rows={items} />}
    </LiveList>
  );
}

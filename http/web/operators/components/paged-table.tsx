import type { ComponentChildren } from "preact";
import { Banner } from "../../portal/components/banner.tsx";
import { Button } from "../../portal/components/button.tsx";
import { EmptyState } from "../../portal/components/empty-state.tsx";
import { Loaded } from "../../portal/components/panel.tsx";
import { Skeleton } from "../../portal/components/skeleton.tsx";
import { Table, type TableProps } from "../../portal/components/table.tsx";
import { errorText } from "../../portal/i18n/error-text.ts";
import { text } from "../../portal/i18n/texts.ts";
import { words } from "../i18n/texts.ts";
import type { Pages } from "../state/pages.ts";

/**
 * A list with a button for more of it. `rows` are those of its items that are to be seen; `empty` is shown where the relay has none at all, and where a filter of
 * the page has left none of those that are loaded, it says that instead.
 */
export function PagedTable<Item>({
  pages,
  rows,
  empty,
  ...table
}: Omit<TableProps<Item>, "rows"> & { pages: Pages<Item>; rows: readonly Item[]; empty: ComponentChildren }) {
  const { first, hasMore, more } = pages;
  return (
    <Loaded of={first} skeleton={<Skeleton lines={6} />}>
      {() => (
        <>
          {rows.length > 0 ? <Table {...table} rows={rows} /> : pages.items.length > 0 ? <NoMatch hasMore={hasMore} /> : empty}
          {more.error !== null && (
            <div class="panel-note">
              <Banner kind="danger" alert>
                {errorText(more.error)}
              </Banner>
            </div>
          )}
          {hasMore && (
            <div class="table-more">
              <Button busy={more.busy} onClick={() => void more.run()}>
                {text().app.loadMore}
              </Button>
            </div>
          )}
        </>
      )}
    </Loaded>
  );
}

function NoMatch({ hasMore }: { hasMore: boolean }) {
  const { lists: own } = words();
  return (
    <EmptyState icon="search" title={own.noMatchTitle}>
      {hasMore ? own.noMatchSoFar : own.noMatch}
    </EmptyState>
  );
}

import type { ComponentChildren } from "preact";
import { Banner } from "../../portal/components/banner.tsx";
import { Button } from "../../portal/components/button.tsx";
import { Loaded } from "../../portal/components/panel.tsx";
import { Skeleton } from "../../portal/components/skeleton.tsx";
import { Table, type TableProps } from "../../portal/components/table.tsx";
import { errorText } from "../../portal/i18n/error-text.ts";
import { text } from "../../portal/i18n/texts.ts";
import type { Pages } from "../state/pages.ts";

/** A list with a button for more of it. `rows` are those of its items that are to be seen. */
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
          {rows.length === 0 ? empty : <Table {...table} rows={rows} />}
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

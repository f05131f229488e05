import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get, type Query } from "../api/client.ts";
import type { ListJson } from "../api/types.ts";
import { errorText } from "../i18n/error-text.ts";
import { text } from "../i18n/texts.ts";
import { useAction } from "../state/action.ts";
import { useResource } from "../state/resource.ts";
import { useRounds } from "../state/rounds.ts";
import { Banner } from "./banner.tsx";
import { Button } from "./button.tsx";
import { Loaded, Panel } from "./panel.tsx";
import { Skeleton } from "./skeleton.tsx";

const PAGE = 50;
const LIVE_MS = 5_000;

/**
 * Shows a list of the API page by page, newest first. The first page is live until another one is
 * loaded, because rows must not move while a person reads further back. Another `query` is another
 * list and needs another key. Another `round` starts the list again after a change on this page.
 */
export function LiveList<Item>({
  path,
  query,
  round = 0,
  live = true,
  empty,
  end,
  children,
}: {
  path: string;
  query: Query;
  round?: number;
  /** Loads the first page again while the page is visible. */
  live?: boolean;
  empty: ComponentChildren;
  /** The text below the last row. */
  end?: (count: number) => string;
  children: (items: readonly Item[]) => ComponentChildren;
}) {
  type List = ListJson<Item>;
  const [older, setOlder] = useState<List | null>(null);
  const first = useResource(
    `${path} ${JSON.stringify(query)}`,
    (signal) => get<List>(path, { signal, query: { ...query, limit: PAGE } }),
    live && older === null ? { everyMs: LIVE_MS } : {},
  );
  const [frozen, setFrozen] = useState<List | null>(null);
  const more = useAction(async (shown: List, cursor: string) => {
    const page = await get<List>(path, { query: { ...query, limit: PAGE, cursor } });
    setFrozen((before) => before ?? shown);
    setOlder((before) => ({ items: [...(before?.items ?? []), ...page.items], next: page.next }));
  });
  const isRead = older !== null;
  useEffect(() => {
    if (!isRead) setFrozen(null);
  }, [isRead]);
  useRounds(round, () => {
    setOlder(null);
    first.reload();
  });
  return (
    <Panel flush>
      <Loaded of={first} skeleton={<Skeleton lines={live ? 8 : 6} />}>
        {(loaded) => {
          const head = frozen ?? loaded;
          const items = [...head.items, ...(older?.items ?? [])];
          const next = older === null ? head.next : older.next;
          if (items.length === 0 && next === null) return empty;
          return (
            <>
              {children(items)}
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
                end !== undefined && <p class="table-end">{end(items.length)}</p>
              )}
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}

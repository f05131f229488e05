import { get } from "../../api/client.ts";
import type { ListJson } from "../../api/types.ts";
import { formatNumber } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { useResource } from "../../state/resource.ts";
import type { ExportScope } from "./words.ts";

/** At most one page of the list is counted. Nobody reads a longer file line by line. */
const COUNTED_MAX = 200;

/**
 * Shows how many rows the file will have, counted on one page of the list. A failure to count does
 * not prevent the export.
 */
export function RowCount({ list, query }: ExportScope) {
  const { exports: words } = text();
  const page = useResource(`rows of ${list} ${JSON.stringify(query)}`, (signal) =>
    get<ListJson<unknown>>(`/${list}`, { signal, query: { ...query, limit: COUNTED_MAX } }),
  );
  if (page.data === null) return page.error === null ? <p class="muted">{words.counting}</p> : null;
  const { items, next } = page.data;
  if (next !== null) return <p class="export-rows">{words.moreThan(formatNumber(items.length))}</p>;
  return <p class="export-rows">{items.length === 0 ? words.noRows : words.rows(formatNumber(items.length))}</p>;
}

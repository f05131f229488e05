import { pageHref } from "../../state/addresses.ts";

/** The search of a uuid or an id. */
export function searchHref(wanted: string): string {
  return `${pageHref("search")}?${new URLSearchParams({ q: wanted })}`;
}

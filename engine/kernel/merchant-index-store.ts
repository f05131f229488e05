import { RelayError } from "./errors.ts";
import { type Kv, prefixRange } from "./kv.ts";
import type { MerchantScope } from "./merchant-scope.ts";
import { TIME_DIGITS, timeDigits } from "./time-digits.ts";

/** The cursor position of a record in a list, by its creation or by a time when it is due. */
export interface Place {
  readonly atMs: number;
  readonly id: string;
}

export interface IndexQuery {
  readonly limit: number;
  /** The page begins after this place; null begins with the first. */
  readonly after: Place | null;
  /** Limits of the time by which the index is ordered; null for none. */
  readonly fromMs: number | null;
  readonly beforeMs: number | null;
  readonly order: "newest" | "oldest";
}

export interface IndexPage<Item> {
  readonly items: readonly Item[];
  /** The cursor position where the next page begins; null for the last page. */
  readonly next: Place | null;
}

/**
 * Entries of an index in one read, and the entries that one page checks. If few of very many
 * entries match, a page may have fewer items.
 */
const INDEX_PAGE = 200;
const LOOKED_THROUGH_MAX = 2_000;

/** Returns the prefix of a merchant's keys in an index: `<kind><merchant>/<live or test>/`. */
export function listPrefix(kind: string, { merchantId, livemode }: MerchantScope): string {
  return `${kind}${merchantId}/${livemode ? "live" : "test"}/`;
}

/** Returns the key `<prefix><13 digits of milliseconds>/<id>`. */
export function placeKey(prefix: string, { atMs, id }: Place): string {
  return `${prefix}${timeDigits(atMs)}/${id}`;
}

export function placeIn(key: string, prefix: string): Place {
  return { atMs: Number(key.slice(prefix.length, prefix.length + TIME_DIGITS)), id: key.slice(prefix.length + TIME_DIGITS + 1) };
}

/** Returns the range of keys in an index within the limits of its time. */
export function indexRange(
  prefix: string,
  { fromMs, beforeMs }: Pick<IndexQuery, "fromMs" | "beforeMs">,
): { readonly from: string; readonly to: string } {
  const { from, to } = prefixRange(prefix);
  return {
    from: fromMs === null ? from : later(from, prefix + timeDigits(fromMs)),
    to: beforeMs === null ? to : earlier(to, prefix + timeDigits(beforeMs)),
  };
}

/**
 * Returns one page of the records in an index. `load` returns the existing records with these ids,
 * and `matches` filters them.
 */
export async function pageOfIndex<Item extends { readonly id: string }>(
  kv: Pick<Kv, "scan">,
  prefix: string,
  query: IndexQuery,
  { load, matches }: { load(ids: readonly string[]): Promise<readonly Item[]>; matches(item: Item): boolean },
): Promise<IndexPage<Item>> {
  const { limit, after, order } = query;
  const reverse = order === "newest";
  let { from, to } = indexRange(prefix, query);
  if (after !== null && reverse) to = earlier(to, placeKey(prefix, after));
  if (after !== null && !reverse) from = later(from, behind(placeKey(prefix, after)));
  const items: Item[] = [];
  let last: Place | null = null;
  for (let looked = 0; from < to; looked += INDEX_PAGE) {
    const entries = await kv.scan({ from, to, limit: INDEX_PAGE, reverse });
    const places = entries.map(({ key }) => placeIn(key, prefix));
    const found = new Map((await load(places.map(({ id }) => id))).map((item) => [item.id, item]));
    for (const place of places) {
      // Records that no longer exist are skipped, and so are records that no longer match.
      const item = found.get(place.id);
      if (item === undefined || !matches(item)) continue;
      if (items.length === limit) return { items, next: last };
      items.push(item);
      last = place;
    }
    const end = entries.at(-1);
    if (end === undefined || entries.length < INDEX_PAGE) break;
    if (reverse) to = end.key;
    else from = behind(end.key);
    if (looked + INDEX_PAGE >= LOOKED_THROUGH_MAX) return { items, next: placeIn(end.key, prefix) };
  }
  return { items, next: null };
}

/** Returns the cursor of a place, which callers receive with a page. */
export function cursorOf({ atMs, id }: Place): string {
  return timeDigits(atMs) + id;
}

/**
 * Returns the place of a cursor. Throws RelayError `invalid_request` for an invalid cursor; `id` is
 * the form of the ids.
 */
export function placeOfCursor(cursor: string, id: RegExp): Place {
  const place = { atMs: Number(cursor.slice(0, TIME_DIGITS)), id: cursor.slice(TIME_DIGITS) };
  if (/^\d{13}$/.test(cursor.slice(0, TIME_DIGITS)) && id.test(place.id)) return place;
  throw new RelayError("invalid_request", "cursor: did not come from a page of this list; start again without it");
}

/** Returns the first key after this one. */
function behind(key: string): string {
  return `${key}\u0001`;
}

function later(a: string, b: string): string {
  return a > b ? a : b;
}

function earlier(a: string, b: string): string {
  return a < b ? a : b;
}

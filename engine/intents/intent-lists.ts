import type { Place } from "../kernel/merchant-index-store.ts";
import type { PageQuery } from "../kernel/page.ts";
import type { Attempt } from "./intent.ts";
import { type IntentIndexStore, refundIn } from "./intent-index-store.ts";
import type { Intents } from "./intents.ts";

/**
 * Returns pages of a merchant's intents, charges and refunds. Pages of all intents come from the
 * store, and pages of one intent from its record. Returns null if the cursor names no item.
 */
export function createIntentLists(
  indexes: Pick<IntentIndexStore, "page" | "pageCharges" | "pageRefunds">,
  { find, charge, refundOf }: Pick<Intents, "find" | "charge" | "refundOf">,
): Pick<Intents, "list" | "listCharges" | "listRefunds"> {
  return {
    list: async (owner, query) => {
      const cursor = await cursorOf(query, async (id) => {
        const intent = await find(owner, id);
        return intent === null ? null : { id, atMs: intent.createdAtMs };
      });
      return cursor === undefined ? null : indexes.page(owner, query, cursor);
    },
    listCharges: async (owner, query) => {
      const cursor = await cursorOf(query, async (id) => placeOfCharge((await charge(owner, id))?.attempt ?? null));
      if (cursor === undefined) return null;
      if (query.intentId === null) return indexes.pageCharges(owner, query, cursor);
      const intent = await find(owner, query.intentId);
      const charges = (intent?.attempts ?? []).flatMap((attempt) =>
        intent === null || attempt.endedAtMs === null ? [] : [{ intent, attempt }],
      );
      return pageOf(charges, ({ attempt }) => placeOfCharge(attempt), query, cursor);
    },
    listRefunds: async (owner, query) => {
      const place = (entry: { id: string; createdAtMs: number }) => ({ id: entry.id, atMs: entry.createdAtMs });
      const cursor = await cursorOf(query, async (id) => {
        const found = await refundOf(owner, id);
        return found === null ? null : place(found.refund);
      });
      if (cursor === undefined) return null;
      const { intentId, chargeId } = query;
      if (intentId === null && chargeId === null) return indexes.pageRefunds(owner, query, cursor);
      const intent = intentId === null ? ((await charge(owner, chargeId ?? ""))?.intent ?? null) : await find(owner, intentId);
      const all = (intent?.refunds ?? []).flatMap(({ id }) => (intent === null ? [] : (refundIn(intent, id) ?? [])));
      const wanted = all.filter(({ refund }) => chargeId === null || refund.chargeId === chargeId);
      return pageOf(wanted, ({ refund }) => place(refund), query, cursor);
    },
  };
}

/**
 * Returns the position of the item that the query names, null if it names none, or undefined if the
 * item does not exist.
 */
async function cursorOf(
  { startingAfter, endingBefore }: PageQuery,
  place: (id: string) => Promise<Place | null>,
): Promise<Place | null | undefined> {
  const id = startingAfter ?? endingBefore;
  return id === null ? null : ((await place(id)) ?? undefined);
}

function placeOfCharge(attempt: Attempt | null): Place | null {
  return attempt === null || attempt.endedAtMs === null ? null : { id: attempt.chargeId, atMs: attempt.endedAtMs };
}

/** Returns a page of a list that is completely in memory, because it belongs to one intent. */
function pageOf<T>(
  all: readonly T[],
  placeOf: (item: T) => Place | null,
  { limit, endingBefore, fromMs, beforeMs }: PageQuery,
  cursor: Place | null,
): { items: readonly T[]; hasMore: boolean } {
  const placed = all.flatMap((item) => {
    const place = placeOf(item);
    return place === null ? [] : [{ item, place }];
  });
  const inBounds = placed
    .filter(({ place: { atMs } }) => (fromMs === null || atMs >= fromMs) && (beforeMs === null || atMs < beforeMs))
    .sort((one, other) => compare(other.place, one.place));
  if (cursor === null || endingBefore === null) {
    const older = cursor === null ? inBounds : inBounds.filter(({ place }) => compare(place, cursor) < 0);
    // Without a cursor `endingBefore` is null too.
    return { items: older.slice(0, limit).map(({ item }) => item), hasMore: older.length > limit };
  }
  const newer = inBounds.filter(({ place }) => compare(place, cursor) > 0);
  return { items: newer.slice(-limit).map(({ item }) => item), hasMore: newer.length > limit };
}

function compare(one: Place, other: Place): number {
  if (one.atMs !== other.atMs) return one.atMs - other.atMs;
  if (one.id === other.id) return 0;
  return one.id < other.id ? -1 : 1;
}

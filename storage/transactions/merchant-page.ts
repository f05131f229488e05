import { hasUuidForm } from "../../engine/kernel/identifiers.ts";
import type {
  MerchantTransaction,
  MerchantTransactionFilter,
  MerchantTransactionPage,
  MerchantTransactionQuery,
  TransactionKey,
  TransactionOrder,
} from "../../engine/payments/merchant-transactions.ts";
import { compareIn, isByAmount } from "./merchant-order.ts";
import type { MerchantQueries } from "./merchant-queries.ts";
import { rangeOf } from "./merchant-sql.ts";
import { keyText } from "./waiting-rows.ts";

const DAY_MS = 86_400_000;

/**
 * A page is first searched in the rows of a day at its beginning. Most pages are full after a day
 * or a week.
 */
const WINDOWS_MS = [DAY_MS, 7 * DAY_MS, 31 * DAY_MS, Number.POSITIVE_INFINITY];

/** A single window, for what an index finds at any time, and for orders by amount. */
const WHOLE_RANGE_MS = [Number.POSITIVE_INFINITY];

export interface PageSources {
  queries: MerchantQueries;
  /** Returns the matching rows that ClickHouse does not have yet. */
  waiting(filter: MerchantTransactionFilter): readonly { key: TransactionKey; found: MerchantTransaction }[];
  nowMs: number;
}

/** Returns a page of a merchant's transactions. */
export async function pageOf({ queries, waiting, nowMs }: PageSources, query: MerchantTransactionQuery): Promise<MerchantTransactionPage> {
  const { after, limit, order = "newest", rowsMax } = query;
  const edgeMs = rowsMax === undefined ? null : await queries.edge(rangeOf(query.filter), rowsMax);
  const filter = edgeMs === null ? query.filter : { ...query.filter, fromMs: edgeMs };
  const compare = compareIn(order);
  const listed = waiting(query.filter)
    .map(({ key, found }) => ({ key: isByAmount(order) ? { ...key, amountMinor: found.transaction.amountCents } : key, found }))
    .filter(({ key }) => after === null || compare(after, key) < 0);
  const stored = await storedKeys(queries, filter, { after, limit: limit + 1, order, nowMs });
  const keys = [...stored, ...listed.map(({ key }) => key)].sort(compare);
  const page = keys.slice(0, limit);
  const ofWaiting = new Map(listed.map(({ key, found }) => [keyText(key), found]));
  const items = await queries.items(
    filter,
    page.filter((key) => !ofWaiting.has(keyText(key))),
  );
  return {
    items: page.map((key) => ofWaiting.get(keyText(key)) ?? items.get(keyText(key))).filter((item) => item !== undefined),
    next: keys.length > limit ? (page.at(-1) ?? null) : null,
    ...(edgeMs === null ? {} : { sinceMs: edgeMs }),
  };
}

/** Returns the requested number of keys, searching wider windows until there are enough. */
async function storedKeys(
  queries: MerchantQueries,
  filter: MerchantTransactionFilter,
  { after, limit, order, nowMs }: { after: TransactionKey | null; limit: number; order: TransactionOrder; nowMs: number },
): Promise<TransactionKey[]> {
  const found: TransactionKey[] = [];
  const isWhole = isByAmount(order) || (filter.q !== undefined && hasUuidForm(filter.q)) || filter.near !== undefined;
  const windows = isWhole ? WHOLE_RANGE_MS : WINDOWS_MS;
  let { fromMs, untilMs } = rangeOf(filter);
  if (order === "oldest") {
    if (after !== null) fromMs = Math.max(fromMs, after.createdAtMs);
    // A range that is open to the past starts with its first row.
    const beginMs = after === null ? await queries.oldest({ fromMs, untilMs }) : fromMs;
    if (beginMs === null) return [];
    let lowMs = beginMs;
    for (const windowMs of windows) {
      const highMs = Math.min(untilMs, beginMs + windowMs);
      if (highMs <= lowMs) continue;
      found.push(...(await queries.keys(filter, { fromMs: lowMs, untilMs: highMs, after, order }, limit - found.length)));
      lowMs = highMs;
      if (found.length >= limit || highMs === untilMs) break;
    }
    return found;
  }
  if (after !== null && !isByAmount(order)) untilMs = Math.min(untilMs, after.createdAtMs + 1);
  // A range that is open to the future starts now. A fast clock only makes the first window longer.
  const beginMs = Math.min(untilMs, nowMs);
  let highMs = untilMs;
  for (const windowMs of windows) {
    const lowMs = Math.max(fromMs, beginMs - windowMs);
    if (lowMs >= highMs) continue;
    found.push(...(await queries.keys(filter, { fromMs: lowMs, untilMs: highMs, after, order }, limit - found.length)));
    highMs = lowMs;
    if (found.length >= limit || lowMs === fromMs) break;
  }
  return found;
}

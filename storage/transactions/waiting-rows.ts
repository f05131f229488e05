import type { FeedRow, TransactionRow } from "../../engine/payments/feed-row.ts";

/** The key that identifies a row. Two terminals may have the same uuid. */
export interface RowKey {
  uuid: string;
  terminalId: string;
}

/** Neither a terminal id nor a uuid contains a space. */
export function keyText({ uuid, terminalId }: RowKey): string {
  return `${terminalId} ${uuid}`;
}

/**
 * Returns the rows that `isWanted` accepts, for each terminal and uuid the one with the highest
 * version.
 */
export function newestOf(rows: readonly FeedRow[], isWanted: (row: TransactionRow) => boolean): TransactionRow[] {
  const newest = new Map<string, TransactionRow>();
  for (const row of rows) {
    if (row.type !== "transaction" || !isWanted(row)) continue;
    const key = keyText(row.transaction);
    const known = newest.get(key);
    if (known === undefined || known.version < row.version) newest.set(key, row);
  }
  return [...newest.values()];
}

/**
 * Removes rows that ClickHouse has in the same or a higher version: they are delivered but not yet
 * deleted from the outbox. `versions` returns the versions in ClickHouse between two times
 * (inclusive), by `keyText`.
 */
export async function withoutStored(
  rows: readonly TransactionRow[],
  versions: (fromMs: number, toMs: number) => Promise<ReadonlyMap<string, number>>,
): Promise<TransactionRow[]> {
  if (rows.length === 0) return [];
  const times = rows.map(({ transaction }) => transaction.createdAtMs);
  const stored = await versions(Math.min(...times), Math.max(...times));
  return rows.filter(({ transaction, version }) => version > (stored.get(keyText(transaction)) ?? -1));
}

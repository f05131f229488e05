import type { FeedRow } from "../../engine/payments/feed-row.ts";
import type { ObjectRow } from "../../engine/payments/object-row.ts";
import { objectKey, type Sql } from "./newest-rows.ts";

/** Returns the newest waiting row of each object of a merchant. */
export function newestObjects(rows: readonly FeedRow[], merchantId: string): ObjectRow[] {
  const newest = new Map<string, ObjectRow>();
  for (const row of rows) {
    if (row.type !== "object" || row.merchantId !== merchantId) continue;
    const known = newest.get(objectKey(row));
    if (known === undefined || known.version < row.version) newest.set(objectKey(row), row);
  }
  return [...newest.values()];
}

/**
 * Removes objects that ClickHouse has in the same or a higher version: they are delivered but not
 * yet deleted from the outbox.
 */
export async function objectsWithoutStored(
  objects: readonly ObjectRow[],
  merchantId: string,
  ask: <Row>(sql: Sql) => Promise<Row[]>,
): Promise<ObjectRow[]> {
  if (objects.length === 0) return [];
  const stored = await ask<{ key: string; newest: number }>({
    text: `SELECT concat(object, ' ', id) AS key, max(version) AS newest FROM relay.merchant_objects
      WHERE merchant_id = {merchantId:String} AND id IN {ids:Array(String)} GROUP BY key`,
    parameters: { merchantId, ids: objects.map(({ id }) => id) },
  });
  const versions = new Map(stored.map(({ key, newest }) => [key, newest]));
  return objects.filter((row) => row.version > (versions.get(objectKey(row)) ?? -1));
}

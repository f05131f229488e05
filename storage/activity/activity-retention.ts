import type { ClickHouseClient } from "@clickhouse/client";
import { ACTIVITY_TABLES, type ActivityTable } from "./activity-rows.ts";

/** Matches the number of days for which a table retains rows, as ClickHouse writes it. */
const KEPT = /\bTTL toDateTime\(at\) \+ toIntervalDay\((\d+)\)/;

/**
 * Sets for how many days the log tables retain rows. A table that already has this setting is not
 * changed. In another one, ClickHouse removes expired rows in the background at once. Resolves with
 * the changed tables. Several nodes may call it at once.
 */
export async function applyActivityRetention(client: ClickHouseClient, days: number): Promise<ActivityTable[]> {
  if (!Number.isInteger(days) || days < 1) throw new RangeError("the logs must be stored for a whole number of days");
  const result = await client.query({
    query: "SELECT name, engine_full AS engine FROM system.tables WHERE database = 'relay'",
    format: "JSONEachRow",
  });
  const engines = new Map((await result.json<{ name: string; engine: string }>()).map(({ name, engine }) => [name, engine]));
  const changed: ActivityTable[] = [];
  for (const table of ACTIVITY_TABLES) {
    const kept = KEPT.exec(engines.get(table) ?? "")?.[1];
    if (kept === String(days)) continue;
    await client.command({ query: `ALTER TABLE relay.${table} MODIFY TTL toDateTime(at) + toIntervalDay(${days})` });
    changed.push(table);
  }
  return changed;
}

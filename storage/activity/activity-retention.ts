import type { ClickHouseClient } from "@clickhouse/client";
import { ACTIVITY_TABLES, type ActivityTable } from "./activity-rows.ts";

/** Of how many days a table keeps its rows, as ClickHouse writes it. */
const KEPT = /\bTTL toDateTime\(at\) \+ toIntervalDay\((\d+)\)/;

/**
 * Has the tables of the logs keep their rows for so many days. A table that does already is left alone; of another one, what is over goes in the background at once.
 * Resolves with the changed tables. Safe from several nodes at once.
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

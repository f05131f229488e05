import type { ClickHouseClient } from "@clickhouse/client";

const QUERY_TIMEOUT_S = 55;

/**
 * Returns the id of one of the relay's tables. Another ClickHouse, or the same one created again,
 * has another id. Rejects with ClickHouse's errors.
 */
export async function tableOf(client: ClickHouseClient, name: string): Promise<string> {
  const result = await client.query({
    query: "SELECT toString(uuid) AS id FROM system.tables WHERE database = 'relay' AND name = {name:String}",
    query_params: { name },
    format: "JSONEachRow",
    clickhouse_settings: { max_execution_time: QUERY_TIMEOUT_S },
  });
  const [row] = await result.json<{ id: string }>();
  if (row === undefined) throw new Error(`ClickHouse has no relay.${name}`);
  return row.id;
}

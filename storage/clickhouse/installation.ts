import type { ClickHouseClient } from "@clickhouse/client";

/** In `relay.installation`; the view `relay.reconciliation` has the days of this zone. */
const TIME_ZONE = "time_zone";

/** Stores the time zone of the installation for views. Nodes of a cluster have the same one; of different ones that of the node that started last counts. */
export async function storeTimeZone(client: ClickHouseClient, timeZone: string): Promise<void> {
  const found = await client.query({
    query: "SELECT value FROM relay.installation FINAL WHERE name = {name:String}",
    query_params: { name: TIME_ZONE },
    format: "JSONEachRow",
  });
  const [stored] = await found.json<{ value: string }>();
  if (stored?.value === timeZone) return;
  await client.insert({ table: "relay.installation", values: [{ name: TIME_ZONE, value: timeZone }], format: "JSONEachRow" });
}

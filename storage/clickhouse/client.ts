import { type ClickHouseClient, ClickHouseLogLevel, createClient } from "@clickhouse/client";

/** Address and user of a ClickHouse, embedded or external. */
export interface ClickHouseAddress {
  url: string;
  username: string;
  password: string;
}

/** Far longer than the longest observed synced insert; queries for which someone waits have a shorter deadline of their own. */
const REQUEST_TIMEOUT_MS = 60_000;

const CONNECTIONS_MAX = 16;

export interface ClickHouseConnections {
  /** Of its queries; absent for the relay's own (workloads.ts). */
  workload?: string;
}

/** A client of the relay's database. It connects when it is first used, and again after an outage of ClickHouse. */
export function connectClickHouse(
  { url, username, password }: ClickHouseAddress,
  { workload }: ClickHouseConnections = {},
): ClickHouseClient {
  return createClient({
    ...(workload === undefined ? {} : { clickhouse_settings: { workload } }),
    url,
    username,
    password,
    application: "terminal-relay",
    request_timeout: REQUEST_TIMEOUT_MS,
    max_open_connections: CONNECTIONS_MAX,
    // Shorter than servers keep idle connections open, so that a request is not sent on a connection that is being closed.
    keep_alive: { enabled: true, idle_socket_ttl: 2_000 },
    // Callers report failures; the client's own log would contain queries.
    log: { level: ClickHouseLogLevel.OFF },
  });
}

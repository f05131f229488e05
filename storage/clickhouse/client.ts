import { type ClickHouseClient, ClickHouseLogLevel, createClient } from "@clickhouse/client";

/** Where a ClickHouse is and as whom it is asked; embedded or a server of one's own. */
export interface ClickHouseAddress {
  url: string;
  username: string;
  password: string;
}

/** Above the longest synced insert that was seen by far; queries that someone waits for bring a shorter deadline of their own. */
const REQUEST_TIMEOUT_MS = 60_000;

const CONNECTIONS_MAX = 16;

/** A client of the relay's database. It connects when it is first used, and again after ClickHouse was away. */
export function connectClickHouse({ url, username, password }: ClickHouseAddress): ClickHouseClient {
  return createClient({
    url,
    username,
    password,
    application: "terminal-relay",
    request_timeout: REQUEST_TIMEOUT_MS,
    max_open_connections: CONNECTIONS_MAX,
    // Below what servers keep an idle connection open for, so that a request does not meet one that is being closed.
    keep_alive: { enabled: true, idle_socket_ttl: 2_000 },
    // Failures are reported by whoever asked; the client's own log would hold queries.
    log: { level: ClickHouseLogLevel.OFF },
  });
}

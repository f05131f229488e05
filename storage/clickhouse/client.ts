import { type ClickHouseClient, ClickHouseLogLevel, createClient } from "@clickhouse/client";

export type { ClickHouseClient };

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
  /** Told of every statement that fails; whoever made it is told all the same. */
  onFailure?(error: unknown): void;
}

/** A client of the relay's database. It connects when it is first used, and again after an outage of ClickHouse. */
export function connectClickHouse(
  { url, username, password }: ClickHouseAddress,
  { workload, onFailure }: ClickHouseConnections = {},
): ClickHouseClient {
  const client = createClient({
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
  return onFailure === undefined ? client : watched(client, onFailure);
}

function watched(client: ClickHouseClient, onFailure: (error: unknown) => void): ClickHouseClient {
  return new Proxy(client, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...values: unknown[]) => {
        const result: unknown = Reflect.apply(member, target, values);
        if (result instanceof Promise) result.catch(onFailure);
        return result;
      };
    },
  });
}

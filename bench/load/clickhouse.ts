import { randomUUID } from "node:crypto";
import { type ClickHouseAddress, type ClickHouseClient, connectClickHouse } from "../../storage/clickhouse/client.ts";
import { ADMIN_USERNAME, type EmbeddedClickHouse, startEmbeddedClickHouse } from "../../storage/clickhouse/embedded/supervisor.ts";
import { migrate } from "../../storage/clickhouse/migrate.ts";

export interface StartedClickHouse {
  readonly server: EmbeddedClickHouse;
  readonly address: ClickHouseAddress;
  readonly client: ClickHouseClient;
  /** Closes the client and ends the server. */
  stop(): Promise<void>;
}

/** Starts a ClickHouse like the embedded one of a relay, with the relay's tables. */
export async function startClickHouse(directory: string): Promise<StartedClickHouse> {
  const password = randomUUID();
  const access = { host: "127.0.0.1", port: 0, adminPassword: password, readerUsername: "analyst", readerPassword: randomUUID() };
  const server = await startEmbeddedClickHouse({ directory, ...access, onLog: () => {} });
  const address = { url: server.url, username: ADMIN_USERNAME, password };
  const client = connectClickHouse(address);
  const stop = async () => {
    await client.close();
    await server.stop();
  };
  try {
    await migrate(client);
    return { server, address, client, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The servers under the nodes of a cluster: those that the tests of a process share, and those of a test that does to them what others would notice. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EmbeddedClickHouse, startEmbeddedClickHouse } from "../../storage/clickhouse/embedded/supervisor.ts";
import { ADMIN, ANALYST } from "../storage/clickhouse/clickhouse-world.ts";
import { atEnd, directoryOf, type Scope, suiteScope } from "../storage/kv/world.ts";
import { startTestKafka, type TestKafka } from "../support/node/kafka.ts";
import { startTestRedis, type TestRedis } from "../support/node/redis.ts";
import { emptyClickHouse, emptyKafka, emptyRedis } from "./empty-servers.ts";

/** A ClickHouse that a test kills and starts again on its port and data. */
export interface ClusterClickHouse {
  /** As the nodes are told, credentials included. */
  readonly url: string;
  readonly directory: string;
  /** kill -9; nothing starts it again but `start`. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** A real Redis, Kafka and ClickHouse, whose addresses are all that a test needs. */
export interface SharedServers {
  readonly redis: Pick<TestRedis, "url" | "port">;
  readonly kafka: Pick<TestKafka, "brokers">;
  readonly clickhouse: Pick<ClusterClickHouse, "url">;
  /** The variables of a node that name them, and folders for the files that its nodes share. */
  readonly environment: { readonly [name: string]: string };
}

/** The same of a test's own, which may kill, pause and configure them. */
export interface OwnServers extends SharedServers {
  readonly redis: TestRedis;
  readonly kafka: TestKafka;
  readonly clickhouse: ClusterClickHouse;
}

type Servers = Omit<OwnServers, "environment">;

const ofProcess = suiteScope();
let shared: Servers | null = null;
let isTaken = false;

/**
 * Empty servers for a test or a suite. Those of a process are started once and emptied at each further use, so a test has to leave them as they are. Where they are
 * in use, the test gets servers of its own.
 */
export async function sharedServers(scope: Scope): Promise<SharedServers> {
  if (isTaken) return ownServers(scope);
  isTaken = true;
  atEnd(scope, () => {
    isTaken = false;
  });
  if (shared === null) shared = await startServers(ofProcess);
  else await emptyServers(shared);
  return withFolders(scope, shared);
}

/** Starts servers that end with the test. */
export async function ownServers(scope: Scope): Promise<OwnServers> {
  return withFolders(scope, await startServers(scope));
}

async function emptyServers({ redis, kafka, clickhouse }: Servers): Promise<void> {
  await Promise.all([emptyRedis(redis.url), emptyKafka(kafka.brokers), emptyClickHouse(clickhouse.url)]);
}

async function startServers(scope: Scope): Promise<Servers> {
  const endsWithScope = async <Server extends { stop(): Promise<void> }>(starting: Promise<Server>): Promise<Server> => {
    const server = await starting;
    atEnd(scope, () => server.stop());
    return server;
  };
  const starting = [endsWithScope(startTestRedis()), endsWithScope(startTestKafka()), endsWithScope(startClusterClickHouse())] as const;
  // Where one of them fails, the others have to be there to be ended.
  await Promise.allSettled(starting);
  const [redis, kafka, clickhouse] = await Promise.all(starting);
  return { redis, kafka, clickhouse };
}

async function withFolders(scope: Scope, servers: Servers): Promise<OwnServers> {
  const folder = await directoryOf(scope);
  return {
    ...servers,
    environment: {
      RELAY_REDIS_URL: servers.redis.url,
      RELAY_KAFKA_BROKERS: servers.kafka.brokers.join(","),
      RELAY_CLICKHOUSE_URL: servers.clickhouse.url,
      RELAY_PACKAGE_DIR: join(folder, "packages"),
      RELAY_EXPORT_DIR: join(folder, "exports"),
    },
  };
}

async function startClusterClickHouse(): Promise<ClusterClickHouse> {
  const directory = await mkdtemp(join(tmpdir(), "relay-clickhouse-"));
  const start = (port: number) =>
    startEmbeddedClickHouse({
      directory,
      host: "127.0.0.1",
      port,
      adminPassword: ADMIN.password,
      readerUsername: ANALYST.username,
      readerPassword: ANALYST.password,
      onLog: () => undefined,
    });
  let running: EmbeddedClickHouse | null = await start(0);
  const address = new URL(running.url);
  const port = Number(address.port);
  [address.username, address.password] = [ADMIN.username, ADMIN.password];
  const kill = async (): Promise<void> => {
    const pid = running?.pid() ?? null;
    if (pid !== null) process.kill(pid, "SIGKILL");
    await running?.stop();
    running = null;
  };
  return {
    url: address.href,
    directory,
    kill,
    start: async () => {
      running ??= await start(port);
    },
    stop: async () => {
      await kill();
      await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

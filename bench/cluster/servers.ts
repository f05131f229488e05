import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../infra/local/free-port.ts";
import { readInfraState } from "../../infra/local/service-state.ts";
import { servicesDown, servicesUp } from "../../infra/local/services.ts";

/** A Redis, a Kafka and a ClickHouse of this run's own. */
export interface BenchServers {
  /** With a folder a server: its log and data. */
  readonly directory: string;
  readonly redisUrl: string;
  readonly kafkaBrokers: readonly string[];
  readonly clickhouseUrl: string;
  /** RELAY_ names that make a node a member. */
  readonly environment: { readonly [name: string]: string };
  readonly pids: { readonly redis: number; readonly kafka: number; readonly clickhouse: number };
  stop(): Promise<void>;
}

/** Starts them in a temporary folder, on free ports; throws with what is missing. */
export async function startBenchServers(): Promise<BenchServers> {
  const directory = await mkdtemp(join(tmpdir(), "relay-bench-cluster-"));
  const stop = async (): Promise<void> => {
    await servicesDown(directory);
    await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  };
  try {
    const [redis, kafka, clickhouse] = [await freePort(), await freePort(), await freePort()];
    const results = await servicesUp({ directory, only: ["redis", "kafka", "clickhouse"], ports: { redis, kafka, clickhouse } });
    const environment: { [name: string]: string } = {};
    for (const result of results) {
      if ("reason" in result) throw new Error(`${result.name}: ${result.reason}`);
      environment[result.variable.name] = result.variable.value;
    }
    const state = await readInfraState(directory);
    return {
      directory,
      redisUrl: environment["RELAY_REDIS_URL"] ?? "",
      kafkaBrokers: (environment["RELAY_KAFKA_BROKERS"] ?? "").split(","),
      clickhouseUrl: environment["RELAY_CLICKHOUSE_URL"] ?? "",
      environment,
      pids: { redis: state.redis?.pid ?? 0, kafka: state.kafka?.pid ?? 0, clickhouse: state.clickhouse?.pid ?? 0 },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

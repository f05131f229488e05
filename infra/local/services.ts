import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { clickHouseUrl, startClickHouseService } from "./clickhouse.ts";
import { isOurs, startDetached, stopDetached } from "./detached-process.ts";
import { freePort, freePortNear, isFree } from "./free-port.ts";
import { formatKafka, installKafka, kafkaArguments, kafkaProperties } from "./kafka.ts";
import { kafkaAnswers } from "./kafka-answers.ts";
import { installRedis, redisConfig } from "./redis.ts";
import { redisAnswers } from "./redis-answers.ts";
import {
  type InfraState,
  readInfraState,
  SERVICE_NAMES,
  type ServiceName,
  type ServiceRecord,
  type StartedService,
  writeInfraState,
} from "./service-state.ts";

const START_TIMEOUT_MS = 60_000;

const USUAL_PORTS: Record<ServiceName, number> = { redis: 6379, kafka: 9092, clickhouse: 8123 };

/** How to start a service in its folder, or why it cannot be. */
export type StartService = (directory: string, port: number) => Promise<StartedService | { missing: string }>;

const START: Record<ServiceName, StartService> = { redis: startRedis, kafka: startKafka, clickhouse: startClickHouseService };

export interface UpOptions {
  /** Absolute; state, logs and data, a folder a service. */
  directory: string;
  only: readonly ServiceName[];
  /** Requested ports; a service without one uses its previous port, else its usual one, else a free one. */
  ports: Partial<Record<ServiceName, number>>;
}

export type UpResult =
  | { name: ServiceName; type: "started" | "was running"; port: number; variable: { name: string; value: string } }
  | { name: ServiceName; type: "missing" | "failed"; reason: string };

/**
 * Starts the services that are not running yet and waits until they answer. A service that cannot be started is reported and does not
 * affect the others.
 */
export async function servicesUp({ directory, only, ports }: UpOptions): Promise<UpResult[]> {
  const results: UpResult[] = [];
  for (const name of only) results.push(await serviceUp(name, directory, ports[name]));
  return results;
}

/** Stops what `servicesUp` started there, and nothing else. The data is kept. Resolves with what was running. */
export async function servicesDown(directory: string): Promise<ServiceName[]> {
  const state = await readInfraState(directory);
  const stopped: ServiceName[] = [];
  for (const name of [...SERVICE_NAMES].reverse()) {
    const record = state[name];
    if (record !== undefined && (await stopDetached(record.pid, record.marker))) stopped.push(name);
  }
  return stopped;
}

async function serviceUp(name: ServiceName, directory: string, wishedPort: number | undefined): Promise<UpResult> {
  const state = await readInfraState(directory);
  const record = state[name];
  const folder = join(directory, name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (record !== undefined && (await isOurs(record.pid, record.marker))) {
    return { name, type: "was running", port: record.port, variable: await variableOf(name, folder, record.port) };
  }
  const port = await portFor(name, wishedPort, record);
  if (port === null) return { name, type: "failed", reason: `port ${wishedPort} is taken` };
  const started = await START[name](folder, port);
  if ("missing" in started) return { name, type: "missing", reason: started.missing };
  // Recorded before it answers, so that `down` finds it even if `up` is interrupted.
  await writeInfraState(directory, { ...state, [name]: { pid: started.pid, port, marker: started.marker } } satisfies InfraState);
  const giveUpAt = performance.now() + START_TIMEOUT_MS;
  while (!(await started.answers())) {
    if (!(await isOurs(started.pid, started.marker)) || performance.now() > giveUpAt) {
      await stopDetached(started.pid, started.marker);
      return { name, type: "failed", reason: `it did not come up; see ${join(folder, `${name}.log`)}` };
    }
  }
  return { name, type: "started", port, variable: started.variable };
}

async function portFor(name: ServiceName, wished: number | undefined, record: ServiceRecord | undefined): Promise<number | null> {
  if (wished !== undefined) return (await isFree(wished)) ? wished : null;
  return freePortNear(record?.port ?? USUAL_PORTS[name]);
}

async function startRedis(directory: string, port: number): Promise<StartedService | { missing: string }> {
  const installed = await installRedis();
  if (installed.type === "missing") return { missing: installed.reason };
  const configFile = join(directory, "redis.conf");
  await writeFile(configFile, redisConfig(directory, port));
  const pid = await startDetached(installed.program, [configFile], join(directory, "redis.log"));
  return { pid, marker: configFile, answers: () => redisAnswers(port), variable: await variableOf("redis", directory, port) };
}

async function startKafka(directory: string, port: number): Promise<StartedService | { missing: string }> {
  const installed = await installKafka();
  if (installed.type === "missing") return { missing: installed.reason };
  const place = { jars: installed.program, directory, port, controllerPort: await freePort() };
  const propertiesFile = join(directory, "server.properties");
  await writeFile(propertiesFile, kafkaProperties(place));
  await formatKafka(place, propertiesFile);
  const pid = await startDetached("java", kafkaArguments(place.jars, propertiesFile), join(directory, "kafka.log"));
  return { pid, marker: propertiesFile, answers: () => kafkaAnswers(port), variable: await variableOf("kafka", directory, port) };
}

async function variableOf(name: ServiceName, directory: string, port: number): Promise<{ name: string; value: string }> {
  if (name === "redis") return { name: "RELAY_REDIS_URL", value: `redis://127.0.0.1:${port}/0` };
  if (name === "kafka") return { name: "RELAY_KAFKA_BROKERS", value: `127.0.0.1:${port}` };
  return { name: "RELAY_CLICKHOUSE_URL", value: await clickHouseUrl(directory, port) };
}

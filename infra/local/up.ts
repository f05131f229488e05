/** `npm run infra:up`: Redis, Kafka and ClickHouse on this machine, without Docker. */
import { resolve } from "node:path";
import { InvalidArgumentError } from "commander";
import { commandLine } from "../command-line.ts";
import { SERVICE_NAMES, type ServiceName } from "./service-state.ts";
import { servicesUp } from "./services.ts";

interface Options {
  dir: string;
  only: ServiceName[];
  redisPort?: number;
  kafkaPort?: number;
  clickhousePort?: number;
}

const program = commandLine("infra:up")
  .description("Starts Redis, Kafka and ClickHouse for a cluster on this machine; services that are already running stay as they are.")
  .option("--dir <folder>", "folder for state, logs and data", "data/infra")
  .option("--only <names>", `some of ${SERVICE_NAMES.join(",")}`, readNames, [...SERVICE_NAMES])
  .option("--redis-port <port>", "default 6379, or another port if that is in use", readPort)
  .option("--kafka-port <port>", "default 9092, or another port if that is in use", readPort)
  .option("--clickhouse-port <port>", "default 8123, or another port if that is in use", readPort);

const { dir, only, redisPort, kafkaPort, clickhousePort } = program.parse().opts<Options>();
const results = await servicesUp({
  directory: resolve(dir),
  only,
  ports: {
    ...(redisPort === undefined ? {} : { redis: redisPort }),
    ...(kafkaPort === undefined ? {} : { kafka: kafkaPort }),
    ...(clickhousePort === undefined ? {} : { clickhouse: clickhousePort }),
  },
});
for (const result of results) {
  if ("reason" in result) console.error(`# ${result.name}: ${result.type}: ${result.reason}`);
  else console.error(`# ${result.name}: ${result.type} on port ${result.port}`);
}
// On standard output, so that `eval "$(npm run -s infra:up)"` sets them.
for (const result of results) if ("variable" in result) console.log(`export ${result.variable.name}='${result.variable.value}'`);
if (results.some((result) => "reason" in result)) process.exitCode = 1;

function readNames(text: string): ServiceName[] {
  const words = text.split(",");
  const names = SERVICE_NAMES.filter((name) => words.includes(name));
  if (names.length !== words.length) throw new InvalidArgumentError(`allowed: ${SERVICE_NAMES.join(",")}`);
  return names;
}

function readPort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new InvalidArgumentError("a port must be 1 to 65535");
  return port;
}

import { existsSync } from "node:fs";
import { readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheFolder } from "./cache-folder.ts";
import type { Installed } from "./debian-package.ts";
import { mayInstall } from "./may-install.ts";
import { hasProgram, runCommand, runLocked } from "./run-command.ts";

const POM_FILE = fileURLToPath(new URL("./kafka/pom.xml", import.meta.url));
const INSTALL_TIMEOUT_MS = 600_000;
const FORMAT_TIMEOUT_MS = 60_000;

/** Any 16 bytes; one broker is the whole cluster. */
const CLUSTER_ID = "MkU3OEVBNTcwNTJENDM2Qk";

/** The folder of Kafka's jars. */
export type KafkaJars = string;

/** Downloads Kafka's jars into the cache folder with Maven, once per version. Takes half a minute the first time. */
export async function installKafka(): Promise<Installed<KafkaJars>> {
  const version = /<kafka\.version>([^<]+)</.exec(await readFile(POM_FILE, "utf8"))?.[1];
  if (version === undefined) throw new Error(`${POM_FILE} names no kafka.version`);
  if (!(await hasProgram("java", ["-version"]))) return { type: "missing", reason: "java (17 or newer) is not installed: Kafka needs it" };
  const cache = await cacheFolder();
  const jars = join(cache, `kafka-${version}`);
  if (existsSync(jars)) return { type: "installed", program: jars };
  if (!mayInstall()) return { type: "missing", reason: "Kafka's jars were not downloaded: `npm run infra:up` does so" };
  if (!(await hasProgram("mvn", ["--version"]))) {
    return { type: "missing", reason: "mvn is not installed: it fetches Kafka's jars from Maven Central" };
  }
  const unfinished = `${jars}.${process.pid}`;
  const args = ["-q", "-B", "-f", POM_FILE, "dependency:copy-dependencies", "-DincludeScope=runtime", `-DoutputDirectory=${unfinished}`];
  const { exitCode, output } = await runLocked(join(cache, "maven.lock"), "mvn", args, INSTALL_TIMEOUT_MS);
  if (exitCode === 0) {
    // Renamed at the end, so that the folder is complete or absent; another process may have been first.
    await rename(unfinished, jars).catch(() => undefined);
    if (existsSync(jars)) {
      await rm(unfinished, { recursive: true, force: true });
      return { type: "installed", program: jars };
    }
  }
  await rm(unfinished, { recursive: true, force: true });
  return { type: "missing", reason: `Kafka's jars could not be fetched: ${output.trim().split("\n").at(-1) ?? ""}` };
}

export interface KafkaPlace {
  jars: KafkaJars;
  directory: string;
  port: number;
  controllerPort: number;
}

/** One process that is broker and controller (KRaft), on loopback, with topics of one replica. */
export function kafkaProperties({ directory, port, controllerPort }: Omit<KafkaPlace, "jars">): string {
  const properties: Record<string, string> = {
    "process.roles": "broker,controller",
    "node.id": "1",
    "controller.quorum.voters": `1@127.0.0.1:${controllerPort}`,
    "controller.listener.names": "CONTROLLER",
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    "advertised.listeners": `PLAINTEXT://127.0.0.1:${port}`,
    "log.dirs": kafkaDataFolder(directory),
    "num.partitions": "4",
    "auto.create.topics.enable": "false",
    "offsets.topic.replication.factor": "1",
    "offsets.topic.num.partitions": "4",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    "group.initial.rebalance.delay.ms": "0",
    // A broker that was killed can register again only when its previous session has expired (9 s by default).
    "broker.session.timeout.ms": "2000",
    "broker.heartbeat.interval.ms": "300",
  };
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");
}

function kafkaDataFolder(directory: string): string {
  return join(directory, "log");
}

/** Prepares the data folder for its first start; a prepared folder is not changed. */
export async function formatKafka(place: KafkaPlace, propertiesFile: string): Promise<void> {
  if (existsSync(join(kafkaDataFolder(place.directory), "meta.properties"))) return;
  const args = [...javaArguments(place.jars), "kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", propertiesFile];
  const { exitCode, output } = await runCommand("java", args, FORMAT_TIMEOUT_MS);
  if (exitCode !== 0) throw new Error(`Kafka's data folder could not be prepared: ${output.trim()}`);
}

/** The command line of the broker, after `java`. */
export function kafkaArguments(jars: KafkaJars, propertiesFile: string): string[] {
  return [...javaArguments(jars), "kafka.Kafka", propertiesFile];
}

function javaArguments(jars: KafkaJars): string[] {
  // A small heap and the fast compiler: this broker shares a developer's machine, and starts faster. The concurrent collector would use
  // more of the processor than the broker, since each large batch counts as huge in so small a heap.
  return [
    "-Xmx512m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
    "-cp",
    join(jars, "*"),
  ];
}

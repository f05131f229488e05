import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../../infra/local/free-port.ts";
import { formatKafka, installKafka, kafkaArguments, kafkaProperties } from "../../../infra/local/kafka.ts";
import { kafkaAnswers } from "../../../infra/local/kafka-answers.ts";
import { ServerProcess, skipReason } from "./server-process.ts";

const START_ATTEMPTS = 3;
const START_DEADLINE_MS = 60_000;

/**
 * Returns the reason why a suite on Kafka cannot run here, or false. Maven downloads Kafka's jars
 * if possible.
 */
export async function kafkaMissing(): Promise<string | false> {
  return skipReason(await installKafka());
}

/**
 * A Kafka broker for one test file. It takes seconds to start, so the tests of a file share it and
 * use their own topics.
 */
export interface TestKafka {
  /** `host:port`, in the form of RELAY_KAFKA_BROKERS. */
  readonly brokers: readonly string[];
  readonly directory: string;
  readonly process: ServerProcess;
  /**
   * Restarts on the same port and data, after `process.kill()` or `process.terminate()`. Resolves
   * when the broker answers.
   */
  restart(): Promise<void>;
  /** Ends the broker and removes its data. */
  stop(): Promise<void>;
}

/** Starts a broker (KRaft, one process) without automatic topics. Resolves when it answers. */
export async function startTestKafka(): Promise<TestKafka> {
  const installed = await installKafka();
  if (installed.type === "missing") throw new Error(installed.reason);
  for (let attempt = 1; ; attempt++) {
    const directory = await mkdtemp(join(tmpdir(), "relay-kafka-"));
    const place = { jars: installed.program, directory, port: await freePort(), controllerPort: await freePort() };
    const propertiesFile = join(directory, "server.properties");
    await writeFile(propertiesFile, kafkaProperties(place));
    await formatKafka(place, propertiesFile);
    const server = new ServerProcess("java", kafkaArguments(place.jars, propertiesFile), join(directory, "kafka.log"));
    await server.start();
    if (await answers(server, place.port)) return testKafka(server, place.port, directory);
    await server.kill();
    if (attempt === START_ATTEMPTS) throw new Error(`Kafka did not start; see ${directory}/kafka.log`);
    await rm(directory, { recursive: true, force: true });
  }
}

function testKafka(server: ServerProcess, port: number, directory: string): TestKafka {
  return {
    brokers: [`127.0.0.1:${port}`],
    directory,
    process: server,
    restart: async () => {
      await server.start();
      if (!(await answers(server, port))) throw new Error(`Kafka did not start again; see ${directory}/kafka.log`);
    },
    stop: async () => {
      await server.kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function answers(server: ServerProcess, port: number): Promise<boolean> {
  const giveUpAt = performance.now() + START_DEADLINE_MS;
  while (server.running && performance.now() < giveUpAt) if (await kafkaAnswers(port)) return server.running;
  return false;
}

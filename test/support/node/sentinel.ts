import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { Redis } from "ioredis";
import type { Installed } from "../../../infra/local/debian-package.ts";
import { freePort } from "../../../infra/local/free-port.ts";
import { redisAnswers } from "../../../infra/local/redis-answers.ts";
import { atEnd } from "../../storage/kv/world.ts";
import { eventually } from "../within.ts";
import { startTestRedis, type TestRedis } from "./redis.ts";
import { ServerProcess } from "./server-process.ts";

const NAME = "relay";
const SENTINELS = 3;
const QUORUM = 2;
/**
 * The time after which the Sentinels consider a primary down. A busy machine delays one for less.
 */
const DOWN_AFTER_MS = 5_000;
const FAILOVER_TIMEOUT_MS = 10_000;

/** A primary with replicas, and Sentinels that promote one of them. */
export interface TestSentinels {
  /** The address in the form of RELAY_REDIS_URL. */
  readonly url: string;
  /** The first server is the primary at the start. */
  readonly servers: readonly TestRedis[];
  /** Returns the index of the server that the Sentinels consider the primary. */
  primary(): Promise<number>;
}

/**
 * Starts all of them for the test. Resolves when the Sentinels know each other and the replicas,
 * and the replicas have copied the primary.
 */
export async function startTestSentinels(
  test: TestContext,
  { replicas, install }: { replicas: number; install: () => Promise<Installed<string>> },
): Promise<TestSentinels> {
  const installed = await install();
  if (installed.type === "missing") throw new Error(installed.reason);
  const primary = await startTestRedis({ "repl-diskless-sync-delay": "0" }, install);
  atEnd(test, () => primary.stop());
  const servers = [primary];
  for (let index = 0; index < replicas; index += 1) {
    const replica = await startTestRedis({ replicaof: `127.0.0.1 ${primary.port}`, "repl-diskless-sync-delay": "0" }, install);
    atEnd(test, () => replica.stop());
    servers.push(replica);
  }
  const ports: number[] = [];
  for (let index = 0; index < SENTINELS; index += 1) ports.push(await startSentinel(test, installed.program, primary, index));
  const clients = ports.map((port) => {
    const client = new Redis({ port, host: "127.0.0.1" });
    client.on("error", () => undefined);
    atEnd(test, () => client.disconnect());
    return client;
  });
  for (const client of clients) {
    await eventually(async () => {
      const known = [await client.call("sentinel", "sentinels", NAME), await client.call("sentinel", "replicas", NAME)].map((list) =>
        Array.isArray(list) ? list.length : -1,
      );
      if (known[0] !== SENTINELS - 1 || known[1] !== replicas) throw new Error(`a Sentinel knows ${known.join(" and ")}`);
    });
  }
  const [first] = clients;
  if (first === undefined) throw new Error("there is no Sentinel");
  return {
    url: `redis-sentinel://${ports.map((port) => `127.0.0.1:${port}`).join(",")}/0?name=${NAME}`,
    servers,
    primary: async () => {
      const address = await first.call("sentinel", "get-master-addr-by-name", NAME);
      return servers.findIndex(({ port }) => Array.isArray(address) && String(address[1]) === String(port));
    },
  };
}

async function startSentinel(test: TestContext, program: string, primary: TestRedis, index: number): Promise<number> {
  const port = await freePort();
  const directory = join(primary.directory, `sentinel-${index}`);
  await mkdir(directory);
  const configFile = join(directory, "sentinel.conf");
  const lines = [
    "bind 127.0.0.1",
    `port ${port}`,
    `dir "${directory}"`,
    `sentinel monitor ${NAME} 127.0.0.1 ${primary.port} ${QUORUM}`,
    `sentinel down-after-milliseconds ${NAME} ${DOWN_AFTER_MS}`,
    `sentinel failover-timeout ${NAME} ${FAILOVER_TIMEOUT_MS}`,
    `sentinel parallel-syncs ${NAME} 2`,
  ];
  await writeFile(configFile, `${lines.join("\n")}\n`);
  const server = new ServerProcess(program, [configFile, "--sentinel"], join(directory, "sentinel.log"));
  await server.start();
  atEnd(test, () => server.kill());
  await eventually(async () => {
    if (!(await redisAnswers(port))) throw new Error(`the Sentinel did not start; see ${directory}/sentinel.log`);
  });
  return port;
}

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../../infra/local/free-port.ts";
import { installRedis, redisConfig } from "../../../infra/local/redis.ts";
import { redisAnswers } from "../../../infra/local/redis-answers.ts";
import { ServerProcess, skipReason } from "./server-process.ts";

const START_ATTEMPTS = 5;
const START_DEADLINE_MS = 10_000;

/**
 * Returns the reason why a suite on Redis cannot run here, or false. Installs redis-server if it
 * may.
 */
export async function redisMissing(): Promise<string | false> {
  return skipReason(await installRedis());
}

/** A Redis for one test. */
export interface TestRedis {
  readonly url: string;
  readonly port: number;
  readonly directory: string;
  readonly process: ServerProcess;
  /**
   * Restarts on the same port and data, after `process.kill()` or `process.terminate()`. Resolves
   * when Redis answers.
   */
  restart(settings?: Readonly<Record<string, string>>): Promise<void>;
  /** Ends Redis and removes its data. */
  stop(): Promise<void>;
}

/**
 * Starts a Redis with the relay's durability; `settings` are lines of redis.conf that are added or
 * replace others. Resolves when it answers.
 */
export async function startTestRedis(settings: Readonly<Record<string, string>> = {}, install = installRedis): Promise<TestRedis> {
  const installed = await install();
  if (installed.type === "missing") throw new Error(installed.reason);
  const directory = await mkdtemp(join(tmpdir(), "relay-redis-"));
  const configFile = join(directory, "redis.conf");
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    await writeFile(configFile, redisConfig(directory, port, settings));
    const server = new ServerProcess(installed.program, [configFile], join(directory, "redis.log"));
    await server.start();
    if (await answers(server, port)) return testRedis(server, port, directory, configFile, settings);
    await server.kill();
    if (attempt === START_ATTEMPTS) throw new Error(`redis-server did not start; see ${directory}/redis.log`);
  }
}

function testRedis(
  server: ServerProcess,
  port: number,
  directory: string,
  configFile: string,
  settings: Readonly<Record<string, string>>,
): TestRedis {
  return {
    url: `redis://127.0.0.1:${port}/0`,
    port,
    directory,
    process: server,
    restart: async (changed = settings) => {
      await writeFile(configFile, redisConfig(directory, port, changed));
      await server.start();
      if (!(await answers(server, port))) throw new Error(`redis-server did not start again; see ${directory}/redis.log`);
    },
    stop: async () => {
      await server.kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/**
 * Resolves with true when Redis answers and has loaded its data, and with false if it ended or
 * never answered.
 */
async function answers(server: ServerProcess, port: number): Promise<boolean> {
  const giveUpAt = performance.now() + START_DEADLINE_MS;
  while (server.running && performance.now() < giveUpAt) if (await redisAnswers(port)) return server.running;
  return false;
}

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type ClockShift, createClockShift, shiftClock } from "../../../infra/node/boot/clock.ts";
import { readConfig } from "../../../infra/node/boot/config.ts";
import type { RunningNode } from "../../../infra/node/process/node.ts";
import { startShardThreads } from "../../../infra/node/process/shard-threads.ts";
import { startNode } from "../../../infra/node/process/start-node.ts";
import { HTTP_LIBRARY } from "../http/http-library.ts";
import { BUILD } from "./build.ts";

/**
 * A whole node in this process: real shards, store and sockets on a free port, with its own folder
 * and a clock that tests move.
 */
export interface TestNode extends RunningNode {
  dataDirectory: string;
  /** Moves the clocks of all threads. */
  advance(ms: number): void;
  /**
   * Stops the node and starts it again on the same folder and clock, with these RELAY_ names
   * changed. The returned node replaces this one.
   */
  restart(whileStopped?: (dataDirectory: string) => Promise<void>, changes?: { [name: string]: string }): Promise<TestNode>;
}

export const API_KEY = "pk_live_sandbox_0000000000000000000000000000";
export const basic = (username: string, password: string) => `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
export const ADMIN = basic("admin", "admin");
export const FLEET = basic("terminal", "terminal");

const PROGRAM = pathToFileURL(join(BUILD ?? "", "infra/node/shard/shard-worker.js"));

/** The numbers of shards with which tests of both run a node. */
export const SHARD_COUNTS = [1, 2] as const;

/**
 * Starts a sandbox node without its simulated terminal; `environment` adds RELAY_ names. The test
 * has to stop it at its end.
 */
export async function startTestNode(
  environment: { [name: string]: string } = {},
  dataDirectory?: string,
  clockShift: ClockShift = createClockShift(),
): Promise<TestNode> {
  const directory = dataDirectory ?? (await mkdtemp(join(tmpdir(), "relay-test-")));
  const config = readConfig({
    RELAY_PORT: "0",
    RELAY_SHARDS: "1",
    RELAY_ZVT_PORT: "0",
    RELAY_LOG_LEVEL: "error",
    RELAY_NODE_ID: "test-node",
    RELAY_DATA_DIR: directory,
    RELAY_WITNESS_FILE: join(directory, "witness"),
    RELAY_HTTP_LIBRARY: HTTP_LIBRARY,
    ...environment,
  });
  const node = await startNode({
    config,
    clockShift,
    ...(BUILD === undefined ? {} : { threads: () => startShardThreads(config.shards, PROGRAM) }),
    crashed: (where, error) => {
      throw new Error(`${where} crashed`, { cause: error });
    },
  });
  return {
    ...node,
    dataDirectory: directory,
    advance: (ms) => shiftClock(clockShift, ms),
    restart: async (whileStopped, changes = {}) => {
      await node.stop();
      await whileStopped?.(directory);
      return startTestNode({ ...environment, ...changes }, directory, clockShift);
    },
    stop: async () => {
      await node.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

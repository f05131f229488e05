import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Installed } from "../../infra/local/debian-package.ts";
import { freePort } from "../../infra/local/free-port.ts";
import { installRedis } from "../../infra/local/redis.ts";
import { readAnalystAccess } from "../../storage/clickhouse/analyst-access.ts";
import type { ClickHouseAddress } from "../../storage/clickhouse/client.ts";
import { type Child, startProgram } from "../load/child.ts";
import { startClickHouse } from "../load/clickhouse.ts";
import type { TreeRoot } from "../load/process-trees.ts";
import { buildRelay, startBuiltRelay } from "../load/relay.ts";
import { copyStore } from "../load/stored-uuids.ts";
import { API_KEY, TERMINAL_SECRET } from "../load/terminals.ts";
import { installFastify, installSpring } from "./install.ts";
import { CONTENDER_LABELS, type ContenderName, hasRows, type PeerName, RELAYS } from "./names.ts";
import { copyRedis, fillRedis, startRedis } from "./redis-store.ts";

/** A server that does the whole job, with all of its processes. */
export interface Contender extends Child {
  readonly name: ContenderName;
  readonly port: number;
  readonly trees: readonly TreeRoot[];
  /** Its data; a relay's analyst access is there. */
  readonly directory: string;
  /** Null where it keeps nothing in one. */
  readonly redisPort: number | null;
  /** Resolves with how to read its rows in ClickHouse, or with null if it writes none. */
  clickHouse(): Promise<ClickHouseAddress | null>;
}

/** How one is started, again and again. */
export interface ReadyContender {
  readonly name: ContenderName;
  /** In a folder that is not there yet, empty or on a copy of what is stored before. `redisSettings` override those of a peer's Redis. */
  start(directory: string, data: "empty" | "filled", redisSettings?: Readonly<Record<string, string>>): Promise<Contender>;
}

export interface ContendersOptions {
  peers: readonly PeerName[];
  /** For a build, and for what is filled. */
  work: string;
  /** A relay's filled store. What the peers have filled is kept beside it. Null: all start empty. */
  filled: { store: string; stored: number } | null;
  note(text: string): void;
}

/** Builds and installs what is to be measured; a peer that cannot be is left out, and the reason told. */
export async function prepareContenders({ peers, work, filled, note }: ContendersOptions): Promise<ReadyContender[]> {
  note("building the relay");
  const ready = await readyRelays(work, filled?.store ?? null);
  if (peers.length === 0) return ready;
  const redis = await installRedis();
  const programs = new Map<PeerName, Installed<string>>();
  for (const name of peers) {
    note(`installing ${CONTENDER_LABELS[name]}`);
    const installed = redis.type === "missing" ? redis : await (name === "spring" ? installSpring() : installFastify());
    if (installed.type === "missing") note(`left out: ${CONTENDER_LABELS[name]}: ${installed.reason}`);
    programs.set(name, installed);
  }
  let filledRedis: string | null = null;
  if (filled !== null && [...programs.values()].some(({ type }) => type === "installed")) {
    filledRedis = `${filled.store}-redis`;
    note("storing random uuids in a Redis");
    await fillRedis(filledRedis, filled.stored);
  }
  for (const [name, installed] of programs) {
    if (installed.type === "installed") ready.push(readyPeer(name, installed.program, filledRedis));
  }
  return ready;
}

async function readyRelays(work: string, store: string | null): Promise<ReadyContender[]> {
  const build = await buildRelay(work);
  return RELAYS.map((name) => ({
    name,
    start: async (directory, data) => {
      await mkdir(directory, { recursive: true });
      if (data === "filled" && store !== null) await copyStore(store, join(directory, "state"));
      const relay = await startBuiltRelay(build, directory, hasRows(name) ? {} : { RELAY_ANALYTICS: "off" });
      return {
        ...relay,
        ...{ name, trees: [{ name: "node", pid: relay.pid, children: "clickhouse" }], directory, redisPort: null },
        clickHouse: async () => (hasRows(name) ? readAnalystAccess(directory) : null),
      };
    },
  }));
}

function readyPeer(name: PeerName, program: string, filledRedis: string | null): ReadyContender {
  return {
    name,
    start: async (directory, data, redisSettings = {}) => {
      await mkdir(directory, { recursive: true });
      if (data === "filled" && filledRedis !== null) await copyRedis(filledRedis, directory);
      const clickHouse = hasRows(name) ? await startClickHouse(join(directory, "clickhouse")) : null;
      const redisPort = await freePort();
      // At the same time, as a machine that starts does it; the program's clients of Redis connect when it is there.
      const [redis, server] = await Promise.allSettled([
        startRedis(directory, redisSettings, redisPort),
        startServer(name, program, { redisPort, clickHouse: clickHouse?.address ?? null }),
      ]);
      if (redis.status === "rejected" || server.status === "rejected") {
        for (const started of [redis, server]) if (started.status === "fulfilled") await started.value.stop();
        await clickHouse?.stop();
        throw new Error(`${CONTENDER_LABELS[name]} did not start`, {
          cause: [redis, server].flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []))[0],
        });
      }
      const language = name === "spring" ? "java" : "node";
      const clickHousePid = clickHouse?.server.pid() ?? null;
      return {
        name,
        pid: server.value.pid,
        port: server.value.port,
        trees: [
          { name: language, pid: server.value.pid, children: language },
          { name: "redis", pid: redis.value.pid, children: "redis" },
          ...(clickHousePid === null ? [] : [{ name: "clickhouse", pid: clickHousePid, children: "clickhouse" }]),
        ],
        directory,
        redisPort,
        clickHouse: async () => clickHouse?.address ?? null,
        stop: async () => {
          await server.value.stop();
          await redis.value.stop();
          await clickHouse?.stop();
        },
      };
    },
  };
}

interface ServicesOfPeer {
  redisPort: number;
  clickHouse: ClickHouseAddress | null;
}

async function startServer(name: PeerName, program: string, { redisPort, clickHouse }: ServicesOfPeer): Promise<Child & { port: number }> {
  const inherited = Object.entries(process.env).filter(([variable]) => !/^(?:RELAY|NODE)_/.test(variable));
  const environment = {
    ...Object.fromEntries(inherited),
    NODE_ENV: "production",
    PEER_PORT: "0",
    PEER_REDIS_PORT: String(redisPort),
    PEER_RATE: name === "fastify-redis" ? "redis" : "memory",
    PEER_TERMINAL_SECRET: TERMINAL_SECRET,
    PEER_API_KEY: API_KEY,
    ...(clickHouse === null ? {} : { PEER_CLICKHOUSE_URL: urlOf(clickHouse) }),
  };
  const ready = /^listening on (\d+)$/;
  const { child, match } =
    name === "spring"
      ? await startProgram("java", ["-jar", program], { environment, ready })
      : await startProgram(process.execPath, ["server.mjs"], { environment, ready, folder: program });
  return { ...child, port: Number(match[1]) };
}

function urlOf({ url, username, password }: ClickHouseAddress): string {
  return String(Object.assign(new URL(url), { username, password }));
}

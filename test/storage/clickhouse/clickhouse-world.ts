import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import {
  ADMIN_USERNAME,
  type EmbeddedClickHouse,
  type EmbeddedClickHouseEvent,
  startEmbeddedClickHouse,
} from "../../../storage/clickhouse/embedded/supervisor.ts";

export const ADMIN = { username: ADMIN_USERNAME, password: "admin-password-of-tests" };
export const ANALYST = { username: "analyst", password: "analyst-password-of-tests" };

export interface ClickHouseWorld {
  clickhouse: EmbeddedClickHouse;
  directory: string;
  /** Resolves at the next event of this type. */
  next(type: EmbeddedClickHouseEvent["type"]): Promise<void>;
  stop(): Promise<void>;
}

/** An embedded ClickHouse of its own in a folder of its own; whoever starts one stops it. */
export async function startClickHouse(directory?: string): Promise<ClickHouseWorld> {
  const path = directory ?? (await mkdtemp(join(tmpdir(), "relay-clickhouse-")));
  const listeners: { type: string; resolve: () => void }[] = [];
  const clickhouse = await startEmbeddedClickHouse({
    directory: path,
    host: "127.0.0.1",
    port: 0,
    adminPassword: ADMIN.password,
    readerUsername: ANALYST.username,
    readerPassword: ANALYST.password,
    onLog: (event) => {
      for (const listener of listeners.splice(0)) {
        if (listener.type === event.type) listener.resolve();
        else listeners.push(listener);
      }
    },
  });
  return {
    clickhouse,
    directory: path,
    next: (type) => new Promise((resolve) => listeners.push({ type, resolve })),
    stop: async () => {
      await clickhouse.stop();
      if (directory === undefined) await rm(path, { recursive: true, force: true });
    },
  };
}

/** One ClickHouse for the tests of a file that change nothing which another test looks at. */
export async function sharedClickHouse(): Promise<ClickHouseWorld> {
  const world = await startClickHouse();
  after(() => world.stop());
  return world;
}

export interface Answer {
  status: number;
  text: string;
  headers: Headers;
}

/** Asks as the analyst, the way curl would. */
export async function ask(
  world: ClickHouseWorld,
  sql: string,
  parameters: Record<string, string> = {},
  user: { username: string; password: string } = ANALYST,
): Promise<Answer> {
  const url = new URL(world.clickhouse.url);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  const authorization = `Basic ${Buffer.from(`${user.username}:${user.password}`).toString("base64")}`;
  const response = await fetch(url, { method: "POST", headers: { authorization }, body: sql });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

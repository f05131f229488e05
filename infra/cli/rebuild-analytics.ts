/** `npm run rebuild-analytics`: loads ClickHouse again from what the relay has stored. */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Option } from "commander";
import type { Kv } from "../../engine/kernel/kv.ts";
import { type ClickHouseAddress, connectClickHouse } from "../../storage/clickhouse/client.ts";
import { ADMIN_USERNAME, startEmbeddedClickHouse } from "../../storage/clickhouse/embedded/supervisor.ts";
import { migrate } from "../../storage/clickhouse/migrate.ts";
import { clickHouseSink } from "../../storage/feed/clickhouse-sink.ts";
import { type RebuildProgress, rebuildAnalytics } from "../../storage/feed/rebuild.ts";
import { openEmbeddedKv } from "../../storage/kv/embedded.ts";
import { openRedisKv } from "../../storage/kv/redis.ts";
import { checkSchemaMark } from "../../storage/schemas/schema-mark.ts";
import { commandLine } from "../command-line.ts";

/** Refused rows are printed one by one up to this number. */
const REFUSED_TOLD_MAX = 20;

interface Options {
  dataDir: string;
  redisUrl?: string;
  clickhouseUrl?: string;
}

/** The ClickHouse to load, and how to stop it if it was started for that. */
interface Target {
  address: ClickHouseAddress;
  stop(): Promise<void>;
}

async function openStore({ dataDir, redisUrl }: Options): Promise<Kv> {
  if (redisUrl !== undefined) return openRedisKv({ url: redisUrl, refuseProblems: false });
  const directory = join(dataDir, "state");
  if (!existsSync(directory)) throw new Error(`there is no ${directory}; name the data directory with --data-dir or RELAY_DATA_DIR`);
  return openEmbeddedKv({ directory, nowMs: () => Date.now() });
}

async function openClickHouse({ dataDir, clickhouseUrl }: Options): Promise<Target> {
  if (clickhouseUrl !== undefined) {
    const { origin, username, password } = new URL(clickhouseUrl);
    const address = { url: origin, username: decodeURIComponent(username) || "default", password: decodeURIComponent(password) };
    return { address, stop: async () => {} };
  }
  const adminPassword = randomBytes(24).toString("base64url");
  const embedded = await startEmbeddedClickHouse({
    directory: join(dataDir, "clickhouse"),
    host: "127.0.0.1",
    port: 0,
    adminPassword,
    readerUsername: "nobody",
    readerPassword: randomBytes(24).toString("base64url"),
    onLog: () => {},
  });
  return { address: { url: embedded.url, username: ADMIN_USERNAME, password: adminPassword }, stop: () => embedded.stop() };
}

async function run(options: Options): Promise<void> {
  const kv = await openStore(options);
  try {
    await checkSchemaMark(kv);
    const target = await openClickHouse(options);
    const client = connectClickHouse(target.address);
    try {
      await migrate(client);
      let told = 0;
      const progress = await rebuildAnalytics({
        kv,
        sink: clickHouseSink(client),
        onProgress: (now) => console.error(describe(now)),
        onRefused: (uuid, reason) => {
          told += 1;
          if (told <= REFUSED_TOLD_MAX) console.error(`left out ${uuid}: ${reason}`);
        },
      });
      console.log(`Done: ${describe(progress)}.`);
      if (progress.refused > 0) process.exitCode = 1;
    } finally {
      await client.close();
      await target.stop();
    }
  } finally {
    await kv.close();
  }
}

function describe({ records, ended, things, rows, setAside, refused }: RebuildProgress): string {
  return `${records} commands read, ${ended} of them ended, ${things} objects of merchants, ${rows} rows inserted (${setAside} had been set aside), ${refused} refused`;
}

const program = commandLine("rebuild-analytics")
  .description(
    "Inserts the rows of all stored commands and results, of merchants' links, refunds, disputes, alerts, subscriptions and charges, and those that were refused and set aside, into ClickHouse again. Rows that are " +
      "already there stay as they are, so the command can be repeated. With the embedded store the relay must be stopped; with Redis and a ClickHouse server it may run.",
  )
  .addOption(new Option("--data-dir <directory>", "the relay's data directory").env("RELAY_DATA_DIR").default("./data"))
  .addOption(new Option("--redis-url <url>", "the store of a cluster instead of the one in the data directory").env("RELAY_REDIS_URL"))
  .addOption(new Option("--clickhouse-url <url>", "a ClickHouse server (http://user:password@host:port)").env("RELAY_CLICKHOUSE_URL"))
  .action(run);

program.parseAsync().catch((error: unknown) => program.error(error instanceof Error ? error.message : String(error)));

/** `npm run restored`: an operator states that the store was restored, and that the relay may start without the missing data. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Option } from "commander";
import type { Kv } from "../../engine/kernel/kv.ts";
import { openEmbeddedKv } from "../../storage/kv/embedded.ts";
import type { KvHistory } from "../../storage/kv/history.ts";
import { createHistoryStore } from "../../storage/kv/history-store.ts";
import { openRedisKv } from "../../storage/kv/redis.ts";
import { commandLine } from "../command-line.ts";

interface Options {
  dataDir: string;
  redisUrl?: string;
}

async function openStore({ dataDir, redisUrl }: Options): Promise<Kv & KvHistory> {
  if (redisUrl !== undefined) return openRedisKv({ url: redisUrl, refuseProblems: false });
  const directory = join(dataDir, "state");
  if (!existsSync(directory)) throw new Error(`there is no ${directory}; name the data directory with --data-dir or RELAY_DATA_DIR`);
  return openEmbeddedKv({ directory, nowMs: () => Date.now() });
}

async function run(options: Options): Promise<void> {
  const kv = await openStore(options);
  try {
    const lastVersion = await kv.lastVersion();
    const found = { lostVersion: lastVersion, aboveVersion: lastVersion, certain: true, acknowledged: true, foundAtMs: Date.now() };
    const { lostVersion } = await createHistoryStore(kv).recordLoss(found);
    const until = new Date(lostVersion / kv.versionsPerMs).toISOString();
    console.log(
      `Recorded: the store is a copy of ${until}. At the next start the commands that wait in it end as unknown, the relay loads the missing data`,
    );
    console.log("from ClickHouse if it can be reached, and starts. A payment that remains unknown may be charged twice if it is retried.");
  } finally {
    await kv.close();
  }
}

const program = commandLine("restored")
  .description(
    "Records that the store was restored from a copy. The production relay then starts even if the missing data cannot be loaded (infra/docs/restoring.md). " +
      "Stop all nodes of the relay first.",
  )
  .addOption(new Option("--data-dir <directory>", "the relay's data directory").env("RELAY_DATA_DIR").default("./data"))
  .addOption(
    new Option("--redis-url <url>", "the Redis store of a cluster instead of the one in the data directory").env("RELAY_REDIS_URL"),
  )
  .action(run);

program.parseAsync().catch((error: unknown) => program.error(error instanceof Error ? error.message : String(error)));

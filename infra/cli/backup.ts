/** `npm run backup -- FOLDER`: copies the state of an embedded node, which may be running. */
import { existsSync } from "node:fs";
import { cp, mkdir, readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Command, Option } from "commander";
import { backUpEmbeddedKv } from "../../storage/kv/embedded-backup.ts";

async function run(folder: string, { dataDir }: { dataDir: string }): Promise<void> {
  const target = resolve(folder);
  const state = join(dataDir, "state");
  if (!existsSync(join(state, "CURRENT")))
    throw new Error(`there is no store in ${state}; name the data directory with --data-dir or RELAY_DATA_DIR`);
  await mkdir(target, { recursive: true, mode: 0o700 });
  if ((await readdir(target)).length > 0) throw new Error(`${target} is not empty: name a folder of its own for each backup`);
  const startedAt = new Date();
  await backUpEmbeddedKv(state, join(target, "state"));
  // Written once and never changed; one that is being uploaded has no name yet.
  const packages = join(dataDir, "packages");
  if (existsSync(packages)) await cp(packages, join(target, "packages"), { recursive: true });
  console.log(
    `${target} has everything that was acknowledged before ${startedAt.toISOString()}. How to bring it back: infra/docs/restoring.md`,
  );
}

const program = new Command("backup")
  .description(
    "Copies the store (and the packages of app versions) of an embedded node into an empty folder, consistently and synced; the node may be running, and is not held up. " +
      "ClickHouse is not copied: npm run rebuild-analytics loads it from the store. A cluster's Redis is copied by its own means (infra/docs/restoring.md).",
  )
  .argument("<folder>", "where to: a new or empty folder, best on another disk")
  .addOption(new Option("--data-dir <directory>", "the relay's data directory").env("RELAY_DATA_DIR").default("./data"))
  .action(run);

program.parseAsync().catch((error: unknown) => program.error(error instanceof Error ? error.message : String(error)));

/** `npm run backup -- FOLDER`: copies the state of an embedded node, which may be running. */
import { existsSync } from "node:fs";
import { cp, mkdir, readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Option } from "commander";
import { backUpEmbeddedKv } from "../../storage/kv/embedded-backup.ts";
import { commandLine } from "../command-line.ts";

async function run(folder: string, { dataDir }: { dataDir: string }): Promise<void> {
  const target = resolve(folder);
  const state = join(dataDir, "state");
  if (!existsSync(join(state, "CURRENT")))
    throw new Error(`there is no store in ${state}; name the data directory with --data-dir or RELAY_DATA_DIR`);
  await mkdir(target, { recursive: true, mode: 0o700 });
  if ((await readdir(target)).length > 0) throw new Error(`${target} is not empty: use a new folder for each backup`);
  const startedAt = new Date();
  await backUpEmbeddedKv(state, join(target, "state"));
  // Packages are written once and never changed; an upload in progress has a temporary name.
  const packages = join(dataDir, "packages");
  if (existsSync(packages)) await cp(packages, join(target, "packages"), { recursive: true });
  console.log(
    `${target} contains everything that was acknowledged before ${startedAt.toISOString()}. infra/docs/restoring.md explains how to restore it.`,
  );
}

const program = commandLine("backup")
  .description(
    "Makes a consistent and synced copy of the store (and the packages of app versions) of an embedded node in an empty folder. The node may be running; the backup does not slow it down. " +
      "It does not copy ClickHouse: npm run rebuild-analytics loads that from the store. Copy a cluster's Redis with Redis's own tools (infra/docs/restoring.md).",
  )
  .argument("<folder>", "a new or empty folder, preferably on another disk")
  .addOption(new Option("--data-dir <directory>", "the relay's data directory").env("RELAY_DATA_DIR").default("./data"))
  .action(run);

program.parseAsync().catch((error: unknown) => program.error(error instanceof Error ? error.message : String(error)));

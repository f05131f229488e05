import { existsSync } from "node:fs";
import { repairEmbeddedKv } from "../../storage/kv/embedded-directory.ts";
import { commandLine } from "../command-line.ts";

/** `npm run repair-store -- DIRECTORY`: lets LevelDB save what it can of a damaged store. */
const program = commandLine("repair-store")
  .description(
    "Rebuilds a damaged state directory from the data that can still be read. Stop the relay first (the command rejects a directory in use), and make a copy: data that cannot be read is dropped.",
  )
  .argument("<directory>", "the state directory, such as ./data/state")
  .action(async (directory: string) => {
    if (!existsSync(directory)) program.error(`there is no ${directory}`);
    await repairEmbeddedKv(directory);
    console.log(`${directory} was rebuilt. Compare the important data with ClickHouse before you continue.`);
  });

program.parseAsync().catch((error: unknown) => program.error(error instanceof Error ? error.message : String(error)));

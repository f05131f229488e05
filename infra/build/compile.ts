import { copyFile, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { bundleScripts } from "../../http/web/bundle-scripts.ts";
import { bundleApp } from "../../http/web/bundle-web-app.ts";
import { type DocumentTexts, writeDocs } from "../../http/web/docs-files.ts";
import { writeWebApp } from "../../http/web/web-app-files.ts";
import { bundlePrograms, type Effort } from "./bundle-programs.ts";

const ROOT = resolve(import.meta.dirname, "../..");

/** Their files that are not code (Redis scripts, migrations, pages) are copied, because modules read them at run time from their own folder. */
const FOLDERS = ["engine", "http", "storage", "infra/node", "infra/cli", "infra/sandbox"];

/** Where the browser scripts are made, and served from. */
const SCRIPTS = "http/web/scripts";

/** Marks a folder as a build, which the next build may replace. */
const MARK = ".relay-build";

/**
 * Writes the relay as JavaScript to `directory`, in the place of an earlier build: its programs at the places of their sources, so that a node starts without tsx
 * in a third of the time. What is not bundled is loaded from a `node_modules` at or above it. Types are not checked. Rejects for a folder with other contents.
 */
export async function compile(directory: string, effort: Effort = "build"): Promise<void> {
  // First, so that an earlier build stays where this one cannot be made.
  const [programs, scripts, portal, operators] = await Promise.all([
    bundlePrograms(effort, effort === "start" ? directory : ROOT),
    bundleScripts(),
    bundleApp("portal"),
    bundleApp("operators"),
  ]);
  await mkdir(directory, { recursive: true });
  const there = await readdir(directory);
  if (there.length > 0 && !there.includes(MARK)) throw new Error(`${directory} contains something other than a build`);
  await rm(directory, { recursive: true });
  await mkdir(directory);
  await writeFile(join(directory, MARK), "");
  const placeOf = async (file: string) => {
    await mkdir(dirname(join(directory, file)), { recursive: true });
    return join(directory, file);
  };
  for (const [file, bytes] of programs) await writeFile(await placeOf(file), bytes);
  // The first tells the version, and that the programs are ES modules.
  for (const file of ["package.json", ...(await filesAtRunTime())]) await copyFile(join(ROOT, file), await placeOf(file));
  await writeWebApp(portal, join(directory, "http/web/portal"), effort);
  await writeWebApp(operators, join(directory, "http/web/operators"), effort);
  // A start has no time for them: the node makes them when it is ready.
  if (effort === "build") await writeDocs(join(directory, "http/web/docs"), await documentVariants());
  for (const [file, text] of scripts) await writeFile(join(directory, SCRIPTS, file), text);
}

/** The documents of a sandbox and of production with the usual settings. Loads the endpoints of a node, for which a start has no time either. */
async function documentVariants(): Promise<DocumentTexts[]> {
  const [{ readConfig }, { documentTexts }] = await Promise.all([
    import("../node/boot/config.ts"),
    import("../node/wiring/shared/endpoints.ts"),
  ]);
  const { packageBytesMax } = readConfig({});
  return [true, false].map((openTerminalLogs) => documentTexts({ openTerminalLogs, packageBytesMax }));
}

async function filesAtRunTime(): Promise<string[]> {
  const found = FOLDERS.map(async (folder) => {
    const entries = await readdir(join(ROOT, folder), { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => relative(ROOT, join(parentPath, name)));
  });
  return (await Promise.all(found)).flat().filter(isReadAtRunTime);
}

/**
 * `.mjs` is how the sources are started, which a build is not. Of the browser scripts their types are served, and what they and the pages of the two apps are made
 * from is not needed any more.
 */
function isReadAtRunTime(file: string): boolean {
  if (/[\\/]web[\\/](?:portal|operators)[\\/]/.test(file)) return false;
  return /[\\/]web[\\/]scripts[\\/][a-z]+\.d\.ts$/.test(file) || !/(?:\.(?:ts|mjs|md)|[\\/]tsconfig\.json)$/.test(file);
}

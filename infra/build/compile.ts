import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { cp, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { bundleScripts } from "../../http/web/bundle-scripts.ts";
import { writeWebApp } from "../../http/web/web-app-files.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const PROJECT = join(import.meta.dirname, "tsconfig.json");
const TYPESCRIPT = dirname(fileURLToPath(import.meta.resolve("typescript/package.json")));

/**
 * The folders to build. Their other files (Redis scripts, migrations, pages) are copied, because modules read them at run time from their
 * own folder.
 */
const { include: FOLDERS }: { include: string[] } = JSON.parse(readFileSync(PROJECT, "utf8"));

/** Where the browser scripts are made, and served from. */
const SCRIPTS = "http/web/scripts";
const WEB_APPS = { portal: "http/web/portal", operators: "http/web/operators" } as const;

/** Marks a folder as a build, which the next build may replace. */
const MARK = ".relay-build";

/**
 * Writes the relay as JavaScript to `directory`, in the place of an earlier build: the same files in the same places, so that a node starts
 * without tsx in half the time. Packages are those of a `node_modules` at or above it. Types are not checked. Rejects for a folder with
 * other contents.
 */
export async function compile(directory: string): Promise<void> {
  // First, so that an earlier build stays where this one cannot be made.
  const scripts = await bundleScripts();
  await mkdir(directory, { recursive: true });
  const there = await readdir(directory);
  if (there.length > 0 && !there.includes(MARK)) throw new Error(`${directory} contains something other than a build`);
  await rm(directory, { recursive: true });
  await mkdir(directory);
  await writeFile(join(directory, MARK), "");
  await promisify(execFile)(process.execPath, [join(TYPESCRIPT, "bin/tsc"), "--project", PROJECT, "--outDir", directory]);
  // The version and the kind of the modules.
  await cp(join(ROOT, "package.json"), join(directory, "package.json"));
  for (const folder of FOLDERS) {
    const source = resolve(import.meta.dirname, folder);
    await cp(source, join(directory, relative(ROOT, source)), { recursive: true, filter: isReadAtRunTime });
  }
  await writeWebApp("portal", join(directory, WEB_APPS.portal));
  await writeWebApp("operators", join(directory, WEB_APPS.operators));
  for (const [file, text] of scripts) await writeFile(join(directory, SCRIPTS, file), text);
}

/**
 * `.mjs` is how the sources are started, which a build is not. Of the browser scripts their types are served, and what they and the pages of the two apps are made
 * from is not needed any more.
 */
function isReadAtRunTime(file: string): boolean {
  if (/[\\/]web[\\/](?:portal|operators)[\\/]/.test(file)) return false;
  return /[\\/]web[\\/]scripts[\\/][a-z]+\.d\.ts$/.test(file) || !/(?:\.(?:ts|mjs|md)|[\\/]tsconfig\.json)$/.test(file);
}

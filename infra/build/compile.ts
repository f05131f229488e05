import { execFile } from "node:child_process";
import { cp, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const ROOT = resolve(import.meta.dirname, "../..");
const TYPESCRIPT = dirname(fileURLToPath(import.meta.resolve("typescript/package.json")));

/** Folders whose other files (scripts of Redis, migrations, pages) are read at run time, from beside the module that reads them. */
const FOLDERS = ["engine", "http", "storage", "infra/node", "infra/cli", "infra/sandbox"];

/** Says of a folder that it holds a build, which the next one may replace. */
const MARK = ".relay-build";

/**
 * Writes the relay as JavaScript to `directory`, in the place of an earlier build: the same files in the same places, so that a node starts
 * without tsx in half the time. Packages are those of a `node_modules` at or above it. Types are not checked. Rejects for a folder that
 * holds something else.
 */
export async function compile(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  const there = await readdir(directory);
  if (there.length > 0 && !there.includes(MARK)) throw new Error(`${directory} holds something other than a build`);
  await rm(directory, { recursive: true });
  await mkdir(directory);
  await writeFile(join(directory, MARK), "");
  const arguments_ = [join(TYPESCRIPT, "bin/tsc"), "--project", join(import.meta.dirname, "tsconfig.json"), "--outDir", directory];
  await promisify(execFile)(process.execPath, arguments_);
  // The version and the kind of the modules.
  await cp(join(ROOT, "package.json"), join(directory, "package.json"));
  for (const folder of FOLDERS) await cp(join(ROOT, folder), join(directory, folder), { recursive: true, filter: isReadAtRunTime });
}

/** `.mjs` is how the sources are started, which a build is not. */
function isReadAtRunTime(file: string): boolean {
  return !/\.(ts|mjs|md)$/.test(file);
}

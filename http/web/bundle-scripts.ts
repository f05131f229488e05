import { fileURLToPath } from "node:url";
import type { BuildOptions } from "esbuild";
import { withCompiler } from "./compiler.ts";

/** The browser scripts, made of the sources in `scripts/`; a build holds them there in their place. */
export const SCRIPT_FILES = ["compat.js", "scan.js", "scan.mjs"] as const;
export type ScriptFile = (typeof SCRIPT_FILES)[number];

const FOLDER = fileURLToPath(new URL("./scripts/", import.meta.url));

/** Browsers of the last six years: what shops' buyers have. */
const TARGET = "es2020";

/** What each script is made from, and whether it is a module. */
const ENTRIES: Readonly<Record<ScriptFile, { entry: string; format: "iife" | "esm" }>> = {
  "compat.js": { entry: "compat-script.ts", format: "iife" },
  "scan.js": { entry: "scan-script.ts", format: "iife" },
  "scan.mjs": { entry: "scan-module.ts", format: "esm" },
};

/**
 * The browser scripts from their sources, each as one small file. The same sources give the same bytes, so that every thread of every node of one
 * version serves them under the same names. Rejects, with the compiler's words, where one cannot be made.
 */
export async function bundleScripts(folder: string = FOLDER): Promise<ReadonlyMap<ScriptFile, string>> {
  const bundled = new Map<ScriptFile, string>();
  for (const file of SCRIPT_FILES) bundled.set(file, await bundleScript(file, folder));
  return bundled;
}

async function bundleScript(file: ScriptFile, folder: string): Promise<string> {
  const { entry, format } = ENTRIES[file];
  const options = {
    absWorkingDir: folder,
    entryPoints: [entry],
    format,
    bundle: true,
    minify: true,
    write: false,
    target: TARGET,
    legalComments: "none",
    logLevel: "silent",
    tsconfigRaw: {},
  } satisfies BuildOptions;
  try {
    const [output] = (await withCompiler(({ build }) => build(options))).outputFiles;
    if (output === undefined) throw new Error("the compiler wrote nothing");
    return output.text;
  } catch (cause) {
    throw new Error(`the browser script ${file} cannot be made: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, posix, relative, resolve, sep } from "node:path";
import { build, type Plugin, stop } from "esbuild";

const ROOT = resolve(import.meta.dirname, "../..");

const NODE = "infra/node/main.ts";
const SHARD = "infra/node/shard/shard-worker.ts";
const SHEET = "http/exports/xlsx-worker.ts";

/** What is started beside a node, by people or by the node in a process of its own. */
const BESIDE = [
  "storage/clickhouse/embedded/server.ts",
  ...["gateway", "register", "terminal", "webhooks"].map((name) => `infra/sandbox/${name}/main.ts`),
  ...readdirSync(join(ROOT, "infra/cli")).map((file) => `infra/cli/${file}`),
];

/** What is started by itself, or in a thread of its own. */
export const PROGRAMS: readonly string[] = [NODE, SHARD, SHEET, ...BESIDE];

/** What runs before each of them. */
const STARTING = "infra/build/starting.ts";

/**
 * What is bundled together. A node and its shards share no bundle: each common part would be cut into a file for every set of programs that have it, and a thread
 * reads forty files in the time of a tenth of its code.
 */
const GROUPS: readonly (readonly string[])[] = [[STARTING], [NODE], [SHARD], [SHEET], BESIDE];

/** Packages that stay in `node_modules`: they load binaries that lie beside their code. */
const WITH_BINARIES = ["classic-level", "chdb", "esbuild", "uWebSockets.js", "uWebSockets.js-older"];

/** The folder of a build that holds all code, in a few files that programs share. */
const BUNDLES = "bundles";

/** The oldest Node that the relay runs on. */
const TARGET = "node20";

/**
 * Packages that are not ES modules `require` what Node has. In each file, since a file is a module of its own.
 */
const REQUIRE =
  'import { createRequire as createRequireOfBundle } from "node:module"; const require = createRequireOfBundle(import.meta.url);';

/**
 * The files of the programs, by their path in a build: for each, at the place of its source, a few lines that load its code from `bundles/`, where the packages are
 * too. A start so reads some ten files instead of two thousand. Rejects, with the compiler's words, where that is not possible.
 */
export async function bundlePrograms(): Promise<ReadonlyMap<string, Uint8Array>> {
  try {
    const bundles: (readonly [string, Uint8Array])[] = [];
    for (const group of GROUPS) bundles.push(...(await bundle(group)));
    return new Map([...bundles, ...PROGRAMS.map((program) => [program.replace(/\.ts$/, ".js"), Buffer.from(starterOf(program))] as const)]);
  } finally {
    // Its process would keep a command line from ending.
    await stop();
  }
}

/** The bundles of sources that share what they have in common. */
async function bundle(sources: readonly string[]): Promise<(readonly [string, Uint8Array])[]> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: Object.fromEntries(sources.map((source) => [nameOf(source), source])),
    outdir: BUNDLES,
    write: false,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: TARGET,
    external: WITH_BINARIES,
    plugins: [ownPlaces],
    banner: { js: REQUIRE },
    // Names stay: they are in logs, and in stack traces of whoever reads the bundles.
    minifyWhitespace: true,
    minifySyntax: true,
    // Node prints the line of an error that nobody caught.
    lineLimit: 160,
    sourcemap: "linked",
    sourcesContent: false,
    legalComments: "linked",
    logLevel: "silent",
  });
  return outputFiles.map(({ path, contents }) => [relative(ROOT, path), contents] as const);
}

function nameOf(source: string): string {
  return source.replace(/\.ts$/, "").replaceAll("/", "-");
}

function starterOf(program: string): string {
  const bundleOf = (source: string) => posix.relative(posix.dirname(program), `${BUNDLES}/${nameOf(source)}.js`);
  return `import "${bundleOf(STARTING)}";\nawait import("${bundleOf(program)}");\n`;
}

/** In a line that is no comment. */
const OTHER_PLACES = /^(?!\s*(?:\/?\*|\/\/)).*\bimport\.meta\.(?:dir|file)name\b/m;

/** Modules find their files by their own URL. In a bundle that is the one that their source would have in the build. */
const ownPlaces: Plugin = {
  name: "own places",
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.ts$/, namespace: "file" }, async ({ path }) => {
      const place = relative(ROOT, path).replaceAll(sep, "/");
      if (place.startsWith("..") || place.startsWith("node_modules/")) return null;
      const text = await readFile(path, "utf8");
      if (OTHER_PLACES.test(text)) throw new Error(`${place}: only import.meta.url is known in a build`);
      const url = `new URL(${JSON.stringify(`../${place.replace(/\.ts$/, ".js")}`)}, import.meta.url).href`;
      return { contents: text.replaceAll(/\bimport\.meta\.url\b/g, url), loader: "ts" };
    });
  },
};

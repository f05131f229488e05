import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, posix, relative, resolve, sep } from "node:path";
import type { BuildOptions, Plugin } from "esbuild";
import { withCompiler } from "../../http/web/compiler.ts";

const ROOT = resolve(import.meta.dirname, "../..");

const NODE = "infra/node/main.ts";
const SHARD = "infra/node/shard/shard-worker.ts";
const SHEET = "http/exports/xlsx-worker.ts";
const DOCUMENT = "http/documents/document-worker.ts";

const CLICKHOUSE = "storage/clickhouse/embedded/server.ts";
const GATEWAY = "infra/sandbox/gateway/main.ts";

/** What is started beside a node, by people or by the node in a process of its own. */
const BESIDE = [
  CLICKHOUSE,
  GATEWAY,
  ...["register", "terminal", "webhooks"].map((name) => `infra/sandbox/${name}/main.ts`),
  ...readdirSync(join(ROOT, "infra/cli")).map((file) => `infra/cli/${file}`),
];

/** What is started by itself, or in a thread of its own. */
export const PROGRAMS: readonly string[] = [NODE, SHARD, SHEET, DOCUMENT, ...BESIDE];

/** What runs before each of them. */
const STARTING = "infra/build/starting.ts";

/** Packages that stay in `node_modules`: they load binaries that lie beside their code. */
const WITH_BINARIES = ["classic-level", "chdb", "esbuild", "uWebSockets.js", "uWebSockets.js-older"];

/** `build` is made to be deployed. `start` is made by `npm start` while somebody waits for it: it has what a node starts, and larger files. */
export type Effort = "build" | "start";

interface Bundling {
  /**
   * What is bundled together. In a build a node and its shards share no bundle: each common part would be cut into a file for every set of programs that have it,
   * and a thread reads forty files in the time of a tenth of its code. At a start, one pass reads each source once.
   */
  groups: readonly (readonly string[])[];
  /** Packages that stay in `node_modules`. */
  external: readonly string[];
  minify: boolean;
}

const BUNDLINGS: Readonly<Record<Effort, Bundling>> = {
  build: { groups: [[STARTING], [NODE], [SHARD], [SHEET], [DOCUMENT], BESIDE], external: WITH_BINARIES, minify: true },
  start: {
    groups: [[STARTING, NODE, SHARD, SHEET, DOCUMENT, CLICKHOUSE, GATEWAY]],
    // These are a third of all files, and a sandbox loads none of them before it is ready.
    external: [
      ...WITH_BINARIES,
      "@cantoo/pdf-lib",
      "@simplewebauthn/server",
      "ioredis",
      "kafkajs",
      "nodemailer",
      "qrcode",
      "write-excel-file",
    ],
    minify: false,
  },
};

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
 * too. A start so reads some ten files instead of two thousand. Rejects, with the compiler's words, where that is not possible. Source maps lead to the sources
 * from `directory`.
 */
export async function bundlePrograms(effort: Effort, directory: string): Promise<ReadonlyMap<string, Uint8Array>> {
  const bundling = BUNDLINGS[effort];
  const bundles: (readonly [string, Uint8Array])[] = [];
  for (const group of bundling.groups) bundles.push(...(await bundle(group, bundling, directory)));
  const programs = bundling.groups.flat().filter((source) => source !== STARTING);
  return new Map([...bundles, ...programs.map((program) => [program.replace(/\.ts$/, ".js"), Buffer.from(starterOf(program))] as const)]);
}

/** The bundles of sources that share what they have in common. */
async function bundle(
  sources: readonly string[],
  { external, minify }: Bundling,
  directory: string,
): Promise<(readonly [string, Uint8Array])[]> {
  const options = {
    absWorkingDir: ROOT,
    entryPoints: Object.fromEntries(sources.map((source) => [nameOf(source), source])),
    outdir: join(directory, BUNDLES),
    write: false,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: TARGET,
    external: [...external],
    plugins: [ownPlaces],
    banner: { js: REQUIRE },
    // Names stay: they are in logs, and in stack traces of whoever reads the bundles.
    minifyWhitespace: minify,
    minifySyntax: minify,
    // Node prints the line of an error that nobody caught.
    lineLimit: 160,
    sourcemap: "linked",
    sourcesContent: false,
    legalComments: "linked",
    logLevel: "silent",
  } satisfies BuildOptions;
  const { outputFiles } = await withCompiler(({ build }) => build(options));
  return outputFiles.map(({ path, contents }) => [relative(directory, path), contents] as const);
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

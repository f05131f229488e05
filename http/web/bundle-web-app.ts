import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import type { BuildOptions } from "esbuild";
import { withCompiler } from "./compiler.ts";
import { mergeShared, sharedModulesOf } from "./web-app/shared-modules.ts";
import { type ShellFacts, shellOf } from "./web-app/shell.ts";

/** An app as browsers load it: one page, and files whose names hold a hash of their contents. */
export interface WebApp {
  /** The one page of the app, as HTML: every address of the app answers it. */
  readonly shell: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** The apps of this relay; the operators' pages are made of the portal's parts. */
export type WebAppName = "portal" | "operators";

/** Where the portal's addresses begin, and those of its files. */
export const PORTAL_PATH = "/portal";
export const PORTAL_ASSETS_PATH = `${PORTAL_PATH}/assets`;

/** The operators' pages begin at `/admin`. What is below has a word of its own in it, as the endpoints for programs lie there too (`/admin/terminals`). */
export const OPERATORS_PATH = "/admin";
export const OPERATORS_PAGES_PATH = `${OPERATORS_PATH}/ui`;
export const OPERATORS_ASSETS_PATH = `${OPERATORS_PAGES_PATH}/assets`;

const FOLDER = fileURLToPath(new URL(".", import.meta.url));

/** Browsers of the last two years: the staff of merchants and of operators, whose browsers update themselves. They know `light-dark()` and `<dialog>`. */
const TARGET = ["es2022", "chrome123", "firefox121", "safari17.5"];

const FIRST = "portal/first.ts";
const ICON = "portal/icon.svg";

const APPS: Readonly<Record<WebAppName, ShellFacts>> = {
  portal: {
    title: "Merchant portal",
    assetsPath: PORTAL_ASSETS_PATH,
    noScript: "The merchant portal needs JavaScript. Il portale esercenti richiede JavaScript.",
    entries: { main: "portal/main.tsx", style: "portal/style/style.css", icon: ICON },
    startPage: "portal/pages/overview/overview-page.tsx",
    first: {
      app: "portal",
      pages: PORTAL_PATH,
      guest: "sign-in forgot reset invitation",
      api: "/api/merchant",
      figures: "/overview",
    },
    navigation: [11, 4, 3],
  },
  operators: {
    title: "Operations",
    assetsPath: OPERATORS_ASSETS_PATH,
    noScript: "These pages need JavaScript. Queste pagine richiedono JavaScript.",
    entries: { main: "operators/main.tsx", style: "operators/style.css", icon: ICON },
    startPage: "operators/pages/attention/attention-page.tsx",
    first: { app: "operators", pages: OPERATORS_PAGES_PATH, guest: "sign-in", api: OPERATORS_PATH, figures: "/attention?limit=500" },
    navigation: [2, 4, 5],
  },
};

/**
 * An app from its sources. The same sources give the same bytes and names. Each is made by itself, though they have components in common: files that they
 * shared would be cut where the other needs them to be, and the merchants' first load would be larger for pages that no merchant opens. Rejects, with the
 * compiler's words, where it cannot be made.
 */
export async function bundleApp(name: WebAppName, folder: string = FOLDER): Promise<WebApp> {
  const facts = APPS[name];
  const { main, ...others } = facts.entries;
  const common = {
    absWorkingDir: folder,
    outdir: "assets",
    entryNames: "[name]-[hash]",
    publicPath: `${facts.assetsPath}/`,
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    target: TARGET,
    loader: { ".svg": "copy" },
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    logLevel: "silent",
    tsconfigRaw: {},
  } satisfies BuildOptions;
  const options = {
    ...common,
    entryPoints: { [name]: main, ...others },
    chunkNames: "[name]-[hash]",
    format: "esm",
    splitting: true,
  } satisfies BuildOptions;
  try {
    const [first, { outputFiles, metafile }] = await withCompiler(async ({ build }) => {
      const alone = build({ ...common, entryPoints: { first: FIRST }, format: "iife" });
      const { metafile: graph } = await build({ ...options, minify: false });
      const merged = mergeShared(folder, sharedModulesOf(graph, main, facts.startPage));
      return Promise.all([alone, build({ ...options, plugins: [merged] })]);
    });
    const files = new Map([...first.outputFiles, ...outputFiles].map(({ path, contents }) => [basename(path), contents]));
    const named = (pattern: RegExp) => [...files].find(([file]) => pattern.test(file)) ?? ["", new Uint8Array()];
    const [firstScript] = named(/^first-/);
    const [, icon] = named(/^icon-/);
    return { shell: shellOf(facts, firstScript, icon, metafile), files };
  } catch (cause) {
    throw new Error(`the pages of ${name} cannot be made: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

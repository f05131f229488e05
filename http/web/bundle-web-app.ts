import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import type { BuildOptions, Metafile } from "esbuild";
import { withCompiler } from "./compiler.ts";

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

interface AppFacts {
  title: string;
  assetsPath: string;
  /** What is shown without scripts. */
  noScript: string;
  entries: Readonly<Record<"main" | "theme" | "style" | "icon", string>>;
}

const APPS: Readonly<Record<WebAppName, AppFacts>> = {
  portal: {
    title: "Merchant portal",
    assetsPath: PORTAL_ASSETS_PATH,
    noScript: "The merchant portal needs JavaScript. Il portale esercenti richiede JavaScript.",
    entries: { main: "portal/main.tsx", theme: "portal/theme.ts", style: "portal/style/style.css", icon: "portal/icon.svg" },
  },
  operators: {
    title: "Operations",
    assetsPath: OPERATORS_ASSETS_PATH,
    noScript: "These pages need JavaScript. Queste pagine richiedono JavaScript.",
    entries: { main: "operators/main.tsx", theme: "portal/theme.ts", style: "operators/style.css", icon: "portal/icon.svg" },
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
  const options = {
    absWorkingDir: folder,
    entryPoints: { [name]: main, ...others },
    outdir: "assets",
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    publicPath: `${facts.assetsPath}/`,
    format: "esm",
    bundle: true,
    splitting: true,
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
  try {
    const { outputFiles, metafile } = await withCompiler(({ build }) => build(options));
    return {
      shell: shellOf(facts, metafile),
      files: new Map(outputFiles.map(({ path, contents }) => [basename(path), contents])),
    };
  } catch (cause) {
    throw new Error(`the pages of ${name} cannot be made: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** Loads the theme first, so that no page shows in the wrong one, and everything that the first script needs at once. */
function shellOf({ title, assetsPath, noScript, entries }: AppFacts, { outputs }: Metafile): string {
  const address = (path: string) => `${assetsPath}/${basename(path)}`;
  const made = (entry: string): string => {
    const [path] = Object.entries(outputs).find(([, output]) => output.entryPoint === entry || entry in output.inputs) ?? [];
    if (path === undefined) throw new Error(`${entry} was not made`);
    return path;
  };
  const main = made(entries.main);
  const needed = new Set<string>();
  const visit = (path: string): void => {
    for (const { path: imported, kind } of outputs[path]?.imports ?? []) {
      if (kind !== "import-statement" || needed.has(imported)) continue;
      needed.add(imported);
      visit(imported);
    }
  };
  visit(main);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex, nofollow">
<title>${title}</title>
<script src="${address(made(entries.theme))}"></script>
<link rel="stylesheet" href="${address(made(entries.style))}">
<link rel="icon" type="image/svg+xml" href="${address(made(entries.icon))}">
${[...needed].map((path) => `<link rel="modulepreload" href="${address(path)}">\n`).join("")}<script type="module" src="${address(main)}"></script>
</head>
<body>
<div id="portal"></div>
<noscript><p>${noScript}</p></noscript>
</body>
</html>
`;
}

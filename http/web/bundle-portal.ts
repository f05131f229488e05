import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import type { BuildOptions, Metafile } from "esbuild";

/** The merchant portal as browsers load it: one page, and files whose names hold a hash of their contents. */
export interface PortalBundle {
  /** The one page of the portal, as HTML: every address of the portal answers it. */
  readonly shell: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** Where the portal's addresses begin, and those of its files. */
export const PORTAL_PATH = "/portal";
export const PORTAL_ASSETS_PATH = `${PORTAL_PATH}/assets`;

const FOLDER = fileURLToPath(new URL("./portal/", import.meta.url));

/** Browsers of the last two years: merchants' staff, whose browsers update themselves. They know `light-dark()` and `<dialog>`. */
const TARGET = ["es2022", "chrome123", "firefox121", "safari17.5"];

const ENTRIES = { portal: "main.tsx", theme: "theme.ts", style: "style/style.css", icon: "icon.svg" } as const;

/** How many are being made: they share the compiler's process, and ending it under another would leave that one without an answer for ever. */
let running = 0;

/**
 * The portal from its sources. The same sources give the same bytes and names. Rejects, with the compiler's words, where it cannot be made.
 */
export async function bundlePortal(folder: string = FOLDER): Promise<PortalBundle> {
  // Only where it is made: a build has it.
  const { build, stop } = await import("esbuild");
  const options = {
    absWorkingDir: folder,
    entryPoints: { ...ENTRIES },
    outdir: "assets",
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    publicPath: `${PORTAL_ASSETS_PATH}/`,
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
  running += 1;
  try {
    const { outputFiles, metafile } = await build(options);
    return {
      shell: shellOf(metafile),
      files: new Map(outputFiles.map(({ path, contents }) => [basename(path), contents])),
    };
  } catch (cause) {
    throw new Error(`the merchant portal cannot be made: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  } finally {
    running -= 1;
    // Its process would keep a command line from ending.
    if (running === 0) await stop();
  }
}

/** Loads the theme first, so that no page shows in the wrong one, and everything that the first script needs at once. */
function shellOf({ outputs }: Metafile): string {
  const address = (path: string) => `${PORTAL_ASSETS_PATH}/${basename(path)}`;
  const made = (entry: string): string => {
    const [path] = Object.entries(outputs).find(([, output]) => output.entryPoint === entry || entry in output.inputs) ?? [];
    if (path === undefined) throw new Error(`${entry} was not made`);
    return path;
  };
  const main = made(ENTRIES.portal);
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
<title>Merchant portal</title>
<script src="${address(made(ENTRIES.theme))}"></script>
<link rel="stylesheet" href="${address(made(ENTRIES.style))}">
<link rel="icon" type="image/svg+xml" href="${address(made(ENTRIES.icon))}">
${[...needed].map((path) => `<link rel="modulepreload" href="${address(path)}">\n`).join("")}<script type="module" src="${address(main)}"></script>
</head>
<body>
<div id="portal"></div>
<noscript><p>The merchant portal needs JavaScript. Il portale esercenti richiede JavaScript.</p></noscript>
</body>
</html>
`;
}

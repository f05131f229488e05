import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { type EncodedFile, encodeText } from "./encoded-file.ts";

/** The page that shows the OpenAPI document, and what it loads. */
export interface DocsPage {
  readonly shell: EncodedFile;
  /** By name; a name never has other bytes. */
  readonly assets: ReadonlyMap<string, EncodedFile>;
}

export const DOCS_PATH = "/docs";
export const DOCS_ASSETS_PATH = `${DOCS_PATH}/assets`;

const own = (file: string) => fileURLToPath(new URL(`./docs/${file}`, import.meta.url));
const ofViewer = (file: string) => fileURLToPath(import.meta.resolve(`swagger-ui-dist/${file}`));

const TYPES = { css: "text/css; charset=utf-8", js: "text/javascript; charset=utf-8" } as const;

/** Reads the viewer, Swagger UI, from its package, and what is ours of the page. Some 2 MB, and 3 MB with its compressed forms. */
export async function loadDocsPage(): Promise<DocsPage> {
  const assets = new Map<string, EncodedFile>();
  const add = async (path: string, type: keyof typeof TYPES): Promise<string> => {
    const file = await encodeText(TYPES[type], await readFile(path));
    const name = `${basename(path, `.${type}`)}-${file.etag.slice(1, 9)}.${type}`;
    assets.set(name, file);
    return `${DOCS_ASSETS_PATH}/${name}`;
  };
  const shell = shellOf({
    viewerStyle: await add(ofViewer("swagger-ui.css"), "css"),
    style: await add(own("docs.css"), "css"),
    viewer: await add(ofViewer("swagger-ui-bundle.js"), "js"),
    initializer: await add(own("initializer.js"), "js"),
  });
  return { shell: await encodeText("text/html; charset=utf-8", Buffer.from(shell, "utf8")), assets };
}

function shellOf(addresses: Record<"viewerStyle" | "style" | "viewer" | "initializer", string>): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Terminal Relay API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${addresses.viewerStyle}">
<link rel="stylesheet" href="${addresses.style}">
<script defer src="${addresses.viewer}"></script>
<script type="module" src="${addresses.initializer}"></script>
</head>
<body>
<div id="docs"></div>
<noscript><p>This page needs JavaScript. The document itself is at <a href="/openapi.json">/openapi.json</a>.</p></noscript>
</body>
</html>
`;
}

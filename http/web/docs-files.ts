import { existsSync } from "node:fs";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type EncodedFile, encodeText, inSharedMemory, readEncodedFile, writeEncodedFile } from "./encoded-file.ts";

/** Whom a part of the interface is made for. Each has a document of its own beside the whole one. */
export const AUDIENCES = ["partner", "terminal", "merchant", "compatible", "administration"] as const;
export type Audience = (typeof AUDIENCES)[number];

/** The documents of the interface: the whole one, one for each audience, and that of the terminals' messages. */
export const DOCUMENTS = ["openapi", ...AUDIENCES, "asyncapi"] as const;
export type DocumentName = (typeof DOCUMENTS)[number];

/** How the documents of a node are made. They differ by a few settings only, which `variant` names: a build holds those of the usual settings. */
export interface DocumentTexts {
  variant: string;
  text(name: DocumentName): string;
}

/** What is served of the documentation; its bytes may be shared between threads. */
export interface DocsFiles {
  readonly documents: ReadonlyMap<DocumentName, EncodedFile>;
  /** What the page loads, by name; a name never has other bytes. */
  readonly assets: ReadonlyMap<string, EncodedFile>;
}

const JSON_TYPE = "application/json";
const CONTENT_TYPES: Readonly<Record<string, string>> = { ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8" };

const own = (file: string) => fileURLToPath(new URL(`./docs/${file}`, import.meta.url));
const ofViewer = (file: string) => fileURLToPath(import.meta.resolve(`swagger-ui-dist/${file}`));

/** Where a build holds the files, below its folder; the sources have no such folders. */
const ASSETS = "assets";
const documentsOf = (variant: string) => `documents-${variant}`;
const OWN_FOLDER = own("");

/** The files of a build, or made from their sources, which keeps the thread busy for some 300 ms. */
export async function loadDocs(texts: DocumentTexts): Promise<DocsFiles> {
  return { documents: await loadDocuments(texts), assets: await loadAssets() };
}

/** Writes for a build, below the folder of the page's own files, what it loads and the documents of these variants. */
export async function writeDocs(folder: string, variants: readonly DocumentTexts[]): Promise<void> {
  const write = async (name: string, files: ReadonlyMap<string, EncodedFile>) => {
    await mkdir(join(folder, name), { recursive: true });
    for (const [file, encoded] of files) await writeEncodedFile(join(folder, name), file, encoded);
  };
  await write(ASSETS, await makeAssets());
  for (const texts of variants) await write(documentsOf(texts.variant), await makeDocuments(texts));
}

async function loadDocuments(texts: DocumentTexts): Promise<ReadonlyMap<DocumentName, EncodedFile>> {
  const built = join(OWN_FOLDER, documentsOf(texts.variant));
  if (!existsSync(built)) return makeDocuments(texts);
  return new Map(await Promise.all(DOCUMENTS.map(async (name) => [name, await readEncodedFile(built, name, JSON_TYPE)] as const)));
}

async function makeDocuments({ text }: DocumentTexts): Promise<ReadonlyMap<DocumentName, EncodedFile>> {
  const made = new Map<DocumentName, EncodedFile>();
  for (const name of DOCUMENTS) made.set(name, inSharedMemory(await encodeText(JSON_TYPE, Buffer.from(text(name), "utf8"))));
  return made;
}

async function loadAssets(): Promise<ReadonlyMap<string, EncodedFile>> {
  const built = join(OWN_FOLDER, ASSETS);
  if (!existsSync(built)) return makeAssets();
  const names = (await readdir(built)).filter((name) => extname(name) in CONTENT_TYPES);
  return new Map(await Promise.all(names.map(async (name) => [name, await readEncodedFile(built, name, contentTypeOf(name))] as const)));
}

/** The viewer, Swagger UI, from its package, and what is ours of the page. Some 2 MB, and 3 MB with its compressed forms. */
async function makeAssets(): Promise<ReadonlyMap<string, EncodedFile>> {
  const made = new Map<string, EncodedFile>();
  for (const path of [ofViewer("swagger-ui.css"), ofViewer("swagger-ui-bundle.js"), own("docs.css"), own("initializer.js")]) {
    const file = inSharedMemory(await encodeText(contentTypeOf(path), await readFile(path)));
    made.set(`${basename(path, extname(path))}-${file.etag.slice(1, 9)}${extname(path)}`, file);
  }
  return made;
}

function contentTypeOf(path: string): string {
  return CONTENT_TYPES[extname(path)] ?? JSON_TYPE;
}

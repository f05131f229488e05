import { existsSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { bundleApp, type WebApp, type WebAppName } from "./bundle-web-app.ts";
import { type EncodedFile, etagOf, inSharedMemory, readEncodedFile, writeEncodedFile } from "./encoded-file.ts";

/** The files of an app; their bytes may be shared between threads. */
export interface WebAppFiles {
  readonly shell: EncodedFile;
  /** By name; a name never has other bytes. */
  readonly assets: ReadonlyMap<string, EncodedFile>;
}

export type WebApps = Readonly<Record<WebAppName, WebAppFiles>>;

/** Where a build holds an app; the sources have no such folder with a page in it. */
const builtFolderOf = (name: WebAppName) => fileURLToPath(new URL(`./${name}/`, import.meta.url));
const SHELL = "index.html";

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/**
 * A build has time for the smallest form. A start from sources does not: its files are 7 % larger
 * and take a twentieth of the time. Level 9 would save 0.1 % and take seven times as long.
 */
const EFFORTS = { build: { gzip: 9, brotli: 11 }, start: { gzip: 6, brotli: 8 } } as const;

/** The apps of a build, or made from their sources. In shared memory, so that all threads of a node hold them once. */
export async function loadWebApps(): Promise<WebApps> {
  const [portal, operators] = await Promise.all([loadWebApp("portal"), loadWebApp("operators")]);
  return { portal, operators };
}

export async function loadWebApp(name: WebAppName): Promise<WebAppFiles> {
  const built = builtFolderOf(name);
  return existsSync(join(built, SHELL)) ? readBuilt(built) : makeWebApp(name);
}

/** Writes an app for a build into `folder`, each file in all its forms. */
export async function writeWebApp({ shell, files }: WebApp, folder: string, effort: keyof typeof EFFORTS): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [file, contents] of [[SHELL, Buffer.from(shell)] as const, ...files]) {
    await writeEncodedFile(folder, file, fileOf(file, contents, effort));
  }
}

async function makeWebApp(name: WebAppName): Promise<WebAppFiles> {
  const { shell, files } = await bundleApp(name);
  return {
    shell: fileOf(SHELL, Buffer.from(shell), "start"),
    assets: new Map([...files].map(([file, contents]) => [file, fileOf(file, contents, "start")])),
  };
}

async function readBuilt(folder: string): Promise<WebAppFiles> {
  const names = (await readdir(folder)).filter((name) => extname(name) in CONTENT_TYPES);
  const read = (name: string) => readEncodedFile(folder, name, contentTypeOf(name));
  const assets = await Promise.all(names.filter((name) => name !== SHELL).map(async (name) => [name, await read(name)] as const));
  return { shell: await read(SHELL), assets: new Map(assets) };
}

function fileOf(name: string, identity: Uint8Array, effort: keyof typeof EFFORTS): EncodedFile {
  const { gzip, brotli } = EFFORTS[effort];
  const bytes = {
    identity,
    gzip: gzipSync(identity, { level: gzip }),
    br: brotliCompressSync(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: brotli } }),
  };
  return inSharedMemory({ contentType: contentTypeOf(name), bytes, etag: etagOf(identity) });
}

function contentTypeOf(name: string): string {
  const contentType = CONTENT_TYPES[extname(name)];
  if (contentType === undefined) throw new Error(`${name} is of no type that these apps have`);
  return contentType;
}

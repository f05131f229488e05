import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Encoding } from "../endpoint/accept-encoding.ts";
import { bundleApp, type WebAppName } from "./bundle-web-app.ts";
import { type EncodedFile, etagOf, inSharedMemory } from "./encoded-file.ts";

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

/** What a file of a build is called when it is compressed. */
const ENDINGS: Readonly<Record<Exclude<Encoding, "identity">, string>> = { gzip: ".gz", br: ".br" };

/**
 * A build has time for the smallest form; a start from sources does not, and makes files that are a tenth larger in a fiftieth of the time.
 */
const EFFORTS = { build: { gzip: 9, brotli: 11 }, start: { gzip: 6, brotli: 4 } } as const;

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
export async function writeWebApp(name: WebAppName, folder: string): Promise<void> {
  const { shell, files } = await bundleApp(name);
  await mkdir(folder, { recursive: true });
  for (const [file, contents] of [[SHELL, Buffer.from(shell)] as const, ...files]) {
    const { bytes } = fileOf(file, contents, "build");
    await writeFile(join(folder, file), bytes.identity);
    await writeFile(join(folder, file + ENDINGS.gzip), bytes.gzip);
    await writeFile(join(folder, file + ENDINGS.br), bytes.br);
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
  const read = async (name: string): Promise<EncodedFile> => {
    const [identity, gzip, br] = await Promise.all(["", ENDINGS.gzip, ENDINGS.br].map((ending) => readFile(join(folder, name + ending))));
    if (identity === undefined || gzip === undefined || br === undefined) throw new Error(`${name} is not whole`);
    return shared(name, { identity, gzip, br });
  };
  const assets = await Promise.all(names.filter((name) => name !== SHELL).map(async (name) => [name, await read(name)] as const));
  return { shell: await read(SHELL), assets: new Map(assets) };
}

function fileOf(name: string, identity: Uint8Array, effort: keyof typeof EFFORTS): EncodedFile {
  const { gzip, brotli } = EFFORTS[effort];
  return shared(name, {
    identity,
    gzip: gzipSync(identity, { level: gzip }),
    br: brotliCompressSync(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: brotli } }),
  });
}

function shared(name: string, bytes: Record<Encoding, Uint8Array>): EncodedFile {
  const contentType = CONTENT_TYPES[extname(name)];
  if (contentType === undefined) throw new Error(`${name} is of no type that these apps have`);
  return inSharedMemory({ contentType, bytes, etag: etagOf(bytes.identity) });
}

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Encoding } from "../endpoint/accept-encoding.ts";
import { bundlePortal } from "./bundle-portal.ts";

/** A file in all the forms in which it is served; its bytes may be shared between threads. */
export interface PortalFile {
  readonly contentType: string;
  readonly bytes: Readonly<Record<Encoding, Uint8Array>>;
  /** Of the bytes without compression, with its quotes. */
  readonly etag: string;
}

export interface PortalFiles {
  readonly shell: PortalFile;
  /** By name; a name never has other bytes. */
  readonly assets: ReadonlyMap<string, PortalFile>;
}

/** Where a build holds the portal; the sources have no such folder. */
const BUILT = fileURLToPath(new URL("./portal/", import.meta.url));
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

/** The portal of a build, or made from its sources. In shared memory, so that all threads of a node hold it once. */
export async function loadPortal(): Promise<PortalFiles> {
  return existsSync(join(BUILT, SHELL)) ? readBuilt(BUILT) : makePortal();
}

/** Writes the portal for a build into `folder`, each file in all its forms. */
export async function writePortal(folder: string): Promise<void> {
  const { shell, files } = await bundlePortal();
  await mkdir(folder, { recursive: true });
  for (const [name, contents] of [[SHELL, Buffer.from(shell)] as const, ...files]) {
    const { bytes } = fileOf(name, contents, "build");
    await writeFile(join(folder, name), bytes.identity);
    await writeFile(join(folder, name + ENDINGS.gzip), bytes.gzip);
    await writeFile(join(folder, name + ENDINGS.br), bytes.br);
  }
}

async function makePortal(): Promise<PortalFiles> {
  const { shell, files } = await bundlePortal();
  return {
    shell: fileOf(SHELL, Buffer.from(shell), "start"),
    assets: new Map([...files].map(([name, contents]) => [name, fileOf(name, contents, "start")])),
  };
}

async function readBuilt(folder: string): Promise<PortalFiles> {
  const names = (await readdir(folder)).filter((name) => extname(name) in CONTENT_TYPES);
  const read = async (name: string): Promise<PortalFile> => {
    const [identity, gzip, br] = await Promise.all(["", ENDINGS.gzip, ENDINGS.br].map((ending) => readFile(join(folder, name + ending))));
    if (identity === undefined || gzip === undefined || br === undefined) throw new Error(`${name} is not whole`);
    return shared(name, { identity, gzip, br });
  };
  const assets = await Promise.all(names.filter((name) => name !== SHELL).map(async (name) => [name, await read(name)] as const));
  return { shell: await read(SHELL), assets: new Map(assets) };
}

function fileOf(name: string, identity: Uint8Array, effort: keyof typeof EFFORTS): PortalFile {
  const { gzip, brotli } = EFFORTS[effort];
  return shared(name, {
    identity,
    gzip: gzipSync(identity, { level: gzip }),
    br: brotliCompressSync(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: brotli } }),
  });
}

function shared(name: string, { identity, gzip, br }: Record<Encoding, Uint8Array>): PortalFile {
  const contentType = CONTENT_TYPES[extname(name)];
  if (contentType === undefined) throw new Error(`${name} is of no type that the portal has`);
  return {
    contentType,
    bytes: { identity: inSharedMemory(identity), gzip: inSharedMemory(gzip), br: inSharedMemory(br) },
    etag: `"${createHash("sha256").update(identity).digest("hex").slice(0, 16)}"`,
  };
}

function inSharedMemory(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.byteLength));
  copy.set(bytes);
  return copy;
}

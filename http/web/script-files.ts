import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { bundleScripts, SCRIPT_FILES, type ScriptFile } from "./bundle-scripts.ts";
import { type EncodedFile, encodeText, inSharedMemory } from "./encoded-file.ts";

/** The scripts' types, for pages that are written in TypeScript. */
export const TYPE_FILES = ["compat.d.ts", "scan.d.ts"] as const;
export type ServedFile = ScriptFile | (typeof TYPE_FILES)[number];

/** A file as it is served: compressed once, when it is read. */
export interface Asset extends EncodedFile {
  readonly file: ServedFile;
  /** Names these bytes: 16 hexadecimal digits, in the path under which they never change. */
  readonly version: string;
  /** For `integrity` in a page: `sha384-...`. */
  readonly integrity: string;
}

export type ScriptAssets = ReadonlyMap<string, Asset>;

const SCRIPT = "text/javascript; charset=utf-8";
const TYPES = "text/plain; charset=utf-8";

/** Reads the scripts of a build, or makes them from their sources. In shared memory, so that all threads of a node hold them once. Rejects where that is not possible. */
export async function loadScripts(): Promise<ScriptAssets> {
  const place = (file: string) => new URL(`./scripts/${file}`, import.meta.url);
  const built = SCRIPT_FILES.filter((file) => existsSync(place(file)));
  const scripts =
    built.length === SCRIPT_FILES.length
      ? await Promise.all(SCRIPT_FILES.map(async (file) => [file, await readFile(place(file), "utf8")] as const))
      : [...(await bundleScripts())];
  const types = await Promise.all(TYPE_FILES.map(async (file) => [file, await readFile(place(file), "utf8")] as const));
  const assets = await Promise.all([
    ...scripts.map(([file, text]) => assetOf(file, text, SCRIPT)),
    ...types.map(([file, text]) => assetOf(file, text, TYPES)),
  ]);
  return new Map(assets.map((asset) => [asset.file, asset]));
}

async function assetOf(file: ServedFile, text: string, contentType: string): Promise<Asset> {
  const identity = Buffer.from(text, "utf8");
  const encoded = inSharedMemory(await encodeText(contentType, identity));
  return {
    ...encoded,
    file,
    version: encoded.etag.slice(1, -1),
    integrity: `sha384-${createHash("sha384").update(identity).digest("base64")}`,
  };
}

export function versionedPath({ version, file }: Asset): string {
  return `/js/${version}/${file}`;
}

import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { type Static, Type } from "@sinclair/typebox";
import { type Encoding, preferredEncoding } from "../endpoint/accept-encoding.ts";
import type { OutgoingFile } from "../endpoint/endpoint.ts";
import { isNamedIn } from "../endpoint/entity-tag.ts";

const header = (description: string) => Type.Optional(Type.String({ maxLength: 1_024, description }));

/** What a request says of the forms that it takes, and of what it has. */
export const CacheRequest = Type.Object({
  "accept-encoding": header("gzip and br are known."),
  "if-none-match": header("304 if this ETag still matches."),
});
export type CacheRequest = Static<typeof CacheRequest>;

/** A file in all the forms in which it is served. */
export interface EncodedFile {
  readonly contentType: string;
  readonly bytes: Readonly<Record<Encoding, Uint8Array>>;
  /** Of the bytes without compression, with its quotes. */
  readonly etag: string;
}

/** Of a file whose address names its bytes. */
export const FOREVER = "public, max-age=31536000, immutable";

/** Headers of an answer with a file that the caller may keep, for its declaration. */
export const CACHE_HEADERS = {
  "Cache-Control": { description: "How long it may be cached." },
  ETag: { description: "Of the bytes; a weak one where they are compressed." },
  Vary: { description: "Accept-Encoding" },
};
export const FILE_HEADERS = { ...CACHE_HEADERS, "Content-Encoding": { description: "gzip or br, where the request accepts it." } };

/** The file in the form that the request takes, or 304 where the caller has it. `headers` are those of both answers. */
export function encodedReply<H extends object>(file: EncodedFile, request: CacheRequest, headers: H) {
  const encoding = preferredEncoding(request["accept-encoding"] ?? "");
  const isPlain = encoding === "identity";
  // A strong tag promises the same bytes.
  const common = { ...headers, ETag: isPlain ? file.etag : `W/${file.etag}`, Vary: "Accept-Encoding" };
  return isNamedIn(request["if-none-match"], file.etag)
    ? { status: 304 as const, headers: common }
    : {
        status: 200 as const,
        file: fromMemory(file.bytes[encoding], file.contentType),
        headers: { ...common, ...(isPlain ? {} : { "Content-Encoding": encoding }) },
      };
}

/** The tag of these bytes. */
export function etagOf(bytes: Uint8Array): string {
  return `"${createHash("sha256").update(bytes).digest("hex").slice(0, 16)}"`;
}

/** Brotli of level 5 makes a megabyte of text in some 50 ms nearly as small as the highest one does in seconds. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT } } as const;
const compressed = { br: promisify(brotliCompress), gzip: promisify(gzip) };

/** A text that is made or read while the relay runs, in all its forms; one after the other, as the store needs the pool's threads too. */
export async function encodeText(contentType: string, identity: Uint8Array): Promise<EncodedFile> {
  const br = await compressed.br(identity, BROTLI);
  const gzipped = await compressed.gzip(identity, { level: 6 });
  return { contentType, bytes: { identity, br, gzip: gzipped }, etag: etagOf(identity) };
}

/** What a file of a build is called in each of its forms. */
const ENDINGS: Readonly<Record<Encoding, string>> = { identity: "", gzip: ".gz", br: ".br" };

/** Writes a file of a build in all its forms. */
export async function writeEncodedFile(folder: string, name: string, { bytes }: Pick<EncodedFile, "bytes">): Promise<void> {
  const { identity, gzip, br } = ENDINGS;
  await Promise.all([
    writeFile(join(folder, name + identity), bytes.identity),
    writeFile(join(folder, name + gzip), bytes.gzip),
    writeFile(join(folder, name + br), bytes.br),
  ]);
}

/** Reads what `writeEncodedFile` has written, into memory that threads share. */
export async function readEncodedFile(folder: string, name: string, contentType: string): Promise<EncodedFile> {
  const form = (encoding: Encoding) => readFile(join(folder, name + ENDINGS[encoding]));
  const [identity, gzip, br] = await Promise.all([form("identity"), form("gzip"), form("br")]);
  return inSharedMemory({ contentType, bytes: { identity, gzip, br }, etag: etagOf(identity) });
}

/** The same file for all threads of the process, which then hold it once. */
export function inSharedMemory<File extends EncodedFile>(file: File): File {
  const { identity, gzip, br } = file.bytes;
  return { ...file, bytes: { identity: shared(identity), gzip: shared(gzip), br: shared(br) } };
}

function shared(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.byteLength));
  copy.set(bytes);
  return copy;
}

/** Makes it when it is first asked for, and keeps it; what failed is tried again. */
export function madeOnce<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make().catch((error) => {
      made = null;
      throw error;
    });
    return made;
  };
}

/** Bytes as the body of an answer. */
function fromMemory(bytes: Uint8Array, contentType: string): OutgoingFile {
  return {
    contentType,
    offset: 0,
    length: bytes.byteLength,
    read: async (into, position) => {
      const part = bytes.subarray(position, position + into.byteLength);
      into.set(part);
      return part.byteLength;
    },
    close: () => {},
  };
}

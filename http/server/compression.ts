import { brotliCompress, brotliCompressSync, constants, createBrotliCompress, createGzip, gzip, gzipSync } from "node:zlib";
import type { Encoding } from "../endpoint/accept-encoding.ts";

/**
 * Answers are compressed from here on. With its head of some 300 bytes a shorter one fits one TCP segment or two, which go out together: compressing it would
 * save a client no time, and cost some 15 microseconds of every poll and payment.
 */
export const COMPRESSED_FROM_BYTES = 1_400;

/**
 * Up to here in this thread, at once: measured, 64 KB of JSON take 0.2 ms with either encoding, and 8 KB 0.03 ms, which is less than to hand them to another
 * thread and back.
 */
export const IN_PLACE_BYTES_MAX = 65_536;

/** A longer text is sent as it is: it would hold a thread of the pool for more than some 30 ms. Endpoints with so much to say stream it. */
const BYTES_MAX = 8_388_608;

/** Longer texts of one shard that are compressed at once, by a thread of Node's pool. The pool has four for all shards, and the store needs them for its commits. */
const POOLED_MAX = 1;

/**
 * Low levels: measured on JSON, the highest ones save a further tenth and take ten times as long. Brotli of level 3 takes no longer than gzip of level 1, and
 * its result is a quarter smaller. A window of 256 KB bounds what each encoder holds.
 */
const GZIP = { level: 1 } as const;
const BROTLI = {
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 3,
    [constants.BROTLI_PARAM_LGWIN]: 18,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
  },
} as const;

/** Text of any kind: what images, archives and fonts would gain is nothing. */
const TEXT =
  /^(?:text\/|application\/(?:json|javascript|xml|yaml|x-yaml|x-ndjson|problem\+json|[a-z0-9.-]+\+(?:json|xml|yaml))|image\/svg\+xml)/i;

export function isText(contentType: string | undefined): boolean {
  return contentType !== undefined && TEXT.test(contentType);
}

/**
 * Whether an answer's headers permit that it is compressed. One that says `no-store` itself hands out something secret once: a key, a password, recovery codes.
 * Whoever sees how long answers are, and can put texts of their own into them, finds out by compression what stands beside (BREACH). All other answers
 * say `no-store` only by default.
 *
 * That is the second fence. The first: an answer to a login that a browser has attached is never compressed for a page of another site
 * (`ServedRoute.hidesLength`), so nobody has a browser ask again and again. And what signs a request in, the cookie and the login, is in no answer's body.
 */
export function mayCompress(headers: { readonly [name: string]: string | undefined } | undefined): boolean {
  if (headers === undefined) return true;
  return headers["Content-Encoding"] === undefined && !/no-store|no-transform/.test(headers["Cache-Control"] ?? "");
}

/** Headers of an answer that depends on `Accept-Encoding`, whether this one is compressed or not. */
export function negotiatedHeaders(
  headers: { readonly [name: string]: string | undefined } | undefined,
  encoding: Encoding,
): { readonly [name: string]: string | undefined } {
  const vary = headers?.["Vary"];
  const etag = headers?.["ETag"];
  return {
    ...headers,
    Vary: vary === undefined ? "Accept-Encoding" : /accept-encoding/i.test(vary) ? vary : `${vary}, Accept-Encoding`,
    ...(encoding === "identity" ? {} : { "Content-Encoding": encoding }),
    // A strong one promises the same bytes.
    ...(encoding === "identity" || etag === undefined || etag.startsWith("W/") ? {} : { ETag: `W/${etag}` }),
  };
}

/** The same for a 304, which has no body to be encoded. */
export function notModifiedHeaders(
  headers: { readonly [name: string]: string | undefined } | undefined,
  encoding: Encoding,
): { readonly [name: string]: string | undefined } {
  return { ...negotiatedHeaders(headers, encoding), "Content-Encoding": undefined };
}

/** Compresses the answers of one thread. */
export class Compression {
  #pooled = 0;

  /** Null where it is to be sent as it is: too long, or as many are being compressed as may. */
  compress(bytes: Uint8Array, encoding: "gzip" | "br"): Uint8Array | Promise<Uint8Array> | null {
    const { byteLength } = bytes;
    if (byteLength <= IN_PLACE_BYTES_MAX) return encoding === "br" ? brotliCompressSync(bytes, BROTLI) : gzipSync(bytes, GZIP);
    if (byteLength > BYTES_MAX || this.#pooled >= POOLED_MAX) return null;
    this.#pooled += 1;
    return new Promise((resolve, reject) => {
      const done = (error: Error | null, result: Uint8Array) => {
        this.#pooled -= 1;
        if (error === null) resolve(result);
        else reject(error);
      };
      if (encoding === "br") brotliCompress(bytes, BROTLI, done);
      else gzip(bytes, GZIP, done);
    });
  }
}

/** An encoder for a body that is not known as a whole; it works in threads of Node's pool. */
export function streamEncoder(encoding: "gzip" | "br") {
  return encoding === "br" ? createBrotliCompress(BROTLI) : createGzip(GZIP);
}

import { latin1, type ReadImage } from "./image-bytes.ts";
import { readJpeg } from "./jpeg.ts";
import { readPng } from "./png.ts";
import { readWebp } from "./webp.ts";

export type ImageType = "image/png" | "image/jpeg" | "image/webp";

/** Fits into one value of the store in Base64, and is small enough for a page and a mail. */
export const LOGO_BYTES_MAX = 262_144;
/** A decoded image of this size takes 16 MB of memory in a browser. */
export const LOGO_PIXELS_MAX = 2_000;
/** Smaller images are pixels for counting readers, and no logos. */
export const LOGO_PIXELS_MIN = 16;

export interface CheckedImage extends ReadImage {
  readonly type: ImageType;
}

/**
 * - `svg`: an SVG image. It can contain scripts and load other files, and mail programs do not show
 *   it.
 * - `type`: neither PNG nor JPEG nor WebP.
 * - `damaged`: truncated, inconsistent, or followed by other data.
 * - `animated`: has several pictures.
 * - `dimensions`: too large or too small.
 */
export type ImageProblem = "empty" | "too_large" | "svg" | "type" | "damaged" | "animated" | "dimensions";

/**
 * Checks a logo by its bytes only. Its name and content type do not matter, because senders choose
 * them freely.
 */
export function checkImage(contents: Uint8Array): CheckedImage | ImageProblem {
  if (contents.length === 0) return "empty";
  if (contents.length > LOGO_BYTES_MAX) return "too_large";
  const type = typeOf(contents);
  if (type === null) return isSvg(contents) ? "svg" : "type";
  const read = READERS[type](contents);
  if (typeof read === "string") return read;
  const isInRange = [read.width, read.height].every((pixels) => pixels >= LOGO_PIXELS_MIN && pixels <= LOGO_PIXELS_MAX);
  return isInRange ? { type, ...read } : "dimensions";
}

const READERS: Readonly<Record<ImageType, (contents: Uint8Array) => ReadImage | "damaged" | "animated">> = {
  "image/png": readPng,
  "image/jpeg": readJpeg,
  "image/webp": readWebp,
};

function typeOf(contents: Uint8Array): ImageType | null {
  const head = latin1(contents, 0, 12);
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  return head.startsWith("RIFF") && head.endsWith("WEBP") ? "image/webp" : null;
}

const SVG_CHARS = 4_096;

function isSvg(contents: Uint8Array): boolean {
  return /<svg[\s>]/i.test(latin1(contents, 0, SVG_CHARS));
}

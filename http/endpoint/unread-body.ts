import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { constants, gunzipSync } from "node:zlib";
import { withoutByteOrderMark } from "../../engine/kernel/well-formed.ts";
import type { UnreadPosting } from "../../engine/payments/unread-posting.ts";
import type { UnreadBody } from "./endpoint.ts";

/** The largest size of an unpacked gzip body, which equals the limit of an uncompressed one. */
const UNPACKED_BYTES_MAX = 65_536;

/**
 * Matches characters that no text has: control characters except tab, line feed and carriage
 * return.
 */
const CONTROL = /(?![\t\n\r])\p{Cc}/u;

/** ISO-8859-1 with the quotes and the euro sign that Windows adds. Every byte is a character. */
const LATIN_1 = new TextDecoder("windows-1252");
/** Keeps the byte order mark, which is removed later for all encodings. */
const UTF_8 = new TextDecoder("utf-8", { ignoreBOM: true });
const UTF_16_LE = new TextDecoder("utf-16le");
const UTF_16_BE = new TextDecoder("utf-16be");

/**
 * Returns what operators can use of a body that could not be read: its text in any encoding, if it
 * is a text.
 */
export function unreadPosting({ bytes, isWhole, contentType, reason }: UnreadBody): UnreadPosting {
  const isMissing = bytes.length === 0 && !isWhole;
  const text = isMissing ? null : textOf(bytes);
  return {
    reason: isWhole || isMissing ? reason : `${reason}; its beginning is kept`,
    text: text !== null && isForm(contentType) ? decodedForm(text) : text,
    size: bytes.length,
    isWhole,
    contentType,
    sha256: createHash("sha256").update(bytes).digest("hex"),
  };
}

function textOf(bytes: Uint8Array): string | null {
  const unpacked = isGzip(bytes) ? gunzip(bytes) : bytes;
  if (unpacked === null) return null;
  const text = withoutTrailingNuls(withoutByteOrderMark(decoded(unpacked)));
  return CONTROL.test(text) ? null : text;
}

/** Removes the zero bytes with which programs in C end texts. */
function withoutTrailingNuls(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0) end -= 1;
  return text.slice(0, end);
}

function decoded(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return UTF_16_LE.decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return UTF_16_BE.decode(bytes);
  return isUtf8(bytes) ? UTF_8.decode(bytes) : LATIN_1.decode(bytes);
}

function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/**
 * Returns null for bytes that are not gzip, and for content larger than the limit. Truncated gzip
 * is unpacked as far as possible.
 */
function gunzip(bytes: Uint8Array): Uint8Array | null {
  try {
    return gunzipSync(bytes, { maxOutputLength: UNPACKED_BYTES_MAX, finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    return null;
  }
}

function isForm(contentType: string): boolean {
  return contentType.trimStart().toLowerCase().startsWith("application/x-www-form-urlencoded");
}

/**
 * Decodes percent-encoding, because card numbers can be masked only without it (`%34`). A text that
 * is not validly encoded is returned unchanged.
 */
function decodedForm(text: string): string {
  return text.replaceAll("+", " ").replace(/(?:%[0-9A-Fa-f]{2})+/g, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
}

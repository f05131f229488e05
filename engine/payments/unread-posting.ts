import { cutText } from "../kernel/cut-text.ts";
import { maskPans, maskText } from "../kernel/mask.ts";
import { UNREADABLE_RAW_CHARS_MAX } from "./result.ts";

/** A posting that is no JSON, or not of the form of a result at all. */
export interface UnreadPosting {
  /** What is wrong with it; quotes nothing. */
  reason: string;
  /** What was posted, as text; null where it is none. */
  text: string | null;
  /** Of the bytes as they came. Where there were more than are read, these are the first, and `isWhole` is false. */
  size: number;
  isWhole: boolean;
  contentType: string;
  /** SHA-256 of those bytes, hexadecimal. */
  sha256: string;
}

/** Content types are short; what calls itself one may be anything. */
const CONTENT_TYPE_CHARS_MAX = 128;

/** A member `uuid`, in JSON that is broken, in a form, in XML. */
const NAMED_UUID = /(?<![A-Za-z0-9_])uuid["']?(?:\s{0,8}[:=]\s{0,8}|>)["']?([A-Za-z0-9._-]{1,64})(?![A-Za-z0-9._-])/gi;

/** The uuid that a text names, where it names one and no other. */
export function namedUuid(text: string): string | null {
  const [uuid, ...others] = new Set(Array.from(text.matchAll(NAMED_UUID), ([, named]) => named));
  return uuid === undefined || others.length > 0 ? null : uuid;
}

/** What operators get to see of it: its text, masked and then cut, or what can be told of what is no text. */
export function rawOf({ text, size, isWhole, contentType, sha256 }: UnreadPosting): string {
  if (text !== null) return cutText(maskText(text), UNREADABLE_RAW_CHARS_MAX);
  const type = maskPans(cutText(contentType, CONTENT_TYPE_CHARS_MAX));
  return JSON.stringify(isWhole ? { bytes: size, contentType: type, sha256 } : { bytes: `more than ${size}`, contentType: type });
}

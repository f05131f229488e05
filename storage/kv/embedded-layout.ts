import { createIntegerText } from "../../engine/kernel/integer-text.ts";
import type { Entry } from "../../engine/kernel/kv.ts";
import { SCHEMAS } from "../../engine/kernel/schemas.ts";

/**
 * The layout of entries in LevelDB. A record is `<version>,<expiry or 0>,<value>` under its own key. Keys that begin with U+0001 are the
 * store's own; they sort before every key that a caller can have, so no scan meets them.
 */
export const LAYOUT_VERSION = SCHEMAS.layout.writes;

export const LAYOUT_KEY = "\u{1}layout";

/** The highest version ever given, written with each batch, so that none is used twice when the clock went back over a restart. */
export const LAST_VERSION_KEY = "\u{1}version";

/** `KvHistory.lostVersion`; absent where nothing was ever lost. */
export const LOST_VERSION_KEY = "\u{1}lost";

/** First possible key of a caller. */
export const FIRST_KEY = " ";

/** `expiresAtMs` is 0 for an entry that does not expire; `version` 0 stands for no entry. */
export interface Standing {
  version: number;
  expiresAtMs: number;
}

export const ABSENT: Standing = { version: 0, expiresAtMs: 0 };

const ZERO = 0x30;

const versionText = createIntegerText();

export function writeHeader(version: number, expiresAtMs: number): string {
  return `${versionText(version)},${expiresAtMs},`;
}

/** Reads the header of a stored record. Throws where it is not one that this layout writes. */
export function readStanding(text: string): Standing {
  const versionEnd = numberEnd(text, 0);
  const expiryEnd = numberEnd(text, versionEnd + 1);
  return { version: readNumber(text, 0, versionEnd), expiresAtMs: readNumber(text, versionEnd + 1, expiryEnd) };
}

/** Reads a stored record; null when it had expired at `nowMs`. Throws where it is not one that this layout writes. */
export function readEntry(key: string, text: string, nowMs: number): Entry | null {
  const versionEnd = numberEnd(text, 0);
  const expiryEnd = numberEnd(text, versionEnd + 1);
  const expiresAtMs = readNumber(text, versionEnd + 1, expiryEnd);
  if (hasExpired(expiresAtMs, nowMs)) return null;
  return { key, value: text.slice(expiryEnd + 1), version: readNumber(text, 0, versionEnd) };
}

export function hasExpired(expiresAtMs: number, nowMs: number): boolean {
  return expiresAtMs !== 0 && expiresAtMs <= nowMs;
}

/** Digits of an expiry in the index: enough for every safe integer, so that the keys sort by time. */
const EXPIRY_DIGITS = 16;
const EXPIRY_PREFIX = "\u{1}x/";
const EXPIRY_KEY_START = EXPIRY_PREFIX.length + EXPIRY_DIGITS + 1;

/** The index entry that names a key with an expiry; never removed by a later put, so it may be out of date. */
export function expiryKey(expiresAtMs: number, key: string): string {
  return `${EXPIRY_PREFIX}${String(expiresAtMs).padStart(EXPIRY_DIGITS, "0")}/${key}`;
}

/** Index entries of everything that had expired at `nowMs`. */
export function expiredRange(nowMs: number): { gte: string; lt: string } {
  return { gte: EXPIRY_PREFIX, lt: `${EXPIRY_PREFIX}${String(nowMs + 1).padStart(EXPIRY_DIGITS, "0")}` };
}

export function readExpiryKey(indexKey: string): { expiresAtMs: number; key: string } {
  return {
    expiresAtMs: Number(indexKey.slice(EXPIRY_PREFIX.length, EXPIRY_KEY_START - 1)),
    key: indexKey.slice(EXPIRY_KEY_START),
  };
}

function numberEnd(text: string, start: number): number {
  const end = text.indexOf(",", start);
  if (end <= start || end - start > EXPIRY_DIGITS) throw new Error("a stored record has no header");
  return end;
}

/** Number(text.slice(...)) without the slice: this runs for every record that is read. */
function readNumber(text: string, start: number, end: number): number {
  let number = 0;
  for (let index = start; index < end; index++) {
    const digit = text.charCodeAt(index) - ZERO;
    if (digit < 0 || digit > 9) throw new Error("a stored record has a header that is not of this layout");
    number = number * 10 + digit;
  }
  return number;
}

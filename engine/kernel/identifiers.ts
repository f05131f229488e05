import { IDENTIFIER_LENGTH_MAX } from "./limits.ts";

/** Words that other paths use in place of a terminal id. They cannot be terminal ids. */
export const RESERVED_WORDS = ["commands", "app", "gw", "payment", "paybylink", "pay", "uuid", "status"] as const;
const RESERVED: ReadonlySet<string> = new Set(RESERVED_WORDS);
const SHAPE = new RegExp(`^[A-Za-z0-9._-]{1,${IDENTIFIER_LENGTH_MAX}}$`);

/** Returns true if `text` can be a terminal id: 1 to 64 of `A-Za-z0-9._-`, not a reserved word. */
export function isTerminalId(text: string): boolean {
  return SHAPE.test(text) && !RESERVED.has(text);
}

const UUID_FORM_LENGTH = 36;
const UUID_FORM = /^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/;

/** Returns true if a command uuid has the form of a UUID (8-4-4-4-12 hex digits). */
export function hasUuidForm(uuid: string): boolean {
  return uuid.length === UUID_FORM_LENGTH && UUID_FORM.test(uuid);
}

/** The last uuid is remembered, since a payment's uuid is converted several times in a row. */
let lastUuid = "";
let lastKey = "";

/**
 * Returns the form in which a uuid is stored and compared: lower case if it has the form
 * 8-4-4-4-12, otherwise unchanged. Surfaces and the feed use the form that the command's sender
 * wrote. Every payment calls this, and nearly all uuids are in lower case, for which V8 returns the
 * same string.
 */
export function uuidKey(uuid: string): string {
  if (uuid.length !== UUID_FORM_LENGTH) return uuid;
  if (uuid === lastUuid) return lastKey;
  const small = uuid.toLowerCase();
  lastUuid = uuid;
  lastKey = small === uuid || !UUID_FORM.test(uuid) ? uuid : small;
  return lastKey;
}

/** Returns true if two texts are the same uuid. */
export function isSameUuid(one: string, other: string): boolean {
  return one === other || uuidKey(one) === uuidKey(other);
}

/**
 * Returns true if `text` can be a command uuid. The characters are those of a terminal id, so that
 * it fits every path and key.
 */
export function isUuid(text: string): boolean {
  return SHAPE.test(text) && !RESERVED.has(text);
}

import { IDENTIFIER_LENGTH_MAX } from "./limits.ts";

/** Words that stand in the place of a terminal id in other paths and so cannot be one. */
export const RESERVED_WORDS = ["commands", "app", "gw", "payment", "paybylink", "pay", "uuid", "status"] as const;
const RESERVED: ReadonlySet<string> = new Set(RESERVED_WORDS);
const SHAPE = new RegExp(`^[A-Za-z0-9._-]{1,${IDENTIFIER_LENGTH_MAX}}$`);

/** Says whether `text` can be a terminal id: 1 to 64 of `A-Za-z0-9._-`, not a reserved word. */
export function isTerminalId(text: string): boolean {
  return SHAPE.test(text) && !RESERVED.has(text);
}

const UUID_FORM_LENGTH = 36;
const UUID_FORM = /^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/;

/** Says whether a command uuid is one by its form (8-4-4-4-12 hex digits), too. */
export function hasUuidForm(uuid: string): boolean {
  return uuid.length === UUID_FORM_LENGTH && UUID_FORM.test(uuid);
}

/** The uuid that was asked for last: a payment asks for its own some times in a row. */
let lastUuid = "";
let lastKey = "";

/**
 * What a uuid is kept and compared by. One of the form 8-4-4-4-12 is the same in capitals and in small letters; any other text is itself. It is shown, sent
 * and fed as the command's sender wrote it. (Every payment passes here, and nearly all are in small letters: V8 then answers with the same string.)
 */
export function uuidKey(uuid: string): string {
  if (uuid.length !== UUID_FORM_LENGTH) return uuid;
  if (uuid === lastUuid) return lastKey;
  const small = uuid.toLowerCase();
  lastUuid = uuid;
  lastKey = small === uuid || !UUID_FORM.test(uuid) ? uuid : small;
  return lastKey;
}

/** Says whether two texts are the same uuid. */
export function isSameUuid(one: string, other: string): boolean {
  return one === other || uuidKey(one) === uuidKey(other);
}

/** Says whether `text` can be a command uuid; the same characters, so that it fits every path and key. */
export function isUuid(text: string): boolean {
  return SHAPE.test(text) && !RESERVED.has(text);
}

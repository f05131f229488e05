import { IDENTIFIER_LENGTH_MAX } from "./limits.ts";

/** Words that stand in the place of a terminal id in other paths and so cannot be one. */
export const RESERVED_WORDS = ["commands", "app", "gw", "payment", "paybylink", "pay", "uuid", "status"] as const;
const RESERVED: ReadonlySet<string> = new Set(RESERVED_WORDS);
const SHAPE = new RegExp(`^[A-Za-z0-9._-]{1,${IDENTIFIER_LENGTH_MAX}}$`);

/** Says whether `text` can be a terminal id: 1 to 64 of `A-Za-z0-9._-`, not a reserved word. */
export function isTerminalId(text: string): boolean {
  return SHAPE.test(text) && !RESERVED.has(text);
}

/** Says whether `text` can be a command uuid; the same characters, so that it fits every path and key. */
export function isUuid(text: string): boolean {
  return SHAPE.test(text) && !RESERVED.has(text);
}

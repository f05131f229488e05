/**
 * These functions replace unpaired surrogates. UTF-16 represents characters beyond U+FFFF as two
 * units (surrogates). One without the other is not valid: UTF-8 cannot represent it, and ClickHouse
 * refuses a row that contains it. From outside it can only come as an escape within JSON
 * (`\ud83d`), since everything else is decoded from UTF-8.
 */

/** The replacement as a JSON escape: U+FFFD, which every UTF-8 decoder uses for invalid bytes. */
const REPLACEMENT = "\\ufffd";

/**
 * Matches an escape of JSON: a high unit with the following low one, if there is one; a low unit
 * alone; or any other escape as a whole.
 */
const ESCAPE = /\\(?:(u[Dd][89ABab][0-9A-Fa-f]{2})(\\u[Dd][C-Fc-f][0-9A-Fa-f]{2})?|(u[Dd][C-Fc-f][0-9A-Fa-f]{2})|.)/gs;

/**
 * The schema of an identifier in such JSON with otherwise arbitrary characters. With U+FFFD in it,
 * it would name something else.
 */
export const WHOLE_CHARACTERS = { pattern: "^[^\\ufffd]*$" };

/** The schema of a text for people, without control characters. */
export const NO_CONTROL_CHARACTERS = { pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f]*$" };

/** The schema of a text of several lines, which may contain tabs and line ends. */
export const LINES = { pattern: "^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]*$" };

/** The schema of a text of one line, without separators of lines and paragraphs. */
export const ONE_LINE = { pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$" };

/**
 * Returns true if a JSON text may contain half a character. Most texts have no escape of that kind.
 */
export function mayHoldHalves(json: string): boolean {
  return json.includes("\\ud") || json.includes("\\uD");
}

/**
 * Replaces each half of a character by U+FFFD in a JSON text (decoded from UTF-8, or written by
 * JSON.stringify), in strings and in member names. It works on the text, because values may be
 * nested deeper than the stack.
 */
export function wellFormedJson(json: string): string {
  if (!mayHoldHalves(json)) return json;
  return json.replace(ESCAPE, (found, high?: string, low?: string, alone?: string) =>
    (high !== undefined && low === undefined) || alone !== undefined ? REPLACEMENT : found,
  );
}

/**
 * At the start of a text this mark only reports the encoding, and a reader may ignore it (RFC 8259,
 * section 8.1).
 */
const BYTE_ORDER_MARK = "\ufeff";

export function withoutByteOrderMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

/**
 * Parses a JSON text from outside. A byte order mark is ignored, and strings are made well-formed.
 * Throws SyntaxError, which quotes the text.
 */
export function parseJson(json: string): unknown {
  return JSON.parse(wellFormedJson(withoutByteOrderMark(json)));
}

/**
 * Returns a JSON value with its strings made well-formed, or the value itself if there is nothing
 * to replace.
 */
export function wellFormedValue<T>(value: T): T {
  const json = JSON.stringify(value);
  const wellFormed = wellFormedJson(json);
  return wellFormed === json ? value : JSON.parse(wellFormed);
}

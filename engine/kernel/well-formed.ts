/**
 * An unpaired surrogate. UTF-16 represents characters beyond U+FFFF as two units (surrogates); one without the other is not valid: UTF-8
 * cannot represent it, and ClickHouse refuses a row that contains it. From outside it can only come as an escape within JSON (`\ud83d`),
 * since everything else is decoded from UTF-8.
 */

/** Its replacement as a JSON escape: U+FFFD, which every UTF-8 decoder uses for invalid bytes. */
const REPLACEMENT = "\\ufffd";

/** An escape of JSON: a high unit with the low one after it where there is one, a low unit by itself, or any other, which is passed over as a whole. */
const ESCAPE = /\\(?:(u[Dd][89ABab][0-9A-Fa-f]{2})(\\u[Dd][C-Fc-f][0-9A-Fa-f]{2})?|(u[Dd][C-Fc-f][0-9A-Fa-f]{2})|.)/gs;

/** Of an identifier in such JSON that may be any characters otherwise, as a member of its schema: with U+FFFD in it, it would name something else. */
export const WHOLE_CHARACTERS = { pattern: "^[^\\ufffd]*$" };

/** Of a text that is shown to people, as a member of its schema: no control characters. */
export const NO_CONTROL_CHARACTERS = { pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f]*$" };

/** The same of several lines: tabs and ends of lines are part of it. */
export const LINES = { pattern: "^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]*$" };

/** The same for one line: no separators of lines and paragraphs either. */
export const ONE_LINE = { pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$" };

/** Says whether some JSON text may hold half of a character; most texts have no escape of that kind. */
export function mayHoldHalves(json: string): boolean {
  return json.includes("\\ud") || json.includes("\\uD");
}

/**
 * JSON text (decoded from UTF-8, or written by JSON.stringify) with U+FFFD in the place of each half of a character, in texts and in names of members.
 * All else stays as it is. Works on the text, because values may be nested deeper than the stack is.
 */
export function wellFormedJson(json: string): string {
  if (!mayHoldHalves(json)) return json;
  return json.replace(ESCAPE, (found, high?: string, low?: string, alone?: string) =>
    (high !== undefined && low === undefined) || alone !== undefined ? REPLACEMENT : found,
  );
}

/** Where a text begins with it, it only says how the text was encoded (RFC 8259, section 8.1: a reader may ignore it). */
const BYTE_ORDER_MARK = "\ufeff";

export function withoutByteOrderMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

/** A value of JSON text that came from outside: a byte order mark is ignored, and texts are made well-formed. Throws SyntaxError, which quotes the text. */
export function parseJson(json: string): unknown {
  return JSON.parse(wellFormedJson(withoutByteOrderMark(json)));
}

/** A value of JSON with its texts made well-formed; the value itself where nothing is to be replaced. */
export function wellFormedValue<T>(value: T): T {
  const json = JSON.stringify(value);
  const wellFormed = wellFormedJson(json);
  return wellFormed === json ? value : JSON.parse(wellFormed);
}

/**
 * These functions find members that a JSON object has twice. `JSON.parse` silently keeps the last
 * one, but other readers keep the first. Two programs could then read two different amounts from
 * the same bytes.
 */

const QUOTE = '"';
const QUOTE_CODE = 0x22;
const BACKSLASH_CODE = 0x5c;
const COLON = ":";
const COLON_CODE = 0x3a;

type Members = { readonly [name: string]: unknown };

/**
 * Returns the number of members in a JSON value at all levels, or null if it is nested deeper than
 * `levelsMax`.
 */
export function countMembers(value: unknown, levelsMax: number): number | null {
  if (!isObject(value)) return 0;
  if (levelsMax === 0) return null;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) {
      const below = countMembers(item, levelsMax - 1);
      if (below === null) return null;
      count += below;
    }
    return count;
  }
  // This runs for every request, and a loop over the names allocates no list.
  for (const name in value) {
    const below = countMembers(value[name], levelsMax - 1);
    if (below === null) return null;
    count += 1 + below;
  }
  return count;
}

/**
 * Returns true if a valid JSON text may name a member twice. `members` is the number of members of
 * its value (`countMembers`), or null if it is not known. False is certain. True has to be
 * confirmed by a function that reads the whole text at several times the cost.
 */
export function mayRepeatMembers(text: string, members: number | null): boolean {
  if (members === null) return true;
  let names = 0;
  for (let at = text.indexOf(COLON); at !== -1; at = text.indexOf(COLON, at + 1)) {
    let before = at - 1;
    while (isSpace(text.charCodeAt(before))) before -= 1;
    // The colon after a name follows a quote. Within a text a colon may too, so this count is never
    // lower than the number of names.
    if (text.charCodeAt(before) === QUOTE_CODE) names += 1;
  }
  return names !== members;
}

/**
 * Returns the first name that an object in a valid JSON text has twice, or null if there is none.
 * The nesting of the text has no limit.
 */
export function repeatedMember(text: string): string | null {
  const waiting: unknown[] = [parseNumbered(text)];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (!isObject(value)) continue;
    const names = new Set<string>();
    for (const [name, inner] of numberedMembers(value)) {
      if (names.has(name)) return name;
      names.add(name);
      if (isObject(inner)) waiting.push(inner);
    }
  }
  return null;
}

/**
 * Returns the value of a valid JSON text with all its members. The number of names before it in the
 * text and a colon precede each name (`3:amount`), so that no two are equal.
 */
export function parseNumbered(text: string): unknown {
  let numbered = "";
  let copied = 0;
  for (const [number, place] of namePlaces(text).entries()) {
    numbered += `${text.slice(copied, place + 1)}${number}${COLON}`;
    copied = place + 1;
  }
  return JSON.parse(numbered + text.slice(copied));
}

/**
 * Returns the members of an object from `parseNumbered` in the order of the text, by their own
 * names. Items of a list have their indices.
 */
export function numberedMembers(object: object): [name: string, value: unknown][] {
  const members: [string, unknown][] = Object.entries(object);
  return members.map(([name, value]) => [name.slice(name.indexOf(COLON) + 1), value]);
}

/**
 * Returns the value of a valid JSON text. A member that occurs several times becomes the list of
 * its values. Values that are nested deeper than `levelsMax` become null.
 */
export function parseWithRepeated(text: string, levelsMax: number): unknown {
  return withLists(parseNumbered(text), levelsMax);
}

function withLists(value: unknown, levelsMax: number): unknown {
  if (!isObject(value)) return value;
  if (levelsMax === 0) return null;
  if (Array.isArray(value)) return value.map((item) => withLists(item, levelsMax - 1));
  const values = new Map<string, unknown[]>();
  for (const [name, inner] of numberedMembers(value)) {
    const given = values.get(name);
    const read = withLists(inner, levelsMax - 1);
    if (given === undefined) values.set(name, [read]);
    else given.push(read);
  }
  return Object.fromEntries([...values].map(([name, given]) => [name, given.length === 1 ? given[0] : given]));
}

/** Returns the positions of the opening quotes of all member names in a valid JSON text. */
function namePlaces(text: string): number[] {
  const places: number[] = [];
  for (let open = text.indexOf(QUOTE); open !== -1; ) {
    let next = closingQuote(text, open) + 1;
    while (isSpace(text.charCodeAt(next))) next += 1;
    if (text.charCodeAt(next) === COLON_CODE) places.push(open);
    open = text.indexOf(QUOTE, next);
  }
  return places;
}

/**
 * Returns the position of the quote that closes the string beginning at `open`. An odd number of
 * backslashes before a quote escapes it.
 */
function closingQuote(text: string, open: number): number {
  for (let close = text.indexOf(QUOTE, open + 1); close !== -1; close = text.indexOf(QUOTE, close + 1)) {
    let before = close - 1;
    while (text.charCodeAt(before) === BACKSLASH_CODE) before -= 1;
    if ((close - before) % 2 === 1) return close;
  }
  throw new Error("the text is not valid JSON");
}

/** Tests for the white space of JSON. */
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null;
}

/**
 * Members that stand twice under one name in a JSON object. `JSON.parse` keeps the last of them without a word, other readers keep the
 * first: two programs that read the same bytes see two amounts.
 */

const QUOTE = '"';
const QUOTE_CODE = 0x22;
const BACKSLASH_CODE = 0x5c;
const COLON = ":";
const COLON_CODE = 0x3a;

type Members = { readonly [name: string]: unknown };

/** The number of members in a value of JSON, at all levels; null if it is nested deeper than `levelsMax`. */
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
  // This runs for every request, and a loop over the names makes no list of them.
  for (const name in value) {
    const below = countMembers(value[name], levelsMax - 1);
    if (below === null) return null;
    count += 1 + below;
  }
  return count;
}

/**
 * Whether a valid JSON text may name a member twice. `members` is the number of members of its value (`countMembers`), null where that is
 * not known. False is certain; true has to be confirmed by a function that reads the whole text, which costs a multiple.
 */
export function mayRepeatMembers(text: string, members: number | null): boolean {
  if (members === null) return true;
  let names = 0;
  for (let at = text.indexOf(COLON); at !== -1; at = text.indexOf(COLON, at + 1)) {
    let before = at - 1;
    while (isSpace(text.charCodeAt(before))) before -= 1;
    // The colon after a name follows a quote. Within a text one may too, so that there are never fewer of these than names.
    if (text.charCodeAt(before) === QUOTE_CODE) names += 1;
  }
  return names !== members;
}

/** The first name that an object in a valid JSON text has twice; null if there is none. Texts may be nested as deep as they like. */
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
 * The value of a valid JSON text with every member of it: before each name stands the number of names before it in the text and a colon
 * (`3:amount`), so that no two are the same.
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

/** The members of an object of `parseNumbered` in the order of the text, by their own names. Items of a list have their indices. */
export function numberedMembers(object: object): [name: string, value: unknown][] {
  const members: [string, unknown][] = Object.entries(object);
  return members.map(([name, value]) => [name.slice(name.indexOf(COLON) + 1), value]);
}

/**
 * The value of a valid JSON text, in which a member that stands there several times has the list of its values. What is nested deeper than
 * `levelsMax` is left out.
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

/** Where the names of members begin in a valid JSON text: the places of their opening quotes. */
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

/** The end of the string that begins at `open`. An odd number of backslashes before a quote escapes it. */
function closingQuote(text: string, open: number): number {
  for (let close = text.indexOf(QUOTE, open + 1); close !== -1; close = text.indexOf(QUOTE, close + 1)) {
    let before = close - 1;
    while (text.charCodeAt(before) === BACKSLASH_CODE) before -= 1;
    if ((close - before) % 2 === 1) return close;
  }
  throw new Error("the text is not valid JSON");
}

/** The white space of JSON. */
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null;
}

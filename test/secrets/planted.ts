import type { TSchema } from "@sinclair/typebox";

/**
 * Card numbers in the spellings in which they come, to be put into every text that a request may have, and looked for afterwards. Requests are made from
 * the endpoints' declarations, so that none is forgotten.
 */

/** Numbers that are not to be found anywhere: each stands in one request, which it names. */
export interface Planted {
  /** A text with a number of its own, in the spelling whose turn it is; `about` says where it is put. */
  text(about: string, lengthMax?: number): string;
  /** The same number in all spellings, of some 600 characters. */
  longText(about: string): string;
  /** What has the form of the others and is no card number: it has to be found, or the search looks in the wrong place. */
  control(): string;
  /** Where each number that is found in these bytes was put. */
  foundIn(bytes: Buffer | string): string[];
  /** Whether any control is found in these bytes. */
  controlFoundIn(bytes: Buffer | string): boolean;
  readonly count: number;
}

const DIGITS = 16;

/** Each with the number in groups of four, and whole. */
const SPELLINGS: readonly ((groups: readonly string[], whole: string) => string)[] = [
  (_, whole) => `card ${whole}`,
  (groups) => `card ${groups.join(" ")}`,
  (groups) => `card ${groups.join("-")}`,
  (groups) => `card ${groups.join(".")}`,
  (groups) => `card ${groups.join("/")}`,
  (groups) => `card ${groups.join(", ")}`,
  (groups) => `card ${groups.join("   ")}`,
  (groups) => `card ${groups.join("\t")}`,
  (groups) => `card ${groups.join("\n")}`,
  (groups) => `card ${groups.join("\u200b")}`,
  ([one, two, three, four]) => `card ${one}. ${two}/${three}\n${four}`,
  (_, whole) => `no 20261125${whole}0001`,
  (_, whole) => `emv 9F2608C2C12B098F3DA6E35A08${whole}5F340101`,
  (_, whole) => `emv 5711${whole}D25122010123456789`,
  (_, whole) => `emv 9F6B13${whole}D251220101234567890F`,
  (_, whole) => `emv 5A 08 ${whole.match(/../g)?.join(" ")} 5F 34 01 01`,
  (_, whole) => `;${whole}=25122010123456789? x`,
  (_, whole) => `%B${whole}^ROSSI/MARIO^2512201? x`,
];

/** What may stand within a number: as bytes, escaped in JSON and in URLs. */
const BETWEEN_DIGITS = /(?<=\d)(?:[\s\-.,/+]|[\x80-\xff]|\\[tnr]|\\u[0-9a-fA-F]{4}|%(?:20|09|0[aAdD]|2[cCfFdDeE]|[eE]2%80%8[bB]))+(?=\d)/g;

export function createPlanted(random: () => number): Planted {
  const numbers = new Map<string, string>();
  const controls = new Set<string>();
  let turn = 0;

  function digits(count: number): string {
    return Array.from({ length: count }, () => Math.floor(random() * 10)).join("");
  }

  function number(about: string): string {
    const body = `4${digits(DIGITS - 2)}`;
    const whole = `${body}${checkDigit(body)}`;
    numbers.set(whole, about);
    return whole;
  }

  /** Every number of 16 digits in the text, also within longer ones. */
  function* windows(bytes: Buffer | string): Iterable<string> {
    const text = (typeof bytes === "string" ? Buffer.from(bytes, "utf8") : bytes).toString("latin1").replace(BETWEEN_DIGITS, "");
    for (const [run] of text.matchAll(/\d{16,}/g)) {
      for (let start = 0; start + DIGITS <= run.length; start += 1) yield run.slice(start, start + DIGITS);
    }
  }

  return {
    text: (about, lengthMax = Number.POSITIVE_INFINITY) => {
      const whole = number(about);
      const groups = whole.match(/\d{4}/g) ?? [];
      for (;;) {
        const spelled = SPELLINGS[turn % SPELLINGS.length]?.(groups, whole) ?? whole;
        turn += 1;
        if (spelled.length <= Math.max(lengthMax, DIGITS + 5)) return spelled;
      }
    },
    longText: (about) => {
      const whole = number(about);
      const groups = whole.match(/\d{4}/g) ?? [];
      return SPELLINGS.map((spell) => spell(groups, whole)).join(" | ");
    },
    control: () => {
      // No scheme's prefix, and a wrong check digit.
      const body = `1${digits(DIGITS - 2)}`;
      const whole = `${body}${(checkDigit(body) + 1) % 10}`;
      controls.add(whole);
      return whole;
    },
    foundIn: (bytes) => {
      const found = new Set<string>();
      for (const window of windows(bytes)) {
        const about = numbers.get(window);
        if (about !== undefined) found.add(about);
      }
      return [...found];
    },
    controlFoundIn: (bytes) => {
      for (const window of windows(bytes)) if (controls.has(window)) return true;
      return false;
    },
    get count() {
      return numbers.size;
    },
  };
}

function checkDigit(body: string): number {
  const sum = [...body]
    .toReversed()
    .map(Number)
    .reduce((total, digit, index) => total + (index % 2 === 1 ? digit : digit * 2 > 9 ? digit * 2 - 9 : digit * 2), 0);
  return (10 - (sum % 10)) % 10;
}

/** A place in a body that takes a text. */
export interface TextPlace {
  path: readonly (string | number)[];
  lengthMax?: number;
}

/** Nesting of a schema that is looked into. */
const SCHEMA_DEPTH_MAX = 6;

/** Every place of a body of this schema that takes a text of its caller's own: no word of a list, and no text that a pattern keeps short of one. */
export function textPlaces(schema: TSchema, path: readonly (string | number)[] = []): TextPlace[] {
  if (path.length > SCHEMA_DEPTH_MAX) return [];
  const alternatives: unknown = schema["anyOf"];
  if (Array.isArray(alternatives)) return alternatives.flatMap((one) => textPlaces(one, path)).slice(0, 8);
  const type: unknown = schema["type"];
  const types = Array.isArray(type) ? type : [type];
  if (types.includes("string") && schema["enum"] === undefined && schema["const"] === undefined) {
    const pattern: unknown = schema["pattern"];
    if (typeof pattern === "string" && !new RegExp(pattern, "u").test("card 4111111111111111")) return [];
    const lengthMax: unknown = schema["maxLength"];
    return [{ path, ...(typeof lengthMax === "number" ? { lengthMax } : {}) }];
  }
  if (types.includes("array")) return textPlaces(schema["items"] ?? {}, [...path, 0]);
  if (!types.includes("object")) return type === undefined && schema["const"] === undefined ? [{ path }] : [];
  const places: TextPlace[] = [];
  for (const [name, inner] of Object.entries<TSchema>(schema["properties"] ?? {})) places.push(...textPlaces(inner, [...path, name]));
  for (const inner of Object.values<TSchema>(schema["patternProperties"] ?? {})) places.push(...textPlaces(inner, [...path, "name"]));
  const more: unknown = schema["additionalProperties"];
  if (more !== false && schema["patternProperties"] === undefined) places.push({ path: [...path, "ownMember"] });
  return places;
}

/** A copy of the value with `text` in this place; what is missing on the way is made. */
export function withText(value: unknown, [step, ...rest]: readonly (string | number)[], text: unknown): unknown {
  if (step === undefined) return text;
  if (typeof step === "number") {
    const list = Array.isArray(value) ? [...value] : [];
    list[step] = withText(list[step], rest, text);
    return list;
  }
  const object: { [name: string]: unknown } = typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
  return { ...object, [step]: withText(object[step], rest, text) };
}

import fc from "fast-check";

/** These generators make JSON as text. Others may write more than JSON.stringify ever does. */

/**
 * Units of texts: half characters, whole ones of four bytes, characters that JSON has to escape,
 * and texts that look like an escape.
 */
const PIECES = [
  "\ud83d",
  "\ude00",
  "😀",
  "é",
  "\u0000",
  "\u0007",
  "\n",
  "\u2028",
  "\ufffd",
  "\uffff",
  '"',
  "\\",
  "\\u0000",
  "/",
  "0",
  "NULL",
  "\\N",
  "\t",
  "'",
];

/** Any UTF-16 without twelve digits in a row, which could be masked as a card number. */
export const anyText = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: "binary", maxLength: 4 })), { maxLength: 6 })
  .map((pieces) => pieces.join("").replaceAll(/\d{4,}/g, "0"));

/**
 * Numbers in their possible forms, some of which exceed JavaScript's range. None has twelve digits.
 */
const number = fc.oneof(
  fc.constantFrom("0", "-0", "1.5", "1e400", "-1e400", "1e21", "1E-7", "5e-324", "123456789", "1e3", "0.1", "-1.797e308"),
  fc.integer({ min: -1_000_000, max: 1_000_000 }).map(String),
  fc
    .double({ noDefaultInfinity: true, noNaN: true })
    .filter((value) => Math.abs(value) < 1e11 || Math.abs(value) > 1e20)
    .map((value) => value.toPrecision(6)),
);

/** Returns a text as JSON in which some units are escaped without need. */
function written(text: string, escaped: readonly boolean[]): string {
  let json = "";
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charAt(index);
    const code = text.charCodeAt(index);
    const isHalf = (code & 0xf800) === 0xd800;
    // A surrogate may only be unescaped in a pair. Escaped, it may be alone.
    if (isHalf || code < 0x20 || unit === '"' || unit === "\\" || escaped[index % escaped.length] === true) {
      const hex = code.toString(16).padStart(4, "0");
      json += `\\u${index % 2 === 0 ? hex : hex.toUpperCase()}`;
    } else json += unit;
  }
  return `"${json}"`;
}

const string = fc.tuple(anyText, fc.array(fc.boolean(), { minLength: 1, maxLength: 4 })).map(([text, escaped]) => written(text, escaped));

const space = fc.constantFrom("", "", " ", "\n\t ");

/** Any JSON value as text. */
export const anyJson: fc.Arbitrary<string> = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    string,
    number,
    fc.constantFrom("true", "false", "null"),
    fc.tuple(fc.array(tie("value"), { maxLength: 4 }), space).map(([items, between]) => `[${between}${items.join(`${between},`)}]`),
    tie("object"),
  ),
  object: objectOf(fc.oneof(string, fc.constantFrom('"__proto__"', '"constructor"', '"toJSON"', '""')), tie("value")),
})).value;

/** An object with these members, some of which may be repeated. */
export function objectOf(name: fc.Arbitrary<string>, value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(fc.array(fc.tuple(name, value), { maxLength: 5 }), space)
    .map(([members, between]) => `{${members.map(([key, member]) => `${between}${key}:${between}${member}`).join(",")}}`);
}

/** A string as JSON. */
export const anyJsonText: fc.Arbitrary<string> = string;

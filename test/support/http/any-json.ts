import fc from "fast-check";

/** JSON as text: what anyone may write, which is more than JSON.stringify ever does. */

/** Units that a text may have: half characters, whole ones of four bytes, what JSON has to escape, and what looks like an escape. */
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

/** Any UTF-16, without twelve digits in a row, which could be a card number and be masked. */
export const anyText = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: "binary", maxLength: 4 })), { maxLength: 6 })
  .map((pieces) => pieces.join("").replaceAll(/\d{4,}/g, "0"));

/** Numbers as they may be written; some are beyond what JavaScript holds. None has twelve digits. */
const number = fc.oneof(
  fc.constantFrom("0", "-0", "1.5", "1e400", "-1e400", "1e21", "1E-7", "5e-324", "123456789", "1e3", "0.1", "-1.797e308"),
  fc.integer({ min: -1_000_000, max: 1_000_000 }).map(String),
  fc
    .double({ noDefaultInfinity: true, noNaN: true })
    .filter((value) => Math.abs(value) < 1e11 || Math.abs(value) > 1e20)
    .map((value) => value.toPrecision(6)),
);

/** A text as JSON, of which some units are escaped that need not be. */
function written(text: string, escaped: readonly boolean[]): string {
  let json = "";
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charAt(index);
    const code = text.charCodeAt(index);
    const isHalf = (code & 0xf800) === 0xd800;
    // Units above the others may only be written as they are where two of them are a character; escaped, they may stand alone.
    if (isHalf || code < 0x20 || unit === '"' || unit === "\\" || escaped[index % escaped.length] === true) {
      const hex = code.toString(16).padStart(4, "0");
      json += `\\u${index % 2 === 0 ? hex : hex.toUpperCase()}`;
    } else json += unit;
  }
  return `"${json}"`;
}

const string = fc.tuple(anyText, fc.array(fc.boolean(), { minLength: 1, maxLength: 4 })).map(([text, escaped]) => written(text, escaped));

const space = fc.constantFrom("", "", " ", "\n\t ");

/** Any value of JSON, as text. */
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

/** An object of these members, some of which may come twice. */
export function objectOf(name: fc.Arbitrary<string>, value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(fc.array(fc.tuple(name, value), { maxLength: 5 }), space)
    .map(([members, between]) => `{${members.map(([key, member]) => `${between}${key}:${between}${member}`).join(",")}}`);
}

/** A text as JSON. */
export const anyJsonText: fc.Arbitrary<string> = string;

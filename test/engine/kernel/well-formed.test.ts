import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { wellFormedJson, wellFormedValue } from "../../../engine/kernel/well-formed.ts";

const SEED = Number(process.env["SEED"] ?? Date.now() % 1_000_000);

/** Any UTF-16, halves of characters included, and texts that look like escapes. */
const anyText = fc
  .array(
    fc.oneof(
      fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit)),
      fc.constantFrom("😀", "é", "\\", "\\\\", "\\ud83d", "\\uDE00", "u", '"', "\n", "\u0000", "\ufffd"),
      fc.string(),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(""));

/** All units as escapes, in small letters or capitals: what a caller may write and JSON.stringify never does. */
function escaped(text: string, capitals: boolean): string {
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index).toString(16).padStart(4, "0"));
  return `"${units.map((unit) => `\\u${capitals ? unit.toUpperCase() : unit}`).join("")}"`;
}

/** An independent word for it: what UTF-8 makes of a text. */
const inUtf8 = (text: string): string => Buffer.from(text, "utf8").toString("utf8");

test(`halves of characters are replaced as UTF-8 does it, however they are written (seed ${SEED})`, () => {
  fc.assert(
    fc.property(anyText, fc.boolean(), (text, capitals) => {
      assert.equal(JSON.parse(wellFormedJson(JSON.stringify(text))), inUtf8(text));
      assert.equal(JSON.parse(wellFormedJson(escaped(text, capitals))), inUtf8(text));
    }),
    { seed: SEED, numRuns: 2_000 },
  );
});

test(`JSON without them stays as it is, to the byte (seed ${SEED})`, () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom("\\\\ud800", "\\ud83d\\ude00", "\\uD83D\\uDE00", "\\ufffd", "\\/"), (json, kept) => {
      const text = `[${json}, "${kept}"]`;
      assert.equal(wellFormedJson(text), text);
    }),
    { seed: SEED, numRuns: 500 },
  );
});

test("they are replaced in names of members, and at any depth", () => {
  assert.deepEqual(wellFormedValue({ "a\ud800": ["\udc00", { b: "\ud83d\ud83d\ude00" }] }), { "a\ufffd": ["\ufffd", { b: "\ufffd😀" }] });
  const deep = `${"[".repeat(100_000)}"\\uDFFF"${"]".repeat(100_000)}`;
  assert.equal(wellFormedJson(deep), deep.replace("\\uDFFF", "\\ufffd"));
});

test("a value in which nothing is to be replaced is the same value", () => {
  const value = { a: "😀\\ud800", b: [1, null] };
  assert.equal(wellFormedValue(value), value);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { countMembers, mayRepeatMembers, parseWithRepeated, repeatedMember } from "../../../engine/kernel/json-members.ts";

const LEVELS = 32;

/** As the readers of bodies ask: the whole text is read only where the quick look does not say that there is nothing. */
function found(text: string): string | null {
  return mayRepeatMembers(text, countMembers(JSON.parse(text), LEVELS)) ? repeatedMember(text) : null;
}

test("finds a member that an object names twice, at any level and however its name is written", () => {
  const cases: [string, string | null][] = [
    ['{"amount":100,"amount":99900}', "amount"],
    ['{"amount":1,"amount":1}', "amount"],
    ['{"amount":1,"\\u0061mount":2}', "amount"],
    ['{"a":{"b":[1,{"c":1,"c":2}]}}', "c"],
    ['{"a" : 1,\n\t"b":2 , "a"\r\n: 3}', "a"],
    ['{"":1,"":2}', ""],
    ['{"a\\"":1,"a\\"":2}', 'a"'],
    ['{"a\\\\":1,"a\\\\":2}', "a\\"],
    ['{"__proto__":1,"__proto__":2}', "__proto__"],
    ['{"1":1,"1":2}', "1"],
    ['{"a":1,"A":2}', null],
    ['{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}', null],
    ['{"at":"10:00:00","b":":","c":"\\":","d":"a\\\\"}', null],
    ['["a","a",":",":"]', null],
    ['"a:a:"', null],
    ["null", null],
    ["{}", null],
  ];
  for (const [text, expected] of cases) assert.equal(found(text), expected, text);
});

/** JSON text that its writer spaces as it likes, with the number of names that an object repeats. */
const written = fc.letrec<{ text: { json: string; repeats: boolean } }>((tie) => {
  const space = fc.constantFrom("", " ", "\n\t");
  const name = fc.constantFrom("a", "b", "c", 'q"', "\\", ":", "é", "1", "__proto__");
  const scalar = fc.oneof(
    fc.string(),
    fc.constantFrom(":", '":', 'a":"b', "\\"),
    fc.double({ noNaN: true }),
    fc.boolean(),
    fc.constant(null),
  );
  return {
    text: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      scalar.map((value) => ({ json: JSON.stringify(value), repeats: false })),
      fc.array(tie("text"), { maxLength: 4 }).map((items) => ({
        json: `[${items.map(({ json }) => json).join(",")}]`,
        repeats: items.some(({ repeats }) => repeats),
      })),
      fc.array(fc.tuple(name, tie("text"), space), { maxLength: 5 }).map((members) => ({
        json: `{${members.map(([key, { json }, gap]) => `${gap}${JSON.stringify(key)}${gap}:${gap}${json}${gap}`).join(",")}}`,
        repeats: new Set(members.map(([key]) => key)).size < members.length || members.some(([, { repeats }]) => repeats),
      })),
    ),
  };
});

test("says of every JSON text whether a member is repeated", () => {
  fc.assert(
    fc.property(written.text, ({ json, repeats }) => {
      assert.equal(found(json) !== null, repeats);
      if (!repeats) assert.deepEqual(parseWithRepeated(json, LEVELS), JSON.parse(json));
    }),
    { numRuns: 2_000 },
  );
});

test("counts members down to a level, and says where a value is deeper", () => {
  assert.equal(countMembers(JSON.parse('{"a":{"b":1},"c":[{"d":1},2]}'), 3), 4);
  assert.equal(countMembers(JSON.parse('{"a":{"b":{}}}'), 2), null);
  assert.equal(countMembers([[1]], 1), null);
  assert.equal(countMembers("text", 0), 0);
});

test("a member with several values has the list of them, in their order", () => {
  const read = parseWithRepeated('{"uuid":"a","amount":100,"card":{"pan":"1","pan":"2"},"amount":99900}', LEVELS);
  assert.deepEqual(read, { uuid: "a", amount: [100, 99_900], card: { pan: ["1", "2"] } });
});

test("a text that is nested as deep as a body may be is read", () => {
  const deep = `${'{"a":['.repeat(8_000)}1${"]}".repeat(8_000)}`;
  assert.equal(found(deep), null);
  assert.equal(found(`{"x":1,"a":${deep},"x":2}`), "x");
  assert.ok(typeof parseWithRepeated(deep, LEVELS) === "object");
});

test("hostile texts take the time of their length", { timeout: 10_000 }, () => {
  for (const piece of ['"\\\\":1,', '"a:":":",', '"\\"":"\\":",']) {
    const text = `{${piece.repeat(60_000 / piece.length)}"x":1}`;
    assert.notEqual(found(text), null);
  }
  assert.equal(found(`["${"\\\\".repeat(30_000)}"]`), null);
});

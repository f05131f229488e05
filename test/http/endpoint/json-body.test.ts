import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "@sinclair/typebox";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { JSON_DEPTH_MAX, jsonReader } from "../../../http/endpoint/json-body.ts";

const FREE_FORM = Type.Object({}, { additionalProperties: true });

function refusalOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof RelayError, String(error));
    assert.equal(error.code, "invalid_request");
    return error.message;
  }
  return assert.fail("nothing was refused");
}

test("a body that names a member twice is refused, at every level, whatever its values are", () => {
  const read = jsonReader(FREE_FORM);
  for (const [text, name] of [
    ['{"amount":100,"amount":99900}', "amount"],
    ['{"amount":100,"amount":100}', "amount"],
    ['{"amount":100,"\\u0061mount":99900}', "amount"],
    ['{"order":{"lines":[{"price":1,"price":2}]}}', "price"],
    // Halves of characters become one and the same character.
    ['{"\\ud800":1,"\\ud801":2}', "?"],
    ['{"4111111111111111":1,"4111111111111111":2}', "411111******1111"],
  ] as const) {
    assert.equal(
      refusalOf(() => read(Buffer.from(text))),
      `${name}: is given more than once`,
      text,
    );
  }
  for (const text of ['{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}', '{"at":"2026-01-05T10:00:00Z","url":"https://a:b@c","t":"\\":"}']) {
    assert.deepEqual(read(Buffer.from(text)).value, JSON.parse(text));
  }
});

test("where a body may be as deep as its bytes allow, a member that comes twice is found there too", () => {
  const read = jsonReader(FREE_FORM, { bodyNesting: "any" });
  const deep = (inner: string) => Buffer.from(`{"a":${"[".repeat(JSON_DEPTH_MAX * 100)}${inner}${"]".repeat(JSON_DEPTH_MAX * 100)}}`);
  assert.equal(
    refusalOf(() => read(deep('{"b":1,"b":2}'))),
    "b: is given more than once",
  );
  assert.ok(read(deep('{"b":1}')).value);
  assert.match(
    refusalOf(() => jsonReader(FREE_FORM)(deep('{"b":1,"b":2}'))),
    /nested deeper/,
  );
});

test("an endpoint that says which ones it refuses takes the others as JSON.parse does", () => {
  const read = jsonReader(FREE_FORM, { refusesRepeated: (text) => (text.includes("amount") ? "amount" : null) });
  assert.deepEqual(read(Buffer.from('{"note":1,"note":2}')).value, { note: 2 });
  assert.equal(
    refusalOf(() => read(Buffer.from('{"amount":1,"amount":2}'))),
    "amount: is given more than once",
  );
  assert.deepEqual(read(Buffer.from('{"amount":1}')).value, { amount: 1 }, "it is asked only about a text that may have one");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { RelayError } from "../../../engine/kernel/errors.ts";
import {
  FORM_BRACKETS_MAX,
  FORM_BYTES_MAX,
  FORM_PAIRS_MAX,
  type FormObject,
  type FormValue,
  formOf,
  formOfJson,
  formTypeRefusal,
  isFormList,
  parseForm,
  readFormBody,
} from "../../../http/endpoint/form-body.ts";

/** The same with ordinary objects, so that they can be compared. */
function plain(value: FormValue): unknown {
  if (typeof value === "string") return value;
  if (isFormList(value)) return value.map(plain);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}

const read = (text: string) => plain(parseForm(text));

function refusalOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof RelayError, String(error));
    return `${error.code} ${error.message}`;
  }
  return assert.fail("nothing was refused");
}

test("names with brackets are members, lists and items of lists, encoded or not", () => {
  assert.deepEqual(read("amount=1050&currency=eur"), { amount: "1050", currency: "eur" });
  assert.deepEqual(read("a[b][c]=1&a[b][d]=2&a[e]=3"), { a: { b: { c: "1", d: "2" }, e: "3" } });
  assert.deepEqual(read("a%5Bb%5D%5Bc%5D=1&a%5bd%5d=2"), { a: { b: { c: "1" }, d: "2" } });
  assert.deepEqual(read("expand[]=x&expand[]=y"), { expand: ["x", "y"] });
  assert.deepEqual(read("expand[1]=y&expand[0]=x"), { expand: ["x", "y"] });
  assert.deepEqual(read("lines[0][name]=x&lines[1][name]=y&lines[0][sum]=2"), { lines: [{ name: "x", sum: "2" }, { name: "y" }] });
});

test("a plus is a space, and a text is UTF-8", () => {
  assert.deepEqual(read("name=Bar+Centrale%2B1&caf%C3%A9=%E2%82%AC"), { name: "Bar Centrale+1", café: "€" });
});

test("a name without a value is the empty text, and what is empty between two ampersands is nothing", () => {
  assert.deepEqual(read("&metadata=&&customer&x==&"), { metadata: "", customer: "", x: "=" });
  assert.deepEqual(read(""), {});
});

test("a list whose numbers have gaps keeps its numbers, for they may be names", () => {
  assert.deepEqual(read("metadata[6735]=shirt"), { metadata: { 6735: "shirt" } });
});

for (const [what, form, reason] of [
  ["a text and an object", "a=1&a[b]=2", "a[b]: is given in two forms"],
  ["an object and a text", "a[b]=2&a=1", "a: is given more than once"],
  ["a list and an object", "a[]=2&a[b]=1", "a[b]: is given in two forms"],
  ["an object and a list", "a[b]=2&a[]=1", "a[]: is given in two forms"],
  ["a text twice", "a=1&a=1", "a: is given more than once"],
  ["an item twice", "a[0]=1&a[0]=1", "a[0]: is given more than once"],
  ["a bracket that is not closed", "a[b=1", "a[b: is not a parameter's name"],
  ["something after a bracket", "a[b]c=1", "a[b]c: is not a parameter's name"],
  ["a bracket in brackets", "a[b[c]]=1", "a[b[c]]: is not a parameter's name"],
  ["a closing bracket alone", "a]=1", "a]: is not a parameter's name"],
  ["no name before the brackets", "[a]=1", "[a]: is not a parameter's name"],
  ["no name at all", "=1", "request: is not a parameter's name"],
  ["an item in the middle without its number", "a[][b]=1", "a[][b]: is not a parameter's name"],
  ["too many brackets", `a${"[b]".repeat(FORM_BRACKETS_MAX + 1)}=1`, "brackets"],
  ["percent signs that encode nothing", "a=%zz", "a: is not valid percent-encoding"],
  ["bytes that are not UTF-8", "a=%ff", "a: is not valid percent-encoding"],
  ["a name that is not UTF-8", "%c3=1", "request: is not valid percent-encoding"],
] as const) {
  test(`refuses ${what}`, () => {
    assert.ok(
      refusalOf(() => parseForm(form)).includes(reason),
      refusalOf(() => parseForm(form)),
    );
  });
}

test("names that mean something to objects are refused wherever they stand, and in JSON", () => {
  for (const name of ["__proto__", "constructor", "prototype"]) {
    for (const form of [`${name}=1`, `a[${name}]=1`, `a[${name}][b]=1`, `${name}[polluted]=1`, `a[0][${name}]=1`]) {
      assert.match(
        refusalOf(() => parseForm(form)),
        /^invalid_request .*is not a parameter's name/,
      );
    }
    assert.match(
      refusalOf(() => formOfJson(JSON.parse(`{"a":[{"${name}":1}]}`))),
      /is not a parameter's name/,
    );
  }
  assert.equal(Object.getPrototypeOf(parseForm("a[b]=1")["a"]), null);
  assert.equal(Object.getPrototypeOf(formOfJson({ a: { b: 1 } })["a"]), null);
});

test("takes as many pairs and brackets as are permitted, and no more", () => {
  const pairs = (count: number) => Array.from({ length: count }, (_, n) => `m[k${n}]=v`).join("&");
  assert.equal(Object.keys(parseForm(pairs(FORM_PAIRS_MAX))["m"] ?? {}).length, FORM_PAIRS_MAX);
  assert.match(
    refusalOf(() => parseForm(pairs(FORM_PAIRS_MAX + 1))),
    /more than 1000 parameters/,
  );
  assert.match(
    refusalOf(() => parseForm(`a=${"x".repeat(FORM_BYTES_MAX - 1)}`)),
    /more than 65536 characters/,
  );
  assert.deepEqual(read(`a${"[b]".repeat(FORM_BRACKETS_MAX)}=1`), { a: { b: { b: { b: { b: { b: "1" } } } } } });
});

test("a message quotes no value, and of a name only a part without odd characters", () => {
  assert.equal(
    refusalOf(() => parseForm("card=4111111111111111&card=4111111111111111")),
    "invalid_request card: is given more than once",
  );
  const message = refusalOf(() => parseForm(`${encodeURIComponent("é".repeat(200))}[=1`));
  assert.equal(message, `invalid_request ${"?".repeat(64)}: is not a parameter's name`);
});

test("JSON comes in the same form", () => {
  const body = { amount: 1050, confirm: true, metadata: { a: "x" }, expand: ["a", "b"], description: null, off: false };
  assert.deepEqual(plain(formOfJson(body)), {
    amount: "1050",
    confirm: "true",
    metadata: { a: "x" },
    expand: ["a", "b"],
    description: "",
    off: "false",
  });
  for (const value of [[], "a", 1, null]) {
    assert.match(
      refusalOf(() => formOfJson(value)),
      /request: must be an object/,
    );
  }
  assert.match(
    refusalOf(() => formOfJson({ a: { b: { c: { d: { e: { f: { g: 1 } } } } } } })),
    /is nested deeper than 5 levels/,
  );
  assert.match(
    refusalOf(() => formOfJson({ a: Array.from({ length: FORM_PAIRS_MAX + 1 }, () => 1) })),
    /more than 1000 parameters/,
  );
});

test("reads a body by its content type", () => {
  const body = (text: string, type: string) => plain(formOf(readFormBody(Buffer.from(text), type).value));
  assert.deepEqual(body("a[b]=1", "application/x-www-form-urlencoded"), { a: { b: "1" } });
  assert.deepEqual(body("a=1", "Application/X-WWW-Form-URLencoded; charset=UTF-8"), { a: "1" });
  assert.deepEqual(body('{"a":1}', "application/json"), { a: "1" });
  for (const type of ["", "text/plain", "application/x-www-form-urlencoded;charset=ISO-8859-1", "multipart/form-data"]) {
    assert.deepEqual(body("", type), {});
    assert.match(
      refusalOf(() => body("a=1", type)),
      /^unsupported_media_type /,
    );
  }
  assert.equal(formTypeRefusal(""), null);
  assert.equal(formTypeRefusal("text/plain")?.code, "unsupported_media_type");
  assert.match(
    refusalOf(() => readFormBody(Buffer.from([0x61, 0x3d, 0xff]), "application/x-www-form-urlencoded")),
    /is not UTF-8/,
  );
  assert.match(
    refusalOf(() => body("{", "application/json")),
    /body: is not JSON/,
  );
});

test("a handler's input that is no form is not taken for one", () => {
  assert.throws(() => formOf({ a: "1" }), /does not read forms/);
  assert.throws(() => formOf(undefined), /does not read forms/);
});

/** As the client for Node.js writes a tree: places of items in brackets, brackets as they are. */
function pairsOf(value: FormValue, name: string): [name: string, value: string][] {
  if (typeof value === "string") return [[name, value]];
  const members = isFormList(value) ? [...value.entries()] : Object.entries(value);
  return members.flatMap(([key, member]) => pairsOf(member, name === "" ? String(key) : `${name}[${key}]`));
}

const unencoded = (pairs: [string, string][]) =>
  pairs
    .map(([name, value]) => `${encodeURIComponent(name).replaceAll("%5B", "[").replaceAll("%5D", "]")}=${encodeURIComponent(value)}`)
    .join("&");
/** As the client for Python does, and any browser. */
const encoded = (pairs: [string, string][]) => new URLSearchParams(pairs).toString();
/** As the client for Go does, for lists of texts. */
const appended = (pairs: [string, string][]) => encoded(pairs.map(([name, value]) => [name.replace(/\[\d+\]$/, "[]"), value]));

const text = fc.string({ unit: "binary", maxLength: 12 });
const name = fc
  .string({ unit: "binary", minLength: 1, maxLength: 8 })
  .filter((one) => !/[[\]]/.test(one) && !/^\d+$/.test(one) && !["__proto__", "constructor", "prototype"].includes(one));
const tree = (depth: number): fc.Arbitrary<FormValue> =>
  depth === 0
    ? text
    : fc.oneof(
        text,
        fc.array(tree(depth - 1), { minLength: 1, maxLength: 4 }),
        fc.dictionary(name, tree(depth - 1), { minKeys: 1, maxKeys: 4, noNullPrototype: true }),
      );
const form: fc.Arbitrary<FormObject> = fc.dictionary(name, tree(FORM_BRACKETS_MAX), { maxKeys: 4, noNullPrototype: true });

test("what the clients encode comes out as it went in, whichever way they write it", () => {
  fc.assert(
    fc.property(form, (value) => {
      const pairs = pairsOf(value, "");
      // What is beyond the limits is refused.
      fc.pre(pairs.length <= FORM_PAIRS_MAX && encoded(pairs).length <= FORM_BYTES_MAX && unencoded(pairs).length <= FORM_BYTES_MAX);
      assert.deepEqual(plain(parseForm(unencoded(pairs))), plain(value));
      assert.deepEqual(plain(parseForm(encoded(pairs))), plain(value));
      assert.deepEqual(plain(parseForm(encoded(pairs.toReversed()))), plain(value));
      assert.deepEqual(plain(formOfJson(JSON.parse(JSON.stringify(value)))), plain(value));
    }),
  );
});

test("lists of texts come out the same without their numbers", () => {
  fc.assert(
    fc.property(fc.dictionary(name, fc.array(text, { minLength: 1, maxLength: 5 }), { maxKeys: 4, noNullPrototype: true }), (value) => {
      assert.deepEqual(plain(parseForm(appended(pairsOf(value, "")))), plain(value));
    }),
  );
});

test("whatever comes is read or refused as invalid, with a message that holds nothing of a value", () => {
  const garbage = fc.oneof(
    fc.string({ unit: "binary", maxLength: 200 }),
    fc.stringMatching(/^[a-c[\]=&%0-9+_]{0,60}$/),
    fc
      .array(fc.constantFrom("a", "[", "]", "[]", "=", "&", "%", "__proto__", "constructor", "0", "[0]", "%5B", "%5D", "+"), {
        maxLength: 40,
      })
      .map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(garbage, (text) => {
      try {
        const value = parseForm(text);
        assert.equal(Object.getPrototypeOf(value), null);
      } catch (error) {
        assert.ok(error instanceof RelayError && error.code === "invalid_request", String(error));
      }
      assert.equal(Reflect.get({}, "polluted"), undefined);
    }),
    { numRuns: 1_000 },
  );
});

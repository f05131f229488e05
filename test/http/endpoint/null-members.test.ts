import assert from "node:assert/strict";
import { test } from "node:test";
import { Kind, OptionalKind, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { compileEndpoint } from "../../../http/endpoint/compile.ts";
import { jsonReader } from "../../../http/endpoint/json-body.ts";
import { withoutNulls } from "../../../http/endpoint/null-members.ts";
import { surfacesOf } from "../../../infra/node/wiring/shared/endpoints.ts";
import { requestOf, THINGS } from "../../doors/requests.ts";

const surfaces = surfacesOf({ openTerminalLogs: true, packageBytesMax: 1_000, adapterContextPath: "", mode: "sandbox" });
const endpoints = Object.values(surfaces)
  .flat()
  .map((endpoint) => ({ ...endpoint, run: () => assert.fail("nothing is called") }));

/** Optional members of an object that do not take null; of a union those of its first object. */
function optionalNames(schema: TSchema): string[] {
  if (schema[Kind] === "Union") return optionalNames(schema["anyOf"].find((one: TSchema) => one[Kind] === "Object") ?? Type.Null());
  if (schema[Kind] !== "Object") return [];
  return Object.entries<TSchema>(schema["properties"]).flatMap(([name, member]) =>
    member[OptionalKind] !== undefined && !Value.Check(member, null) ? [name] : [],
  );
}

test("every endpoint reads null for an optional member as if the member were left out", () => {
  const tried: string[] = [];
  for (const endpoint of endpoints) {
    const { name, body, bodyFormat } = endpoint;
    if (body === undefined || bodyFormat !== undefined) continue;
    const names = optionalNames(body);
    if (names.length === 0) continue;
    const { readBody } = compileEndpoint(endpoint, { strictReplies: true });
    const { body: valid } = requestOf(endpoint, THINGS);
    const sent: object = JSON.parse(valid?.toString() ?? "{}");
    const without = Object.fromEntries(Object.entries(sent).filter(([member]) => !names.includes(member)));
    const read = (value: object) => readBody?.(Buffer.from(JSON.stringify(value)), "application/json").value;
    const nulls = { ...without, ...Object.fromEntries(names.map((member) => [member, null])) };
    let expected: unknown;
    try {
      expected = read(without);
    } catch (error) {
      // Some need one of several members.
      assert.ok(error instanceof RelayError, name);
      assert.throws(() => read(nulls), { message: error.message }, name);
      continue;
    }
    assert.deepEqual(read(nulls), expected, name);
    tried.push(name);
  }
  assert.ok(tried.length > 40, tried.join());
});

const PERSON = Type.Object({ name: Type.String(), age: Type.Optional(Type.Integer()) });
const ORDER = Type.Object(
  {
    amount: Type.Integer(),
    note: Type.Optional(Type.String()),
    /** Null removes it. */
    limit: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
    buyer: Type.Optional(Type.Union([PERSON, Type.Null()])),
    people: Type.Optional(Type.Array(PERSON)),
    filters: Type.Optional(Type.Record(Type.String(), Type.String())),
    free: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: false },
);

test("nulls are left out at every level, and stay where they mean something or something is required", () => {
  const sent = {
    ...{ amount: null, note: null, limit: null, free: null, other: null },
    ...{ buyer: { name: null, age: null }, people: [{ name: "Ada", age: null }, null], filters: { from: null, to: "x" } },
  };
  assert.deepEqual(withoutNulls(ORDER, sent), {
    ...{ amount: null, limit: null, free: null, other: null },
    // No alternative accepts a buyer without a name.
    ...{ buyer: { name: null, age: null }, people: [{ name: "Ada" }, null], filters: { to: "x" } },
  });
  assert.deepEqual(withoutNulls(ORDER, { amount: 1, buyer: { name: "Ada", age: null } }), { amount: 1, buyer: { name: "Ada" } });
  assert.deepEqual(withoutNulls(ORDER, [null]), [null]);
  const named: unknown = JSON.parse('{"amount":1,"__proto__":null,"toString":null}');
  assert.deepEqual(withoutNulls(ORDER, named), named);
});

test("a required member that is null is refused by its name, and an unknown one too", () => {
  const read = jsonReader(ORDER);
  const refusal = (value: object) => {
    try {
      read(Buffer.from(JSON.stringify(value)));
    } catch (error) {
      return error instanceof Error ? error.message : "";
    }
    return "accepted";
  };
  assert.equal(refusal({ amount: null, note: null }), "amount: must be an integer");
  assert.equal(refusal({ amount: 1, note: null, amuont: null }), "amuont: is not expected here");
  assert.equal(refusal({ amount: 1, people: [null] }), "people.0: must be an object");
  assert.equal(refusal({ amount: 1, note: null, limit: null, buyer: null }), "accepted");
  const { value, sent } = read(Buffer.from('{"amount":1,"note":null,"limit":null}'));
  assert.deepEqual(
    [value, sent],
    [
      { amount: 1, limit: null },
      { amount: 1, limit: null },
    ],
  );
});

test("a body that may be left out may be null", () => {
  const read = jsonReader(Type.Optional(ORDER));
  assert.equal(read(Buffer.from("null")).value, undefined);
  assert.throws(() => jsonReader(ORDER)(Buffer.from("null")), /^RelayError: body: must be an object$/);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { Kind, type TSchema } from "@sinclair/typebox";
import { signInEndpoints } from "../../../../http/surfaces/merchant/sign-in/endpoints.ts";
import { teamEndpoints } from "../../../../http/surfaces/merchant/team/endpoints.ts";

/** Objects in a body that take members that they do not declare. */
function openObjects(schema: TSchema, at: string): string[] {
  if (schema[Kind] === "Array") return openObjects(schema["items"], `${at}[]`);
  if (schema[Kind] !== "Object") return [];
  const inside = Object.entries<TSchema>(schema["properties"]).flatMap(([name, member]) => openObjects(member, `${at}.${name}`));
  return schema["additionalProperties"] === false ? inside : [at, ...inside];
}

test("no body of the portal takes members that it does not declare", () => {
  const bodies = [...signInEndpoints, ...teamEndpoints].flatMap(({ name, body }) => (body === undefined ? [] : [{ name, body }]));
  assert.ok(bodies.length >= 10);
  assert.deepEqual(
    bodies.flatMap(({ name, body }) => openObjects(body, name)),
    [],
  );
});

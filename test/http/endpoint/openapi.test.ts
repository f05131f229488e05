import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { Type } from "@sinclair/typebox";
import { bind } from "../../../http/endpoint/endpoint.ts";
import { buildOpenApi } from "../../../http/endpoint/openapi.ts";
import { envelope, exampleEndpoints } from "../server/world.ts";

const INFO = { title: "Example", version: "1.0.0", description: "An example." };
const GOLDEN = new URL("../../golden/example-surface-openapi.json", import.meta.url);
const endpoints = bind(exampleEndpoints, { wait: async () => "" });

test("the document is the golden one (UPDATE_GOLDEN=1 writes it anew)", () => {
  const text = `${JSON.stringify(buildOpenApi(endpoints, INFO), null, 2)}\n`;
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(GOLDEN, text);
  assert.equal(text, readFileSync(GOLDEN, "utf8"));
});

test("the order of declaration does not change the document", () => {
  const forwards = JSON.stringify(buildOpenApi(endpoints, INFO));
  assert.equal(JSON.stringify(buildOpenApi([...endpoints].reverse(), INFO)), forwards);
});

test("two different schemas of one title are refused", () => {
  const [first] = endpoints;
  assert.ok(first);
  const other = { ...first, path: "/other", body: Type.Object({ other: Type.String() }, { title: "Order" }) };
  assert.throws(() => buildOpenApi([first, other], INFO), /two different schemas have the title Order/);
  assert.equal(envelope.schema.title, "Error");
});

test("members may be named like words of JSON Schema", () => {
  const [first] = endpoints;
  assert.ok(first);
  const body = Type.Object({ errorMessage: Type.String({ errorMessage: "must be text" }), title: Type.String(), required: Type.Boolean() });
  const text = JSON.stringify(buildOpenApi([{ ...first, body }], INFO));
  assert.ok(text.includes('"properties":{"errorMessage":{"type":"string"},"title":{"type":"string"},"required":{"type":"boolean"}}'));
});

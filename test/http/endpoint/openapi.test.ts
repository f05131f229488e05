import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { Readable } from "node:stream";
import { test } from "node:test";
import { type TSchema, Type } from "@sinclair/typebox";
import { described } from "../../../http/endpoint/described.ts";
import { bind } from "../../../http/endpoint/endpoint.ts";
import { buildOpenApi } from "../../../http/endpoint/openapi.ts";
import { Components } from "../../../http/endpoint/openapi-components.ts";
import { surface } from "../../../http/endpoint/surface.ts";
import { withSharedParts } from "../../support/http/openapi.ts";
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
  assert.throws(() => buildOpenApi([first, other], INFO), /two different schemas have the title Order: /);
  assert.equal(envelope.schema.title, "Error");
});

test("members may be named like words of JSON Schema", () => {
  const [first] = endpoints;
  assert.ok(first);
  const body = Type.Object({ errorMessage: Type.String({ errorMessage: "must be text" }), title: Type.String(), required: Type.Boolean() });
  const text = JSON.stringify(buildOpenApi([{ ...first, body }], INFO));
  assert.ok(text.includes('"properties":{"errorMessage":{"type":"string"},"title":{"type":"string"},"required":{"type":"boolean"}}'));
});

test("words are an enumeration, and null is one more type of what is simple", () => {
  const words = Type.Union([Type.Literal("a"), Type.Literal("b")]);
  const named = Type.Union([Type.Literal("c"), Type.Literal("d")], { title: "Named" });
  const shown = (schema: TSchema) => new Components().schema(schema);
  assert.deepEqual(shown(words), { type: "string", enum: ["a", "b"] });
  assert.deepEqual(shown(Type.Union([...words.anyOf, Type.Null()], { description: "Which." })), {
    description: "Which.",
    anyOf: [{ type: "string", enum: ["a", "b"] }, { type: "null" }],
  });
  assert.deepEqual(shown(Type.Union([words, Type.Null()])), { anyOf: [{ type: "string", enum: ["a", "b"] }, { type: "null" }] });
  assert.deepEqual(shown(Type.Union([Type.String({ maxLength: 3 }), Type.Null()])), { type: ["string", "null"], maxLength: 3 });
  assert.deepEqual(shown(named), { $ref: "#/components/schemas/Named" });
  assert.deepEqual(shown(Type.Union([named, Type.Null()])), { anyOf: [{ $ref: "#/components/schemas/Named" }, { type: "null" }] });
  assert.deepEqual(shown(Type.Union([Type.Array(words), Type.Null()])), {
    anyOf: [{ type: "array", items: { type: "string", enum: ["a", "b"] } }, { type: "null" }],
  });
  // Numbers and words are no one enumeration, and a word beside any text says nothing.
  assert.deepEqual(shown(Type.Union([Type.Literal("a"), Type.Literal(1)])), {
    anyOf: [
      { const: "a", type: "string" },
      { const: 1, type: "number" },
    ],
  });
});

test("what a schema with a title means at one place, and its default there, stand beside the reference", () => {
  const named = Type.Union([Type.Literal("a"), Type.Literal("b")], { title: "Named", description: "In general." });
  const components = new Components();
  assert.deepEqual(components.schema(described(named, "Here.")), { $ref: "#/components/schemas/Named", description: "Here." });
  assert.deepEqual(components.schema(Type.Union([named], { default: "a" })), { $ref: "#/components/schemas/Named", default: "a" });
  assert.deepEqual(components.sorted()["schemas"], { Named: { description: "In general.", type: "string", enum: ["a", "b"] } });
  assert.deepEqual(components.schema(described(Type.String(), "Here.")), { type: "string", description: "Here." });
});

test("an object of any members says so as most tools know it", () => {
  const shown = (schema: TSchema) => new Components().schema(schema);
  assert.deepEqual(shown(Type.Record(Type.String(), Type.Integer())), { type: "object", additionalProperties: { type: "integer" } });
});

test("lists and objects of a form and of a query have brackets, and a file names every type that it may have", () => {
  const [first] = endpoints;
  assert.ok(first);
  const members = { word: Type.String(), list: Type.Optional(Type.Array(Type.String())), free: Type.Optional(Type.Unknown()) };
  const responses = {
    200: { description: "An image.", contentType: "image/svg+xml", otherContentTypes: ["image/png"], file: true as const },
  };
  const endpoint = { ...first, query: Type.Object(members), body: Type.Object(members), bodyFormat: "form or JSON" as const, responses };
  const built = JSON.parse(JSON.stringify(buildOpenApi([endpoint], INFO)));
  const [operation] = Object.values<{ [member: string]: never }>(built.paths[first.path]);
  const { parameters = [], requestBody = {}, responses: answers = {} } = Object(operation);
  const styles = parameters
    .filter(({ in: place }: { in: string }) => place === "query")
    .map(({ name, style }: { name: string; style?: string }) => [name, style]);
  assert.deepEqual(styles, [
    ["word", undefined],
    ["list", "deepObject"],
    ["free", "deepObject"],
  ]);
  const brackets = { style: "deepObject", explode: true };
  assert.deepEqual(requestBody.content["application/x-www-form-urlencoded"].encoding, { list: brackets, free: brackets });
  assert.equal(requestBody.content["application/json"].encoding, undefined);
  assert.deepEqual(Object.keys(answers[200].content), ["image/svg+xml", "image/png"]);
});

test("a parameter with a name stands once", () => {
  const [first] = endpoints;
  assert.ok(first);
  const query = Type.Object({ limit: Type.Integer({ parameterName: "PageSize", maximum: 9, default: 3, description: "How many." }) });
  const built = JSON.parse(
    JSON.stringify(
      buildOpenApi(
        [
          { ...first, query },
          { ...first, path: "/other", query },
        ],
        INFO,
      ),
    ),
  );
  assert.deepEqual(built.components.parameters.PageSize, {
    name: "limit",
    in: "query",
    description: "How many.",
    required: false,
    schema: { maximum: 9, default: 3, type: "integer" },
  });
  assert.ok(built.paths["/other"].post.parameters.some(({ $ref }: { $ref?: string }) => $ref === "#/components/parameters/PageSize"));
});

test("an endpoint of the portal says who may call it, with what, and that its page has to be the relay's own", () => {
  const portal = surface<object>()({ name: "portal", tags: ["Portal"], envelope });
  const declared = {
    responses: { 200: { description: "Done.", body: Type.Object({}) } },
    handle: () => ({ status: 200 as const, body: {} }),
  } as const;
  const built = buildOpenApi(
    bind(
      [
        portal.endpoint({ ...declared, name: "look", method: "GET", path: "/p/look", summary: "Looks", auth: "merchantUser", may: "look" }),
        portal.endpoint({
          ...declared,
          name: "refund",
          method: "POST",
          path: "/p/refund",
          summary: "Refunds",
          auth: "merchantUserOrKey",
          may: "refund",
          stepUp: true,
        }),
        portal.endpoint({
          ...declared,
          name: "owners",
          method: "DELETE",
          path: "/p/owners",
          summary: "Removes an owner",
          auth: "merchantUser",
          may: "administer owners",
        }),
        portal.endpoint({
          ...declared,
          name: "signIn",
          method: "POST",
          path: "/p/session",
          summary: "Signs in",
          auth: "optionalPortalSession",
        }),
        portal.endpoint({
          name: "rows",
          method: "GET",
          path: "/p/rows.csv",
          summary: "Exports",
          auth: "merchantUserOrKey",
          may: "operate",
          responses: { 200: { description: "The rows.", stream: true, contentType: "text/csv" } },
          handle: () => ({ status: 200, stream: Readable.from([]) }),
        }),
      ],
      {},
    ),
    INFO,
  );
  const { paths, components }: Document = JSON.parse(JSON.stringify(withSharedParts(built)));
  const operations = Object.fromEntries(
    Object.values(paths).flatMap((methods) => Object.values(methods).map((operation) => [operation.operationId, operation])),
  );
  const { look, refund, owners, signIn, rows } = operations;
  assert.deepEqual(look?.security, [{ portalSession: ["OWNER", "ADMIN", "FINANCE", "DEVELOPER", "VIEWER"] }]);
  assert.deepEqual(Object.keys(look?.responses ?? {}), ["200", "401", "default"]);
  assert.deepEqual(refund?.security, [{ portalSession: ["OWNER", "ADMIN", "FINANCE"] }, { merchantKey: [] }]);
  assert.equal(
    refund?.description,
    "A person needs the role OWNER, ADMIN or FINANCE. A merchant's secret key may, too. A key of the environment that the merchant is not in gets 409 `other_environment`. A person needs a second factor of the last ten minutes (403 `step_up_required`).",
  );
  assert.match(refund?.responses["403"]?.description ?? "", /not of a page of the relay itself \(`csrf`\)/);
  assert.equal(owners?.description, "A person needs the role OWNER.");
  assert.deepEqual(signIn?.security, [{}, { portalSession: [] }]);
  assert.deepEqual(Object.keys(signIn?.responses ?? {}), ["200", "403", "default"]);
  assert.match(rows?.responses["200"]?.description ?? "", /without its last chunk, is not whole/);
  assert.deepEqual(Object.keys(rows?.responses["200"]?.content ?? {}), ["text/csv"]);
  assert.deepEqual(Object.keys(rows?.responses ?? {}), ["200", "400", "401", "403", "429", "503", "default"]);
  assert.match(JSON.stringify(components), /__Host-relay_portal/);
});

interface Document {
  paths: { [path: string]: { [method: string]: Operation } };
  components: object;
}

interface Operation {
  operationId: string;
  description?: string;
  security: unknown;
  responses: { [status: string]: { description: string; content?: object } };
}

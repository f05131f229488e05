import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "@sinclair/typebox";
import { bind } from "../../../http/endpoint/endpoint.ts";
import { USUAL_STATUS } from "../../../http/endpoint/error-envelope.ts";
import { surface } from "../../../http/endpoint/surface.ts";

interface Operations {
  greet(name: string): string;
}

const example = surface<Operations>()({
  name: "example",
  tags: ["Example"],
  envelope: {
    schema: Type.Object({ status: Type.Literal("error"), message: Type.String() }),
    status: USUAL_STATUS,
    body: (_code, message) => ({ status: "error", message }),
  },
});

const greet = example.endpoint({
  name: "greet",
  method: "POST",
  path: "/greet/{name}",
  summary: "Greets",
  auth: "none",
  params: Type.Object({ name: Type.String() }),
  query: Type.Object({ times: Type.Optional(Type.Integer()) }),
  body: Type.Optional(Type.Object({ loud: Type.Boolean() })),
  responses: {
    200: { description: "Greeted.", body: Type.Object({ text: Type.String() }), headers: { Location: { description: "Where." } } },
    204: { description: "Nobody." },
    ...example.errors(400, 503),
  },
  handle: ({ greet }, { params, query, body }) => {
    const name: string = params.name;
    const times: number | undefined = query.times;
    const loud: boolean | undefined = body?.loud;
    if (times === 0) return { status: 204 };
    if (times === 2) return { status: 200, text: '{"text":"twice"}' };
    return { status: 200, body: { text: greet(name) + (loud ? "!" : "") }, headers: { Location: "/greet" } };
  },
});

// A handler that answers later has the same types.
example.endpoint({
  name: "later",
  method: "GET",
  path: "/later",
  summary: "Later",
  auth: "basic",
  responses: {
    200: { description: "Done.", body: Type.Object({ text: Type.Union([Type.String(), Type.Null()]) }) },
    204: { description: "" },
  },
  handle: async ({ greet }, { caller }) => {
    const text = await Promise.resolve(caller.type === "anonymous" ? null : greet(caller.type));
    if (text === "") return { status: 204 };
    return { status: 200, body: { text } };
  },
});

// So has one that answers with lists, of constants and not.
example.endpoint({
  name: "lists",
  method: "GET",
  path: "/lists",
  summary: "Lists",
  auth: "none",
  responses: {
    200: {
      description: "Done.",
      body: Type.Object({ status: Type.Literal("ok"), rows: Type.Array(Type.Object({ text: Type.String() })) }),
    },
    204: { description: "Nothing." },
  },
  handle: ({ greet }) => {
    const names: readonly string[] = ["a"];
    if (greet("") === "") return { status: 200, body: { status: "ok", rows: [{ text: "constant" }] } };
    return { status: 200, body: { status: "ok", rows: names.map((text) => ({ text })) } };
  },
});

// What does not fit the declaration does not compile.
example.endpoint({
  name: "wrong",
  method: "GET",
  path: "/wrong",
  summary: "Wrong",
  auth: "none",
  responses: { 200: { description: "Right.", body: Type.Object({ text: Type.String() }) } },
  // @ts-expect-error the status was not declared
  handle: () => ({ status: 201, body: { text: "" } }),
});

test("a bound endpoint runs its handler with the operations it was bound to", async () => {
  const [bound] = bind([greet], { greet: (name) => `hello ${name}` });
  const reply = await bound?.run({
    params: { name: "Ada" },
    query: {},
    headers: {},
    body: { loud: true },
    bodyText: "",
    upload: { read: () => Promise.reject(new Error("there is none")) },
    caller: { type: "anonymous" },
    request: { id: "1", ipAddress: "127.0.0.1" },
    idempotencyKey: null,
    operationId: "",
  });
  assert.deepEqual(reply, { status: 200, body: { text: "hello Ada!" }, headers: { Location: "/greet" } });
});

test("a surface's error responses carry its envelope", () => {
  assert.deepEqual(Object.keys(greet.responses), ["200", "204", "400", "503"]);
  assert.equal(greet.responses[400]?.body, example.envelope.schema);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import ajvFormats from "ajv-formats";
import { openApiText, surfacesOf } from "../../infra/node/wiring/shared/endpoints.ts";

type Json = { [member: string]: unknown };

/** Yields every object of the document with an example, and its place. */
function* withExamples(node: unknown, at = "#"): Generator<{ at: string; node: Json }> {
  if (typeof node !== "object" || node === null) return;
  if ("example" in node && "schema" in node) yield { at, node: node as Json };
  for (const [member, value] of Object.entries(node)) {
    if (member !== "example") yield* withExamples(value, `${at}/${member.replaceAll("~", "~0").replaceAll("/", "~1")}`);
  }
}

test("matches every example of the document with its schema, by a client's own validator too", () => {
  const document: Json = JSON.parse(openApiText(surfacesOf({ openTerminalLogs: true, packageBytesMax: 524_288_000 })));
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajvFormats.default(ajv);
  ajv.addSchema({ ...document, $id: "document" });
  const wrong: string[] = [];
  let examples = 0;
  for (const { at, node } of withExamples(document)) {
    examples++;
    const matches = ajv.compile({ $ref: `document${at}/schema` });
    if (!matches(node["example"])) wrong.push(`${at}: ${ajv.errorsText(matches.errors)}`);
  }
  assert.deepEqual(wrong, []);
  assert.ok(examples > 100, `${examples} examples`);
});

test("has an example of every request body, every success and every error of the document", () => {
  const document: Json = JSON.parse(openApiText(surfacesOf({ openTerminalLogs: true, packageBytesMax: 524_288_000 })));
  const { responses: shared } = document["components"] as { responses: { [name: string]: Json } };
  const without: string[] = [];
  let bodies = 0;
  const look = (content: unknown, at: string) => {
    const json = (content as { [type: string]: Json } | undefined)?.["application/json"];
    if (json === undefined) return;
    bodies++;
    if (json["example"] === undefined) without.push(at);
  };
  for (const [path, operations] of Object.entries(document["paths"] as { [path: string]: { [method: string]: Json } })) {
    for (const [method, { requestBody, responses }] of Object.entries(operations)) {
      look((requestBody as Json | undefined)?.["content"], `${method} ${path}`);
      for (const [status, response] of Object.entries(responses as { [status: string]: Json })) {
        const { $ref } = response;
        const answer = typeof $ref === "string" ? shared[$ref.split("/").at(-1) ?? ""] : response;
        look(answer?.["content"], `${method} ${path} ${status}`);
      }
    }
  }
  assert.deepEqual(without, []);
  assert.ok(bodies > 1_000, `${bodies} bodies`);
});

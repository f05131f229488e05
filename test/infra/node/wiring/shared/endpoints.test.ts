import assert from "node:assert/strict";
import { test } from "node:test";
import { compileEndpoint } from "../../../../../http/endpoint/compile.ts";
import { checkOf } from "../../../../../http/endpoint/schema-check.ts";
import { surfacesOf } from "../../../../../infra/node/wiring/shared/endpoints.ts";

test("serves every endpoint as it is declared", () => {
  const endpoints = Object.values(surfacesOf({ openTerminalLogs: false, packageBytesMax: 1, mode: "sandbox" })).flat();
  for (const { handle: _, ...facts } of endpoints) {
    assert.doesNotThrow(() => compileEndpoint({ ...facts, run: () => assert.fail("nothing is asked") }, { strictReplies: true }));
    // A node compiles them with the first request.
    for (const schema of [facts.params, facts.query, facts.headers, facts.body]) {
      if (schema !== undefined) assert.doesNotThrow(() => checkOf(schema)().Check({}), facts.name);
    }
  }
});

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { surfacesOf } from "../../../infra/node/wiring/endpoints.ts";

const declared = new Set(
  Object.values(surfacesOf({ openTerminalLogs: false, packageBytesMax: 1 }))
    .flat()
    .map(({ method, path }) => `${method} ${path}`),
);

for (const guide of ["portal.md", "mails.md"]) {
  test(`${guide} names only calls that there are`, () => {
    const text = readFileSync(`infra/docs/${guide}`, "utf8");
    const named = [...text.matchAll(/`(GET|POST|PUT|PATCH|DELETE)\s+(\/(?:admin|partner|api)\/[^\s`?]+)/g)];
    assert.ok(named.length > 0, "it names none: this test no longer reads it");
    for (const [, method, path] of named) assert.ok(declared.has(`${method} ${path}`), `${method} ${path}`);
  });
}

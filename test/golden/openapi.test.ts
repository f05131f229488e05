import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { openApiText, surfacesOf } from "../../infra/node/endpoints.ts";
import { member } from "../support/matches.ts";

const GOLDEN = new URL("openapi.json", import.meta.url);

/** Specification, "Terminal and partner endpoints", less those of pay-by-link and its kin, which are not there yet. */
const SPECIFIED: [method: string, path: string, authentication: "B or K" | "B" | "none"][] = [
  ["POST", "/api/v1/{terminalId}/pay", "B or K"],
  ["POST", "/api/v1/pay", "B"],
  ["GET", "/api/v1/{terminalId}/get", "B"],
  ["POST", "/api/v1/{terminalId}/receipt", "B"],
  ["POST", "/api/v1/{terminalId}/scan", "B or K"],
  ["POST", "/api/v1/{terminalId}/print", "B or K"],
  ["POST", "/api/v1/{terminalId}/disconnect", "B"],
  ["GET", "/api/v1/{terminalId}/connection", "B or K"],
  ["GET", "/api/v1/{terminalId}/status", "B or K"],
  ["GET", "/api/v1/{uuid}/uuid", "B or K"],
  ["GET", "/api/v1/{terminalId}/transactions", "B or K"],
  ["GET", "/api/v1/{terminalId}/logs", "none"],
  ["POST", "/api/v1/{terminalId}/logs", "none"],
  ["DELETE", "/api/v1/{terminalId}/logs", "none"],
  ["GET", "/api/status/ping/{terminalId}", "none"],
  ["GET", "/api/status/ping-pos/{terminalId}", "none"],
  ["POST", "/pay", "B"],
  ["GET", "/uuid/{uuid}", "B or K"],
  ["GET", "/status", "B or K"],
];

/** Specification, "Administration endpoints", as far as they are there, and what the relay adds. */
const ADMINISTRATION_AND_ADDITIONS: [method: string, path: string][] = [
  ["POST", "/admin/terminal/{terminalId}/command"],
  ["GET", "/admin/subscription-rules"],
  ["POST", "/admin/subscription-rules"],
  ["POST", "/admin/subscription-rules/test"],
  ["GET", "/admin/terminals"],
  ["GET", "/admin/terminals/{terminalId}"],
  ["GET", "/admin/attention"],
  ["GET", "/api/v1/commands/{uuid}"],
  ["POST", "/api/v1/commands/{uuid}/cancel"],
  ["GET", "/health/live"],
  ["GET", "/health/ready"],
  ["GET", "/metrics"],
];

const document: unknown = JSON.parse(openApiText(surfacesOf({ openTerminalLogs: true })));

test("the OpenAPI document is the golden one", () => {
  const text = `${JSON.stringify(document, null, 2)}\n`;
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(GOLDEN, text);
  const golden = readFileSync(GOLDEN, "utf8");
  const line = text.split("\n").findIndex((ours, index) => ours !== golden.split("\n")[index]);
  assert.ok(
    text === golden,
    `test/golden/openapi.json differs from line ${line + 1} on: ${text.split("\n")[line]?.trim()}. If the change is meant, renew it with ` +
      "UPDATE_GOLDEN=1 npm test -- golden/openapi, and read the difference before it is committed.",
  );
});

for (const [method, path, authentication] of SPECIFIED) {
  test(`${method} ${path} is documented, with authentication ${authentication}`, () => {
    const operation = member(document, "paths", path, method.toLowerCase());
    const security = JSON.stringify(member(operation, "security"));
    assert.deepEqual([/basic/i.test(security), /key/i.test(security)], [authentication.includes("B"), authentication.includes("K")], security);
  });
}

test("administration and the relay's additions are documented", () => {
  for (const [method, path] of ADMINISTRATION_AND_ADDITIONS) member(document, "paths", path, method.toLowerCase());
});

test("deprecated endpoints say so", () => {
  for (const [method, path] of SPECIFIED) {
    const deprecated = !path.startsWith("/api/");
    const operation = member(document, "paths", path, method.toLowerCase());
    assert.equal((operation as { deprecated?: boolean }).deprecated ?? false, deprecated, path);
  }
});

test("every operation has a name of its own, a summary and an answer for errors", () => {
  const names = new Set<unknown>();
  for (const operations of Object.values(member(document, "paths") as object)) {
    for (const operation of Object.values(operations as object)) {
      assert.ok(!names.has(member(operation, "operationId")), `${member(operation, "operationId")} is there twice`);
      names.add(member(operation, "operationId"));
      assert.ok(member(operation, "summary"));
      member(operation, "responses", "default");
    }
  }
});

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { machineRightOf } from "../../http/endpoint/machine-right.ts";
import { surfacesOf } from "../../infra/node/wiring/shared/endpoints.ts";

const GUIDE = "infra/docs/administrators.md";

const endpoints = Object.values(surfacesOf({ openTerminalLogs: false, packageBytesMax: 1 })).flat();

function rowsOf(role: "owner" | "operator"): string {
  return endpoints
    .filter((endpoint) => endpoint.role === role)
    .map((endpoint) => {
      const { method, path, summary } = endpoint;
      // No machine token is let in where an owner is needed.
      const right = role === "operator" ? ` ${machineRightOf(endpoint) ?? "no"} |` : "";
      return `| \`${method} ${path}\` | ${summary} |${right}\n`;
    })
    .sort((one, other) => (one.slice(one.indexOf("/")) < other.slice(other.indexOf("/")) ? -1 : 1))
    .join("");
}

test("the guide lists what needs an owner and what an operator, as the endpoints declare it (UPDATE_GOLDEN=1 writes it anew)", () => {
  const text = readFileSync(GUIDE, "utf8");
  const whole = (["owner", "operator"] as const).reduce((guide, role) => {
    const table = new RegExp(`(Needs an ${role}:\\n\\n\\| request .*\\n\\|---.*\\n)(?:\\|.*\\n)*`);
    assert.match(guide, table);
    return guide.replace(table, (_, head: string) => head + rowsOf(role));
  }, text);
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(GUIDE, whole);
  assert.equal(readFileSync(GUIDE, "utf8"), whole);
});

test("every endpoint for administrators declares a role, and no other one does", () => {
  const odd = endpoints.filter(({ auth, role }) => (auth === "admin") !== (role !== undefined));
  assert.deepEqual(
    odd.map(({ name }) => name),
    [],
  );
});

test("what is not a GET and changes something needs an operator at least, but for the own password", () => {
  const low = endpoints.filter(({ role, audit }) => role === "read-only" && audit !== undefined && audit !== "changes nothing");
  assert.deepEqual(
    low.map(({ name }) => name),
    ["changeOwnAdministratorPassword"],
  );
});

test("no machine token is let in where a second factor is asked for, nor where an owner is needed", () => {
  const open = endpoints.filter((endpoint) => machineRightOf(endpoint) !== null);
  assert.deepEqual(
    open.filter(({ role, stepUp }) => role === "owner" || stepUp !== undefined).map(({ name }) => name),
    [],
  );
  const secret = endpoints.filter(({ role, stepUp }) => role === "owner" && stepUp !== true);
  assert.deepEqual(
    secret.map(({ name }) => name),
    [],
  );
});

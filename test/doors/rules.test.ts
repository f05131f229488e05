import assert from "node:assert/strict";
import { test } from "node:test";
import { surfacesOf } from "../../infra/node/wiring/endpoints.ts";
import { type AnyEndpoint, missingRule } from "./rules.ts";

test("a declaration that no rule fits is found", () => {
  const endpoints: AnyEndpoint[] = Object.values(surfacesOf({ openTerminalLogs: false, packageBytesMax: 1 })).flat();
  const [admin, open] = ["listTerminals", "live"].map((name) => endpoints.find((endpoint) => endpoint.name === name));
  assert.ok(admin !== undefined && open !== undefined);
  assert.deepEqual([missingRule(admin), missingRule(open)], [null, null]);
  const table: [declared: AnyEndpoint, why: RegExp][] = [
    [{ ...admin, auth: "none" }, /^is open to everyone/],
    [{ ...open, name: "another" }, /^is open to everyone/],
    [{ ...admin, auth: "basic", needs: "see" }, /^has auth basic below \/admin\//],
    [{ ...admin, path: "/api/v1/other", auth: "basic" }, /^auth basic lets several kinds of callers in/],
    [{ ...admin, path: "/api/v1/other", auth: "basicOrApiKey" }, /^auth basicOrApiKey lets several kinds of callers in/],
    [{ ...admin, path: "/v1/other" }, /^has auth admin below \/v1\//],
    [{ ...admin, path: "/v1/other", auth: "none" }, /^is open to everyone/],
    [{ ...admin, path: "/api/v1/other", auth: "merchantKey" }, /^has auth merchantKey where merchants do not call/],
    [{ ...admin, needs: "send" }, /^has auth admin below|^`needs` says nothing/],
  ];
  for (const [declared, why] of table) assert.match(missingRule(declared) ?? "", why);
});

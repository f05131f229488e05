import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { surfacesOf } from "../../infra/node/wiring/shared/endpoints.ts";
import { type AnyEndpoint, type Credentials, missingRule, type Outcome, outcomeOf, TAKES_PUBLISHABLE } from "./rules.ts";

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
    [{ ...admin, path: "/api/merchant/other" }, /^has auth admin below \/api\/merchant\//],
    [{ ...admin, path: "/api/v1/other", auth: "merchantUser", may: "look" }, /^has auth merchantUser where the portal does not call/],
    [{ ...admin, path: "/api/merchant/other", auth: "optionalPortalSession" }, /^is open to everyone/],
    [{ ...admin, needs: "send" }, /^has auth admin below|^`needs` says nothing/],
  ];
  for (const [declared, why] of table) assert.match(missingRule(declared) ?? "", why);
});

test("at the portal's doors a session counts for what it is of, and a key only where keys are taken", () => {
  const [admin] = Object.values(surfacesOf({ openTerminalLogs: false, packageBytesMax: 1 })).flat();
  assert.ok(admin !== undefined);
  const { role: _role, needs: _needs, ...plain } = admin;
  const responses = { 200: { description: "Done." } };
  const look: AnyEndpoint = { ...plain, method: "GET", path: "/api/merchant/things", auth: "merchantUserOrKey", may: "look", responses };
  const refund: AnyEndpoint = { ...look, method: "POST", may: "refund", stepUp: true };
  const one: AnyEndpoint = { ...look, auth: "merchantUser", responses: { ...responses, 404: { description: "None." } } };
  const { may: _may, ...unbound } = look;
  const signOut: AnyEndpoint = { ...unbound, method: "DELETE", auth: "portalSession" };
  const signIn: AnyEndpoint = { ...unbound, method: "POST", auth: "optionalPortalSession" };
  const table: [shown: Credentials, look: Outcome, refund: Outcome, one: Outcome, signOut: Outcome, signIn: Outcome][] = [
    [{}, "unauthorized", "unauthorized", "unauthorized", "unauthorized", "forbidden"],
    [{ cookie: "wrong" }, "unauthorized", "unauthorized", "unauthorized", "unauthorized", "admitted"],
    [{ cookie: "owner" }, "admitted", "admitted", "admitted", "admitted", "admitted"],
    [{ cookie: "viewer" }, "admitted", "forbidden", "admitted", "admitted", "admitted"],
    [{ cookie: "other owner" }, "admitted", "admitted", "unknown", "admitted", "admitted"],
    [{ cookie: "owner without factor" }, "unauthorized", "unauthorized", "unauthorized", "admitted", "admitted"],
    [{ cookie: "owner's foreign page" }, "admitted", "forbidden", "admitted", "forbidden", "forbidden"],
    [{ bearer: "merchant" }, "admitted", "admitted", "unauthorized", "unauthorized", "forbidden"],
    [{ bearer: "publishable" }, "forbidden", "forbidden", "unauthorized", "unauthorized", "forbidden"],
    [{ bearer: "partner", cookie: "owner" }, "unauthorized", "unauthorized", "admitted", "admitted", "admitted"],
    [{ basic: "merchant" }, "unauthorized", "unauthorized", "unauthorized", "unauthorized", "forbidden"],
  ];
  for (const [shown, ...outcomes] of table) {
    const found = [look, refund, one, signOut, signIn].map((endpoint) => outcomeOf(endpoint, shown));
    assert.deepEqual(found, outcomes, JSON.stringify(shown));
  }
});

test("SECURITY.md names every endpoint that a publishable key opens, and no other", () => {
  const endpoints: AnyEndpoint[] = Object.values(surfacesOf({ openTerminalLogs: false, packageBytesMax: 1 })).flat();
  const opened = endpoints.filter(({ auth }) => TAKES_PUBLISHABLE.has(auth)).map(({ method, path }) => `${method} ${path}`);
  const row = /^\| page of a merchant, publishable key \|.*$/m.exec(readFileSync("SECURITY.md", "utf8"))?.[0] ?? "";
  const named = [...row.matchAll(/`([A-Z]+ \/[^`]*)`/g)].map(([, endpoint = ""]) => endpoint);
  assert.deepEqual(named.sort(), opened.sort());
});

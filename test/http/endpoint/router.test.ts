import assert from "node:assert/strict";
import { test } from "node:test";
import type { Method } from "../../../http/endpoint/endpoint.ts";
import { Router } from "../../../http/endpoint/router.ts";

const PATHS: [Method, string][] = [
  ["GET", "/api/v1/{terminalId}/get"],
  ["GET", "/api/v1/{uuid}/uuid"],
  ["POST", "/api/v1/{terminalId}/pay"],
  ["POST", "/api/v1/pay"],
  ["GET", "/api/v1/app/version"],
  ["GET", "/api/v1/app/download/{file}"],
  ["GET", "/api/v1/commands/{uuid}"],
  ["POST", "/api/v1/commands/{uuid}/cancel"],
  ["GET", "/api/v1/payment/status/{txId}"],
  ["DELETE", "/api/v1/{terminalId}/logs"],
  ["GET", "/api/v1/{terminalId}/logs"],
];

function routerOf(paths: [Method, string][]) {
  const router = new Router<{ method: Method; path: string }>();
  for (const [method, path] of paths) router.add({ method, path });
  return router;
}

test("finds the route of a path in any order of declaration, words first", () => {
  const cases: [Method, string, string | null, string[]][] = [
    ["GET", "/api/v1/T1/get", "/api/v1/{terminalId}/get", ["T1"]],
    ["GET", "/api/v1/app/get", "/api/v1/{terminalId}/get", ["app"]],
    ["GET", "/api/v1/abc/uuid", "/api/v1/{uuid}/uuid", ["abc"]],
    ["POST", "/api/v1/pay", "/api/v1/pay", []],
    ["POST", "/api/v1/pay/pay", "/api/v1/{terminalId}/pay", ["pay"]],
    ["GET", "/api/v1/app/version", "/api/v1/app/version", []],
    ["GET", "/api/v1/app/download/a%2Fb", "/api/v1/app/download/{file}", ["a%2Fb"]],
    ["GET", "/api/v1/commands/get", "/api/v1/commands/{uuid}", ["get"]],
    ["GET", "/api/v1/commands/uuid", "/api/v1/commands/{uuid}", ["uuid"]],
    ["POST", "/api/v1/commands/u/cancel", "/api/v1/commands/{uuid}/cancel", ["u"]],
    ["GET", "/api/v1/payment/status/x", "/api/v1/payment/status/{txId}", ["x"]],
    ["GET", "/api/v1//get", null, []],
    ["GET", "/api/v1/T1/get/", null, []],
    ["GET", "/api/v1/T1", null, []],
    ["GET", "/", null, []],
    ["GET", "", null, []],
    ["GET", "/API/v1/T1/get", null, []],
    ["PUT", "/api/v1/T1/get", null, []],
  ];
  for (const router of [routerOf(PATHS), routerOf([...PATHS].reverse())]) {
    for (const [method, path, expected, values] of cases) {
      const match = router.match(method, path);
      assert.deepEqual([match?.route.path ?? null, match?.values ?? []], [expected, values], `${method} ${path}`);
    }
  }
});

test("finds a route at its other path with a slash, and at no more slashes", () => {
  const router = new Router<{ method: Method; path: string }>();
  const route = { method: "GET" as const, path: "/portal" };
  router.add(route);
  assert.equal(router.match("GET", "/portal/"), null);
  router.add(route, "/portal/");
  for (const path of ["/portal", "/portal/"]) assert.equal(router.match("GET", path)?.route, route);
  for (const path of ["//portal", "/portal//", "//"]) assert.equal(router.match("GET", path), null);
});

test("finds the route of the root, and of nothing else by it", () => {
  const router = routerOf([["GET", "/"]]);
  assert.equal(router.match("GET", "/")?.route.path, "/");
  for (const path of ["", "//", "/a"]) assert.equal(router.match("GET", path), null, path);
});

test("knows the methods of a path", () => {
  const methods = (path: string) =>
    routerOf(PATHS)
      .others(path)
      .map(({ method }) => method);
  assert.deepEqual(methods("/api/v1/T1/logs"), ["DELETE", "GET"]);
  assert.deepEqual(methods("/nowhere"), []);
});

test("refuses templates that are not well-formed or twice there", () => {
  for (const path of ["", "a", "/a//b", "/a/{b", "/a/{}", "/a/*", "/a/{b}c"]) {
    assert.throws(() => routerOf([["GET", path]]), Error, path);
  }
  assert.throws(
    () =>
      routerOf([
        ["GET", "/{a}/x"],
        ["GET", "/{b}/x"],
      ]),
    /declared twice/,
  );
});

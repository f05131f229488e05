import assert from "node:assert/strict";
import { it } from "node:test";
import { conflictOf, type RouteSelector, selectRoute } from "../../../engine/zvt/route-selection.ts";
import { compileNetwork } from "../../../http/auth/address-list.ts";

function route(id: string, changes: { port?: number; clients?: string[]; password?: string } = {}): RouteSelector {
  const { port = 40_007, clients = [], password = null } = changes;
  return { id, tid: "00000001", port, ranges: clients.map(compileNetwork), password };
}

const chosen = (routeId: string, needsPassword = false) => ({ type: "route", route: { routeId, tid: "00000001", needsPassword } });

it("chooses by own port, then by the narrowest network, then by the password", () => {
  const routes = [
    route("all"),
    route("shop", { clients: ["10.1.0.0/16"] }),
    route("till", { clients: ["192.168.1.1", "10.1.2.0/24"] }),
    route("one", { clients: ["10.1.3.0/24"], password: "111111" }),
    route("two", { clients: ["10.1.3.0/24"], password: "222222" }),
    route("port", { port: 40_008 }),
    route("v6", { clients: ["2001:db8::/32"] }),
  ];
  const at = (address: string, password: string | null = null, port = 40_007) => selectRoute(routes, { port, address }, password);
  assert.deepEqual(at("172.16.0.1"), chosen("all"));
  assert.deepEqual(at("10.1.9.9"), chosen("shop"));
  assert.deepEqual(at("10.1.2.9"), chosen("till"));
  assert.deepEqual(at("192.168.1.1"), chosen("till"));
  assert.deepEqual(at("2001:db8::1"), chosen("v6"));
  assert.deepEqual(at("10.1.3.9"), { type: "password" });
  assert.deepEqual(at("10.1.3.9", "222222"), chosen("two"));
  assert.deepEqual(at("10.1.3.9", "333333"), { type: "wrongPassword" });
  assert.deepEqual(at("10.1.2.9", null, 40_008), chosen("port"));
  assert.deepEqual(at("10.1.2.9", null, 40_009), { type: "none" });
  // Of a route without a password any is right.
  assert.deepEqual(at("10.1.2.9", "999999"), chosen("till"));
});

it("wants the password of a route that has one, also where it is the only one", () => {
  const routes = [route("till", { clients: ["10.1.2.0/24"], password: "123456" })];
  const at = (password: string | null) => selectRoute(routes, { port: 40_007, address: "10.1.2.9" }, password);
  assert.deepEqual(at(null), chosen("till", true));
  assert.deepEqual(at("123456"), chosen("till", false));
  assert.deepEqual(at("123457"), { type: "wrongPassword" });
  assert.deepEqual(selectRoute(routes, { port: 40_007, address: "10.1.3.9" }, null), { type: "none" });
});

it("finds routes that a register could not tell apart", () => {
  assert.deepEqual(conflictOf([route("a"), route("b")]), ["a", "b"]);
  assert.deepEqual(conflictOf([route("a", { password: "111111" }), route("b")]), ["a", "b"]);
  assert.deepEqual(conflictOf([route("a", { password: "111111" }), route("b", { password: "111111" })]), ["a", "b"]);
  // The same network in other words.
  assert.deepEqual(conflictOf([route("a", { clients: ["10.1.2.3/16"] }), route("b", { clients: ["::ffff:10.1.0.0/112"] })]), ["a", "b"]);
  assert.equal(conflictOf([route("a", { password: "111111" }), route("b", { password: "222222" })]), null);
  assert.equal(conflictOf([route("a", { clients: ["10.1.0.0/16"] }), route("b", { clients: ["10.1.2.0/24"] }), route("c")]), null);
  assert.equal(conflictOf([route("a"), route("b", { port: 40_008 })]), null);
  assert.equal(conflictOf([route("a", { clients: ["10.0.0.1", "10.0.0.1/32"] })]), null);
});

import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { ADMINISTRATOR_ROLES, type AdministratorRole, includesRole } from "../../../engine/access/administrator-role.ts";
import { surfacesOf } from "../../../infra/node/wiring/shared/endpoints.ts";
import type { Answer, HttpClient } from "../../support/http/http-client.ts";
import { assertMatches } from "../../support/http/matches.ts";
import { Relay } from "../../support/node/relay.ts";
import { newAdministrator } from "../../support/people/new-administrator.ts";

const endpoints = Object.values(surfacesOf({ openTerminalLogs: false, packageBytesMax: 1 })).flat();

const relay = new Relay({ shards: 1, environment: { RELAY_OPEN_TERMINAL_LOGS: "0" } });
const callers = new Map<AdministratorRole, HttpClient>();
before(async () => {
  await relay.start();
  for (const role of ADMINISTRATOR_ROLES) callers.set(role, (await newAdministrator(relay, role)).client);
});
afterEach(() => relay.leaveAll());
after(() => relay.stop());

function callerOf(role: AdministratorRole): HttpClient {
  const caller = callers.get(role);
  assert.ok(caller !== undefined);
  return caller;
}

describe("every endpoint for administrators lets in who has its role, and nobody below", () => {
  for (const { name, method, path, auth, role } of endpoints) {
    if (auth !== "admin") continue;
    test(`${name}: ${role}`, async () => {
      assert.ok(role !== undefined);
      // A query that cannot be decoded is refused behind the login and the role by every endpoint, so that nothing is changed here.
      const url = `${path.replaceAll(/\{[^}]+\}/g, "1")}?%zz=1`;
      for (const one of ADMINISTRATOR_ROLES) {
        const answer = await callerOf(one).send(url, { method });
        if (includesRole(one, role)) assertMatches(answer, { status: 400, body: { error: /^query: / } }, `${one} at ${method} ${url}`);
        else {
          const error = `This needs an administrator with the role ${role}; your role is ${one}`;
          assertMatches(answer, { status: 403, body: { status: "error", error, message: error } }, `${one} at ${method} ${url}`);
        }
      }
    });
  }
});

/** `looks`: every administrator may. `sends`: operators and owners. `never`: no administrator, it is a terminal's or a partner's own. */
type May = "looks" | "sends" | "never";

type Request = (caller: HttpClient, terminalId: string) => Promise<Answer>;

/** What administrators may at the endpoints of terminals and partners. Every endpoint that takes Basic stands here. */
const BASIC: { readonly [name: string]: readonly [May, Request] } = {
  sendPayment: ["sends", (caller, id) => caller.pay(id, { uuid: relay.uuid() })],
  sendPaymentByBody: ["sends", (caller, terminalId) => caller.post("/api/v1/pay", payment(terminalId))],
  sendPaymentLegacy: ["sends", (caller, terminalId) => caller.post("/pay", payment(terminalId))],
  sendScan: ["sends", (caller, id) => caller.post(`/api/v1/${id}/scan`, {})],
  sendPrint: ["sends", (caller, id) => caller.post(`/api/v1/${id}/print`, { text: "Hello" })],
  cancelCommand: ["sends", async (caller, id) => caller.post(`/api/v1/commands/${await paid(id)}/cancel`)],
  createTerminalLink: ["sends", (caller, id) => caller.post(`/api/v1/${id}/paybylink`, { amount: 1 })],
  createBancomatPayLink: ["sends", (caller, id) => caller.post(`/api/v1/${id}/paybpe`, { amount: 1 })],
  appendTerminalLog: ["sends", (caller, id) => caller.post(`/api/v1/${id}/logs`, { a: 1 })],
  clearTerminalLogs: ["sends", (caller, id) => caller.send(`/api/v1/${id}/logs`, { method: "DELETE" })],
  readTerminalLogs: ["looks", (caller, id) => caller.get(`/api/v1/${id}/logs`)],
  checkConnection: ["looks", (caller, id) => caller.connection(id)],
  findLatest: ["looks", (caller, id) => caller.status(id)],
  findLatestLegacy: ["looks", (caller, id) => caller.get(`/status?terminalId=${id}`)],
  findByUuid: ["looks", async (caller, id) => caller.uuid(await paid(id))],
  findByUuidLegacy: ["looks", async (caller, id) => caller.get(`/uuid/${await paid(id)}`)],
  findCommand: ["looks", async (caller, id) => caller.life(await paid(id))],
  listTransactions: ["looks", (caller, id) => caller.get(`/api/v1/${id}/transactions`)],
  takeCommand: ["never", (caller, id) => caller.poll(id)],
  terminalSettings: ["never", (caller, id) => caller.get(`/api/v1/${id}/settings`)],
  recordResult: ["never", async (caller, id) => caller.receipt(id, { uuid: await paid(id), result: "OK" })],
  disconnect: ["never", (caller, id) => caller.post(`/api/v1/${id}/disconnect`)],
  regenerateOwnApiKey: ["never", (caller) => caller.post("/api/partner/regenerate-key")],
  showOwnGatewayCredentials: ["never", (caller) => caller.get("/api/partner/gw-credentials")],
  saveOwnGatewayCredentials: ["never", (caller) => caller.post("/api/partner/gw-credentials", { gwTml: "GWT1" })],
  testOwnGatewayCredentials: ["never", (caller) => caller.post("/api/partner/gw-credentials/test")],
  saveOwnOrigins: ["never", (caller) => caller.post("/api/partner/origins", {})],
};

const payment = (terminalId: string) => ({ uuid: relay.uuid(), terminalId, amount: 1, service: "PAYCC" });

/** A payment by somebody else, which waits. */
async function paid(terminalId: string): Promise<string> {
  const uuid = relay.uuid();
  assertMatches(await relay.partner().pay(terminalId, { uuid }), { status: 200 });
  return uuid;
}

describe("an administrator at the endpoints of terminals and partners", () => {
  test("every endpoint that takes Basic is decided", () => {
    const names = endpoints.filter(({ auth }) => auth === "basic" || auth === "basicOrApiKey").map(({ name }) => name);
    assert.deepEqual(Object.keys(BASIC).sort(), names.sort());
  });

  for (const [name, [may, request]] of Object.entries(BASIC)) {
    test(`${name}: ${may}`, async () => {
      for (const role of ADMINISTRATOR_ROLES) {
        const terminalId = relay.terminalId();
        const answer = await request(callerOf(role), terminalId);
        const permitted = may === "looks" || (may === "sends" && includesRole(role, "operator"));
        const told = `${role}: ${answer.status} ${answer.text}`;
        if (permitted) {
          assert.ok(![401, 403, 404].includes(answer.status), told);
          if (may === "looks" && name.startsWith("findBy")) assertMatches(answer.body, { status: "ok" });
        } else {
          assert.equal(answer.status, 403, told);
          if (may === "sends") assertMatches(answer.body, { error: `Not permitted for an administrator with the role ${role}` });
          assert.equal((await relay.fleet().poll(terminalId)).status, ["cancelCommand", "recordResult"].includes(name) ? 200 : 204, told);
        }
      }
    });
  }

  test("one who may only look has idempotency keys apart from those who may send", async () => {
    const [terminalId, headers] = [relay.terminalId(), { "idempotency-key": relay.uuid() }];
    // Refused for good, which is kept under the key.
    const create = (role: AdministratorRole) => callerOf(role).post(`/api/v1/${terminalId}/paybylink`, { amount: 1.234 }, headers);
    assert.equal((await create("read-only")).status, 403);
    const first = await create("operator");
    assert.equal(first.status, 400, first.text);
    assert.equal((await create("read-only")).status, 403);
    assertMatches(await create("owner"), { status: 400, headers: { "idempotent-replayed": "true" } });
  });

  test("none subscribes to a terminal's topic", async () => {
    for (const role of ADMINISTRATOR_ROLES) {
      const { username, password } = await newAdministrator(relay, role);
      const session = await relay.connect({ login: username, passcode: password });
      session.client.subscribe(`/topic/terminal/${relay.terminalId()}`, () => assert.fail("a command for an administrator"));
      assertMatches((await session.errors.next()).headers, { code: "forbidden" });
    }
  });
});

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { surfacesOf } from "../../../infra/node/wiring/shared/endpoints.ts";
import type { Answer, HttpClient } from "../../support/http/http-client.ts";
import { assertMatches, listOf, member, textMember } from "../../support/http/matches.ts";
import { basic } from "../../support/node/node.ts";
import { Relay } from "../../support/node/relay.ts";
import { AdminPerson } from "../../support/people/admin-person.ts";

const HEAD = { username: "head-office", password: "an-administrator-password-of-this-test" };
const EMAIL = "head@relay.example";

const ENVIRONMENT = {
  RELAY_MODE: "production",
  RELAY_HOST: "127.0.0.1",
  RELAY_LOG_LEVEL: "fatal",
  RELAY_CLICKHOUSE_URL: "http://127.0.0.1:1",
  RELAY_ADMIN_USERNAME: HEAD.username,
  RELAY_ADMIN_PASSWORD: HEAD.password,
  RELAY_ADMIN_EMAIL: EMAIL,
  RELAY_TERMINAL_SECRET: "a-terminal-secret-of-this-test",
  RELAY_SECRET_KEY: "q2r9C2Xq0o6Qb0V3J8cVbFh3b0k4m1Zl7pXn5sYtT2E=",
};

const DAY_MS = 86_400_000;

const REFUSED = { status: 403, body: { status: "error", code: "second_factor_required", message: /sign in at \/admin/ } };

describe("administrators in production", () => {
  let relay: Relay;
  before(async () => {
    relay = new Relay({ shards: 1, environment: ENVIRONMENT });
    await relay.start();
  });
  after(() => relay.stop());

  const byPassword = ({ username, password }: { username: string; password: string }): HttpClient =>
    relay.client({ authorization: basic(username, password) });

  async function created(answer: Answer): Promise<{ username: string; password: string }> {
    assert.equal(answer.status, 201, answer.text);
    return { username: textMember(answer.body, "data", "username"), password: textMember(answer.body, "generatedPassword") };
  }

  /** Signed in with a fresh second factor, enrolled where there is none. */
  async function signedIn(login: { username: string; password: string }): Promise<AdminPerson> {
    const person = new AdminPerson(relay, login);
    assertMatches(await person.begin(), { status: 200, body: { data: { stage: "enrol" } } });
    await person.enrol();
    return person;
  }

  async function newToken(owner: AdminPerson, rights: string[], more: object = {}): Promise<{ username: string; password: string }> {
    const name = `machine-${randomUUID()}`;
    const made = await owner.send("POST", "/machine-tokens", { name, rights, ...more });
    assert.equal(made.status, 201, made.text);
    assert.match(made.headers["cache-control"]?.toString() ?? "", /no-store/);
    return { username: name, password: textMember(made.body, "data", "token") };
  }

  let owner: AdminPerson;
  let unenrolled: { username: string; password: string };

  test("while no owner has a second factor, a password creates the first administrators, and nothing else", async () => {
    const head = byPassword(HEAD);
    unenrolled = await created(await head.post("/admin/administrators", { username: "later", role: "owner" }));
    const anna = await created(await byPassword(unenrolled).post("/admin/administrators", { username: "anna", role: "owner" }));
    for (const [method, path, body] of [
      ["POST", "/admin/machine-tokens", { name: "ci", rights: ["apps"] }],
      ["POST", "/admin/api/partners", { username: "acme" }],
      ["PATCH", "/admin/administrators/anna", { role: "operator" }],
      ["GET", "/admin/outbox", undefined],
    ] as const) {
      assertMatches(await head.send(path, { method, ...(body === undefined ? {} : { body }) }), REFUSED);
    }
    owner = await signedIn(anna);
    assertMatches(await head.post("/admin/administrators", { username: "too-late", role: "read-only" }), {
      status: 403,
      body: { code: "second_factor_required", message: /only while no owner has a second factor/ },
    });
    assert.equal((await owner.send("GET", "/administrators/too-late")).status, 404);
  });

  test("a password alone administers no people, secrets or factors, enrolled or not, and the rest of its role stays", async () => {
    const endpoints = Object.values(surfacesOf({ openTerminalLogs: false, packageBytesMax: 1 })).flat();
    const closed = endpoints.filter(({ auth, stepUp }) => auth === "admin" && stepUp === true);
    assert.ok(closed.length > 15, "there are fewer than there were");
    const ids = { username: "anna", merchantId: "SHOP-1", userId: "usr_0", id: "7", terminalId: "T1", name: "ci" };
    for (const login of [HEAD, unenrolled, { username: owner.username, password: owner.password }]) {
      const client = byPassword(login);
      for (const { method, path, body, bodyExample } of closed) {
        const asked = Object.entries(ids).reduce((text, [name, id]) => text.replace(`{${name}}`, id), path);
        const answer = await client.send(asked, { method, ...(body === undefined ? {} : { body: bodyExample ?? {} }) });
        assertMatches(answer, REFUSED);
        relay.advance(1_001);
      }
      assert.equal((await client.get("/admin/administrators")).status, 200);
      assert.equal((await client.post("/admin/terminals/T1/deny")).status, 200);
      assert.equal((await client.post("/admin/terminals/T1/allow")).status, 200);
    }
    assertMatches(await owner.send("GET", "/administrators/anna"), { body: { data: { role: "owner" } } });
  });

  test("a session with a fresh second factor does all of it", async () => {
    const signedInAnew = await owner.signIn();
    assert.equal(signedInAnew.status, 200, signedInAnew.text);
    await created(await owner.send("POST", "/administrators", { username: "olga", role: "operator" }));
    assert.equal((await owner.send("GET", "/outbox")).status, 200);
    relay.advance(10 * 60_000);
    assertMatches(await owner.send("POST", "/administrators", { username: "otto", role: "operator" }), {
      status: 403,
      body: { code: "step_up_required" },
    });
    assert.equal((await owner.send("POST", "/session/step-up", { code: owner.code() })).status, 200);
  });

  test("a machine token opens what its rights name, by its name and token as Basic, and never what a password alone may not", async () => {
    const [apps, reader] = [await newToken(owner, ["apps"]), await newToken(owner, ["read"])];
    const version = { versionCode: 7, versionName: "7" };
    assert.equal((await byPassword(apps).post("/admin/app-versions", version)).status, 200);
    assertMatches(await byPassword(apps).get("/admin/terminals"), { status: 403, body: { code: "forbidden", message: /the right read/ } });
    assert.equal((await byPassword(reader).get("/admin/app-versions")).status, 200);
    assertMatches(await byPassword(reader).post("/admin/app-versions", { ...version, versionCode: 8 }), { status: 403 });
    for (const path of ["/admin/outbox", "/admin/mails", "/admin/administrators/me", "/admin/terminals/T1/credentials"]) {
      assertMatches(await byPassword(reader).get(path), { status: 403, body: { message: /No machine token is let in/ } });
    }
    const all = await newToken(owner, ["read", "payments", "terminals", "apps", "disputes", "webhooks", "operation"]);
    for (const [path, body] of [
      ["/admin/administrators", { username: "robot", role: "owner" }],
      ["/admin/machine-tokens", { name: "robot", rights: ["read"] }],
    ] as const) {
      assertMatches(await byPassword(all).post(path, body), { status: 403, body: { code: "forbidden" } });
    }
    // It signs nobody in to the pages.
    assertMatches(await new AdminPerson(relay, all).begin(), { status: 401, body: { code: "invalid_login" } });
    const paid = await byPassword(all).post("/api/v1/T1/pay", { uuid: randomUUID(), amount: 10, service: "PAYCC" });
    assert.equal(paid.status, 200, paid.text);
    assertMatches(await byPassword(reader).post("/api/v1/T1/pay", { uuid: randomUUID(), amount: 10, service: "PAYCC" }), { status: 403 });
    const [entry] = listOf(member((await owner.send("GET", "/audit?limit=500")).body, "data")).filter(
      (one) => member(one, "action") === "app-version.create",
    );
    assertMatches(entry, { actor: `machine:${apps.username}`, username: apps.username });
  });

  test("a machine token ends when it is deleted, and when its days are over", async () => {
    const [deleted, short] = [await newToken(owner, ["read"]), await newToken(owner, ["read"], { expiresInDays: 1 })];
    const look = async (login: { username: string; password: string }) => byPassword(login).get("/admin/terminals");
    for (const login of [deleted, short]) assert.equal((await look(login)).status, 200);
    assert.equal((await owner.send("DELETE", `/machine-tokens/${deleted.username.toUpperCase()}`)).status, 200);
    assertMatches(await look(deleted), { status: 401, body: { message: "Invalid credentials" } });
    assertMatches(await owner.send("DELETE", `/machine-tokens/${deleted.username}`), { status: 404 });
    const listed = listOf(member((await owner.send("GET", "/machine-tokens")).body, "data"));
    assertMatches(
      listed.find((one) => member(one, "name") === short.username),
      { rights: ["read"], expired: false, createdBy: owner.username },
    );
    assert.ok(!JSON.stringify(listed).includes(short.password));
    relay.advance(DAY_MS);
    assertMatches(await look(short), { status: 401, body: { message: /has expired/ } });
    await owner.signIn();
    assertMatches(
      listOf(member((await owner.send("GET", "/machine-tokens")).body, "data")).find((one) => member(one, "name") === short.username),
      { expired: true },
    );
  });

  test("names are one for administrators, partners and machine tokens", async () => {
    const taken = { status: 400, body: { message: /already exists/ } };
    for (const name of ["ANNA", HEAD.username])
      assertMatches(await owner.send("POST", "/machine-tokens", { name, rights: ["read"] }), taken);
    const { username } = await newToken(owner, ["read"]);
    assertMatches(await owner.send("POST", "/machine-tokens", { name: username.toUpperCase(), rights: ["read"] }), taken);
    assertMatches(await owner.send("POST", "/administrators", { username, role: "operator" }), taken);
    assertMatches(await owner.send("POST", "/machine-tokens", { name: "none", rights: [] }), { status: 400 });
    assertMatches(await owner.send("POST", "/machine-tokens", { name: "odd", rights: ["people"] }), { status: 400 });
  });

  test("a command on the machine removes the factors of the configuration's owner, which is in the audit log and mailed", async () => {
    const head = await signedIn(HEAD);
    assert.equal((await head.send("GET", "/terminals")).status, 200);
    const mails = async () => {
      const listed = listOf(member((await owner.send("GET", "/mails?limit=500")).body, "data")).filter(
        (one) => member(one, "to") === EMAIL,
      );
      return Promise.all(
        listed.map(async (one) => textMember((await owner.send("GET", `/mails/${textMember(one, "id")}`)).body, "data", "text")),
      );
    };
    assert.equal((await owner.signIn()).status, 200);
    assert.equal((await mails()).filter((text) => /authenticator app was added/.test(text)).length, 1);
    await relay.restart(async (directory) => {
      const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", "infra/cli/reset-owner-factors.ts"], {
        env: { ...process.env, ...ENVIRONMENT, RELAY_DATA_DIR: directory },
      });
      assert.match(stdout, /head-office has no second factor any more/);
      assert.match(stdout, /A mail about it goes to head@relay\.example/);
    });
    assertMatches(await head.send("GET", "/terminals"), { status: 401 });
    assertMatches(await new AdminPerson(relay, HEAD).begin(), { status: 200, body: { data: { stage: "enrol", methods: [] } } });
    assert.equal((await owner.signIn()).status, 200);
    assert.equal((await mails()).filter((text) => /A command on the machine removed all second factors/.test(text)).length, 1);
    const entries = listOf(member((await owner.send("GET", "/audit?limit=500")).body, "data"));
    assertMatches(
      entries.find((one) => member(one, "actor") === "command-line"),
      { action: "administrator.reset-factors", subject: HEAD.username, outcome: "done" },
    );
  });
});

import assert from "node:assert/strict";
import type { Answer } from "../../support/http/http-client.ts";
import { assertMatches, listOf, member, textMember } from "../../support/http/matches.ts";
import { basic } from "../../support/node/node.ts";
import type { Relay } from "../../support/node/relay.ts";
import { AdminPerson, newAdminPerson } from "../../support/people/admin-person.ts";
import { newAdministrator } from "../../support/people/new-administrator.ts";
import { newPartnerApi } from "../../support/people/new-partner-api.ts";
import { lastMailTo, PortalPerson } from "../../support/people/portal-person.ts";
import { eventually } from "../../support/within.ts";
import { test, testOnNodes } from "../layouts.ts";

const MINUTE_MS = 60_000;

function assertRefused(answer: Answer, status: number, code: string): void {
  assert.equal(answer.status, status, answer.text);
  assertMatches(answer.body, { status: "error", code, error: /./, message: /./ });
}

/** Signing in to the operators' pages over sockets: with real codes, at nodes that take turns. */
export function adminSignIn(relay: Relay): void {
  test("without a session there is none, which is no error; what needs one says so, and has no browser ask for a password", async () => {
    const nobody = new AdminPerson(relay, { username: "nobody", password: "wrong" });
    assertMatches(await nobody.send("GET", "/session"), {
      status: 200,
      body: { status: "ok", data: { stage: "none", username: null, role: null, methods: [], mode: "sandbox", passkeys: true } },
    });
    for (const path of ["/factors", "/terminals"]) {
      const answer = await nobody.send("GET", path);
      assertRefused(answer, 401, "unauthorized");
      assert.equal(answer.headers["www-authenticate"], 'Cookie realm="relay"');
    }
    assert.equal((await relay.client({}).get("/admin/terminals")).headers["www-authenticate"], 'Basic realm="relay"');
    assertRefused(await nobody.send("POST", "/session/second-factor", { code: "123456" }), 401, "unauthorized");
    assertMatches(await nobody.send("DELETE", "/session"), { status: 200, body: { data: { stage: "none" } } });
  });

  test("an administrator enrols an authenticator app before anything else, and signs in with it from then on", async () => {
    const person = new AdminPerson(relay, await newAdministrator(relay, "operator"));
    const begun = await person.begin();
    assertMatches(begun, { status: 200, body: { data: { stage: "enrol", methods: [], username: person.username, role: "operator" } } });
    for (const path of ["/terminals", "/factors"]) assertRefused(await person.send("GET", path), 401, "unauthorized");
    await person.enrol();
    assert.equal(person.recoveryCodes.length, 10);
    assertMatches(await person.send("GET", "/session"), {
      status: 200,
      body: { data: { stage: "full", methods: ["totp", "recovery"], username: person.username, role: "operator", steppedUpUntil: /Z$/ } },
    });
    assertMatches(await person.send("GET", "/terminals"), { status: 200 });
    const signedIn = await person.signIn();
    assertMatches(signedIn, { status: 200, body: { data: { stage: "full" } } });
    const cookie = signedIn.headers["set-cookie"]?.join() ?? "";
    assert.match(cookie, /^relay_admin=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/);
    assertMatches(await person.send("GET", "/factors"), { body: { data: { totp: true, recoveryCodesLeft: 10, passkeys: [] } } });
    assertMatches(await person.send("DELETE", "/session"), { status: 200, body: { data: { stage: "none" } } });
    assertRefused(await relay.client({ cookie: cookie.split(";")[0] ?? "" }).get("/admin/terminals"), 401, "unauthorized");
  });

  test("the token changes with the second factor, and the one before it opens nothing", async () => {
    const person = await newAdminPerson(relay, "operator");
    assertMatches(await person.begin(), { status: 200, body: { data: { stage: "factor", methods: ["totp", "recovery"] } } });
    const before = person.cookie;
    for (const path of ["/terminals", "/factors"]) assertRefused(await person.send("GET", path), 401, "unauthorized");
    assertRefused(await person.send("POST", "/factors/totp"), 403, "step_up_required");
    const complete = await person.send("POST", "/session/second-factor", { code: person.code() });
    assert.equal(complete.status, 200, complete.text);
    assert.notEqual(person.cookie, before);
    assertMatches(await relay.client({ cookie: before }).get("/admin/session"), { status: 200, body: { data: { stage: "none" } } });
  });

  test("a wrong password, and a name that is nobody's, are answered alike", async () => {
    const { username, password } = await newAdministrator(relay, "read-only");
    const begin = (name: string, typed: string) => new AdminPerson(relay, { username: name, password: typed }).begin();
    const answers = [await begin(username, "wrong"), await begin(`x${username}`, "wrong"), await begin(username.toUpperCase(), password)];
    // In a login the name would end at the colon.
    answers.push(await begin("admin:admin", "x"), await begin("admin:", "admin"), await begin(relay.terminalId(), "wrong"));
    for (const answer of answers) {
      assertRefused(answer, 401, "invalid_login");
      assert.equal(answer.text, answers[0]?.text);
      assert.equal(answer.headers["set-cookie"], undefined);
    }
  });

  test("a used code is refused, and a recovery code works once", async () => {
    const person = await newAdminPerson(relay, "operator");
    const code = person.code();
    const other = new AdminPerson(relay, person);
    const begin = async () => assert.equal((await other.begin()).status, 200);
    const show = (factor: object) => other.send("POST", "/session/second-factor", factor);
    await begin();
    assert.equal((await show({ code })).status, 200);
    await begin();
    assertRefused(await show({ code }), 401, "invalid_code");
    const [recoveryCode = ""] = person.recoveryCodes;
    assert.equal((await show({ recoveryCode })).status, 200);
    assertMatches(await other.send("GET", "/factors"), { status: 200, body: { data: { recoveryCodesLeft: 9 } } });
    await begin();
    assertRefused(await show({ recoveryCode: recoveryCode.toUpperCase() }), 401, "invalid_code");
    assertRefused(await show({}), 400, "invalid_request");
    assertRefused(await show({ code, recoveryCode }), 400, "invalid_request");
  });

  testOnNodes("guessed codes end the sign-in, and are held back for all of an administrator's sign-ins at that address", async () => {
    const person = await newAdminPerson(relay, "operator");
    const guesser = new AdminPerson(relay, person);
    assert.equal((await guesser.begin()).status, 200);
    const statuses: number[] = [];
    for (let index = 0; index < 5; index += 1) {
      statuses.push((await guesser.send("POST", "/session/second-factor", { code: `00000${index}` })).status);
    }
    assert.deepEqual(statuses, [401, 401, 401, 401, 401]);
    assertRefused(await guesser.send("POST", "/session/second-factor", { code: "000009" }), 401, "unauthorized");
    assert.equal((await guesser.begin()).status, 200);
    assertRefused(await guesser.send("POST", "/session/second-factor", { code: person.code() }), 429, "rate_limited");
    // Where it signed in before, it does still.
    await eventually(async () => assert.equal((await person.signIn()).status, 200));
  });

  testOnNodes("guessed passwords count with those of logins, and the other way round", async () => {
    const { username, password } = await newAdministrator(relay, "operator", "a long sentence of words");
    const stranger = new AdminPerson(relay, { username, password });
    const logIn = (typed: string) => stranger.send("GET", "/terminals", undefined, { authorization: basic(username, typed) });
    for (let index = 0; index < 5; index += 1) assertRefused(await stranger.begin(`guess ${index}`), 401, "invalid_login");
    for (let index = 5; index < 10; index += 1) assertRefused(await logIn(`guess ${index}`), 401, "unauthorized");
    for (const held of [await stranger.begin(), await logIn(password)]) {
      assertRefused(held, 429, "rate_limited");
      assert.ok(Number(held.headers["retry-after"]) > 1, held.text);
    }
    // No guess: it was compared before. Each shard remembers what it compared itself, and the kernel picks the shard.
    if (relay.shards === 1) assertRefused(await stranger.begin("guess 7"), 401, "invalid_login");
  });

  test("what only owners do, and a mail, need a fresh second factor after ten minutes; a login needs none", async () => {
    const person = await newAdminPerson(relay, "owner");
    relay.advance(10 * MINUTE_MS);
    const created = { username: `made-${relay.uuid()}`, role: "read-only" };
    for (const [method, path, body] of [
      ["POST", "/administrators", created],
      ["GET", "/mails/nobodys", undefined],
      ["DELETE", `/administrators/${person.username}/factors`, undefined],
      ["POST", "/factors/recovery-codes", undefined],
    ] as const) {
      assertRefused(await person.send(method, path, body), 403, "step_up_required");
    }
    assert.equal((await person.send("GET", "/administrators")).status, 200);
    assert.equal((await relay.administrator().get("/admin/mails/nobodys")).status, 404);
    assertRefused(await person.send("POST", "/session/step-up", { code: "000000" }), 401, "invalid_code");
    assertMatches(await person.send("POST", "/session/step-up", { code: person.code() }), {
      status: 200,
      body: { data: { stage: "full" } },
    });
    assert.equal((await person.send("POST", "/administrators", created)).status, 201);
    assert.equal((await person.send("POST", "/factors/recovery-codes")).status, 200);
    // The audit log names who it was.
    const entries = listOf(member((await relay.administrator().get("/admin/audit?limit=50")).body, "data"));
    const entry = entries.find((one) => member(one, "action") === "administrator.create" && member(one, "subject") === created.username);
    assertMatches(entry, { username: person.username, role: "owner", actor: "administrator" });
  });

  test("by cookie nothing changes but from the relay's own page, and nothing is opened to pages of others", async () => {
    const person = await newAdminPerson(relay, "owner");
    const terminalId = relay.terminalId();
    const deny = (headers: { [name: string]: string }) =>
      relay.client({ cookie: person.cookie, ...headers }).post(`/admin/terminals/${terminalId}/deny`);
    for (const headers of [
      {},
      { "x-relay-portal": "1" },
      { "sec-fetch-site": "same-origin" },
      { "sec-fetch-site": "same-site", "x-relay-portal": "1" },
      { "sec-fetch-site": "cross-site", "x-relay-portal": "1" },
      { origin: "https://evil.example", "x-relay-portal": "1" },
      { authorization: "Bearer anything", "x-relay-portal": "1" },
    ]) {
      assertRefused(await deny(headers), 403, "csrf");
    }
    const read = await relay.client({ cookie: person.cookie, origin: "https://evil.example" }).get("/admin/terminals");
    assert.equal(read.headers["access-control-allow-origin"], undefined);
    assert.equal((await deny({ "sec-fetch-site": "same-origin", "x-relay-portal": "1" })).status, 200);
  });

  test("each cookie opens its own: the portal's none of administration, an administrator's none of a merchant", async () => {
    const administrator = await newAdminPerson(relay, "owner");
    const partner = await newPartnerApi(relay);
    const merchantId = `shop-${relay.uuid()}`;
    assert.equal((await partner.call("POST", "/merchants", { merchantId })).status, 201);
    const email = `anna.${relay.uuid()}@example.com`;
    assert.equal((await partner.call("POST", `/merchants/${merchantId}/portal-users`, { email })).status, 201);
    const owner = new PortalPerson(relay, email);
    assert.equal((await owner.accept((await lastMailTo(relay, email)).token)).status, 200);
    await owner.enrol();
    const page = { "sec-fetch-site": "same-origin", "x-relay-portal": "1" };
    for (const [cookie, path] of [
      [owner.cookie, "/admin/terminals"],
      [`relay_admin=${owner.token}`, "/admin/terminals"],
      [administrator.cookie, "/api/merchant/me"],
      [`relay_portal=${administrator.token}`, "/api/merchant/me"],
    ] as const) {
      assertRefused(await relay.client({ cookie, ...page }).get(path), 401, "unauthorized");
    }
    const both = relay.client({ cookie: `${owner.cookie}; ${administrator.cookie}`, ...page });
    assertMatches(await both.get("/api/merchant/me"), { status: 200, body: { data: { email } } });
    assertMatches(await both.get("/admin/administrators/me"), { status: 200, body: { data: { username: administrator.username } } });
  });

  test("a session ends when its administrator is disabled, removed, or has another role or password", async () => {
    const ends: readonly [string, (username: string) => Promise<Answer>][] = [
      ["disabled", (name) => relay.administrator().send(`/admin/administrators/${name}`, { method: "PATCH", body: { enabled: false } })],
      [
        "another role",
        (name) => relay.administrator().send(`/admin/administrators/${name}`, { method: "PATCH", body: { role: "read-only" } }),
      ],
      ["another password", (name) => relay.administrator().post(`/admin/administrators/${name}/reset-password`, {})],
      ["removed", (name) => relay.administrator().send(`/admin/administrators/${name}`, { method: "DELETE" })],
      ["factors taken", (name) => relay.administrator().send(`/admin/administrators/${name}/factors`, { method: "DELETE" })],
    ];
    for (const [what, end] of ends) {
      const person = await newAdminPerson(relay, "operator");
      assert.equal((await person.send("GET", "/terminals")).status, 200);
      const done = await end(person.username);
      assert.equal(done.status, 200, `${what}: ${done.text}`);
      assertRefused(await person.send("GET", "/terminals"), 401, "unauthorized");
      assertMatches(await person.send("GET", "/session"), { status: 200, body: { data: { stage: "none" } } });
    }
  });

  test("who is created again under a removed one's name begins without factors", async () => {
    const person = await newAdminPerson(relay, "operator");
    const { username } = person;
    assert.equal((await relay.administrator().send(`/admin/administrators/${username}`, { method: "DELETE" })).status, 200);
    const made = await relay.administrator().post("/admin/administrators", { username, role: "owner" });
    const password = textMember(made.body, "generatedPassword");
    assertRefused(await person.send("GET", "/terminals"), 401, "unauthorized");
    assertMatches(await new AdminPerson(relay, { username, password }).begin(), {
      status: 200,
      body: { data: { stage: "enrol", role: "owner" } },
    });
  });

  test("an administrator whose factors an owner took enrols new ones", async () => {
    const person = await newAdminPerson(relay, "operator");
    const operator = await newAdministrator(relay, "operator");
    const path = `/admin/administrators/${person.username}/factors`;
    assertRefused(await operator.client.send(path, { method: "DELETE" }), 403, "forbidden");
    assertMatches(await relay.administrator().send(path, { method: "DELETE" }), { status: 200 });
    assertRefused(await relay.administrator().send("/admin/administrators/nobody-at-all/factors", { method: "DELETE" }), 404, "not_found");
    assertMatches(await person.begin(), { status: 200, body: { data: { stage: "enrol", methods: [] } } });
    await person.enrol();
    assert.equal((await person.send("GET", "/terminals")).status, 200);
  });

  test("a session that nobody uses ends after half an hour", async () => {
    const person = await newAdminPerson(relay, "read-only");
    relay.advance(29 * MINUTE_MS);
    assert.equal((await person.send("GET", "/terminals")).status, 200);
    relay.advance(31 * MINUTE_MS);
    assertRefused(await person.send("GET", "/terminals"), 401, "unauthorized");
  });

  test("the owner of the configuration signs in too", async () => {
    const person = new AdminPerson(relay, { username: "admin", password: "admin" });
    const begun = await person.begin();
    assertMatches(begun, { status: 200, body: { data: { username: person.username, role: "owner" } } });
    assertMatches(await relay.administrator().send(`/admin/administrators/${person.username}/factors`, { method: "DELETE" }), {
      status: 200,
    });
    assertMatches(await person.begin(), { status: 200, body: { data: { stage: "enrol" } } });
    await person.enrol();
    assertMatches(await person.send("GET", "/administrators/me"), { status: 200, body: { data: { fromConfiguration: true } } });
    assertMatches(await relay.administrator().send(`/admin/administrators/${person.username}/factors`, { method: "DELETE" }), {
      status: 200,
    });
  });
}

import assert from "node:assert/strict";
import type { Answer } from "../../support/http/http-client.ts";
import { assertMatches, listOf, member, textMember } from "../../support/http/matches.ts";
import type { Relay } from "../../support/node/relay.ts";
import { newPartnerApi } from "../../support/people/new-partner-api.ts";
import { lastMailTo, mailsTo, PORTAL_API, PORTAL_PASSWORD, PortalPerson } from "../../support/people/portal-person.ts";
import { eventually } from "../../support/within.ts";
import { test } from "../layouts.ts";

const MINUTE_MS = 60_000;

function assertRefused(answer: Answer, status: number, code: string): void {
  assert.equal(answer.status, status, answer.text);
  assertMatches(answer.body, { status: "error", code, error: /./, message: /./ });
}

const tokenIn = (answer: Answer) => /relay_portal=([^;]*)/.exec(answer.headers["set-cookie"]?.join() ?? "")?.[1] ?? "";

/** Signing in over sockets: with real codes, at nodes that take turns. */
export function portalSignIn(relay: Relay): void {
  /** A shop with an owner who has signed in, and the same person with another browser. */
  async function owner() {
    const partner = await newPartnerApi(relay);
    const merchantId = `shop-${relay.uuid()}`;
    assert.equal((await partner.call("POST", "/merchants", { merchantId, merchantName: "Bar Centrale" })).status, 201);
    const email = `anna.${relay.uuid()}@example.com`;
    const invited = await partner.call("POST", `/merchants/${merchantId}/portal-users`, { email });
    assert.equal(invited.status, 201, invited.text);
    const person = new PortalPerson(relay, email);
    const accepted = await person.accept((await lastMailTo(relay, email)).token);
    assert.equal(accepted.status, 200, accepted.text);
    return { partner, merchantId, email, person, accepted };
  }

  async function enrolled() {
    const made = await owner();
    await made.person.enrol();
    return made;
  }

  test("without a session there is none, which is no error; what needs one says so", async () => {
    const nobody = new PortalPerson(relay, "nobody@example.com");
    assertMatches(await nobody.send("GET", "/session"), {
      status: 200,
      body: {
        status: "ok",
        data: { stage: "none", email: null, merchants: [], mode: "sandbox", timeZone: "Europe/Rome", passkeys: true },
      },
    });
    for (const path of ["/me", "/sessions"]) assertRefused(await nobody.send("GET", path), 401, "unauthorized");
    assertRefused(await nobody.send("POST", "/session/second-factor", { code: "123456" }), 401, "unauthorized");
    assertMatches(await nobody.send("DELETE", "/session"), { status: 200, body: { data: { stage: "none" } } });
  });

  test("a new person enrols an authenticator app before anything else, and signs in with it from then on", async () => {
    const { person, accepted, merchantId, email } = await owner();
    assertMatches(accepted.body, { data: { stage: "enrol", methods: [], email, merchant: null } });
    for (const path of ["/me", "/sessions"]) assertRefused(await person.send("GET", path), 401, "unauthorized");
    await person.enrol();
    assert.equal(person.recoveryCodes.length, 10);
    assertMatches(await person.send("GET", "/session"), {
      status: 200,
      body: {
        data: {
          ...{ stage: "full", methods: ["totp", "recovery"], email, steppedUpUntil: /Z$/ },
          merchant: { merchantId, merchantName: "Bar Centrale", environment: "TEST", role: "OWNER" },
        },
      },
    });
    const signedIn = await person.signIn();
    assertMatches(signedIn, { status: 200, body: { data: { stage: "full" } } });
    const cookie = signedIn.headers["set-cookie"]?.join() ?? "";
    assert.match(cookie, /^relay_portal=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/);
    assertMatches(await person.send("GET", "/me"), {
      status: 200,
      body: { data: { email, totp: true, recoveryCodesLeft: 10, passkeys: [] } },
    });
  });

  test("the token changes with the second factor, and the one before it opens nothing", async () => {
    const { person, email } = await enrolled();
    const begun = await person.send("POST", "/session", { email, password: PORTAL_PASSWORD });
    assertMatches(begun, { status: 200, body: { data: { stage: "factor", merchant: null, merchants: [] } } });
    assertRefused(await person.send("GET", "/me"), 401, "unauthorized");
    assertRefused(await person.send("POST", "/me/totp"), 403, "step_up_required");
    const complete = await person.send("POST", "/session/second-factor", { code: person.code() });
    assert.equal(complete.status, 200, complete.text);
    assert.notEqual(tokenIn(complete), tokenIn(begun));
    const headers = { cookie: `relay_portal=${tokenIn(begun)}`, "sec-fetch-site": "same-origin" };
    assertMatches(await relay.client(headers).get(`${PORTAL_API}/session`), { status: 200, body: { data: { stage: "none" } } });
    assertMatches(await person.send("GET", "/session"), { status: 200, body: { data: { stage: "full" } } });
  });

  test("a wrong password, and an address that is nobody's, are answered alike", async () => {
    const { email } = await enrolled();
    const wrong = await new PortalPerson(relay, email).send("POST", "/session", { email, password: "wrong" });
    const unknown = await new PortalPerson(relay, email).send("POST", "/session", { email: `x${email}`, password: "wrong" });
    for (const answer of [wrong, unknown]) assertRefused(answer, 401, "invalid_login");
    assert.equal(wrong.text, unknown.text);
    assert.equal(wrong.headers["set-cookie"], undefined);
  });

  test("a used code is refused, and a recovery code works once", async () => {
    const { person, email } = await enrolled();
    const code = person.code();
    const other = new PortalPerson(relay, email);
    const begin = async () => assert.equal((await other.send("POST", "/session", { email, password: PORTAL_PASSWORD })).status, 200);
    await begin();
    assert.equal((await other.send("POST", "/session/second-factor", { code })).status, 200);
    await begin();
    assertRefused(await other.send("POST", "/session/second-factor", { code }), 401, "invalid_code");
    const [recoveryCode = ""] = person.recoveryCodes;
    assert.equal((await other.send("POST", "/session/second-factor", { recoveryCode })).status, 200);
    assertMatches(await other.send("GET", "/me"), { status: 200, body: { data: { recoveryCodesLeft: 9 } } });
    await begin();
    assertRefused(await other.send("POST", "/session/second-factor", { recoveryCode: recoveryCode.toUpperCase() }), 401, "invalid_code");
    assertRefused(await other.send("POST", "/session/second-factor", {}), 400, "invalid_request");
    assertRefused(await other.send("POST", "/session/second-factor", { code, recoveryCode }), 400, "invalid_request");
  });

  test("strangers who guess hold back each other, and not the person where it signed in before", async () => {
    const { person, email } = await enrolled();
    // Where it signed in is stored behind the answer.
    assert.equal((await person.signIn()).status, 200);
    const guess = (password: string) => new PortalPerson(relay, email).send("POST", "/session", { email, password });
    for (let index = 0; index < 5; index += 1) assertRefused(await guess(`guess ${index}`), 401, "invalid_login");
    const held = await guess(PORTAL_PASSWORD);
    assertRefused(held, 429, "rate_limited");
    assert.ok(Number(held.headers["retry-after"]) > 800, held.headers["retry-after"]);
    await eventually(async () => assert.equal((await person.signIn()).status, 200));
    // Over nodes Redis counts, by its own clock.
    if (relay.clustered) return;
    relay.advance(15 * MINUTE_MS);
    assert.equal((await guess(PORTAL_PASSWORD)).status, 200);
  });

  test("what needs a fresh second factor asks for one after ten minutes", async () => {
    const { person } = await enrolled();
    relay.advance(10 * MINUTE_MS);
    for (const [method, path, body] of [
      ["POST", "/me/recovery-codes", undefined],
      ["POST", "/me/password", { password: PORTAL_PASSWORD, newPassword: "quite another passphrase" }],
      ["POST", "/me/totp", undefined],
      ["DELETE", "/me/totp", undefined],
      ["POST", "/me/passkeys/options", undefined],
    ] as const) {
      assertRefused(await person.send(method, path, body), 403, "step_up_required");
    }
    assertRefused(await person.send("POST", "/session/step-up", { code: "000000" }), 401, "invalid_code");
    assertMatches(await person.send("POST", "/session/step-up", { code: person.code() }), {
      status: 200,
      body: { data: { steppedUpUntil: /Z$/ } },
    });
    const codes = await person.send("POST", "/me/recovery-codes");
    assert.equal(codes.headers["cache-control"], "no-store");
    assert.equal(listOf(member(codes.body, "data", "recoveryCodes")).length, 10);
    assertRefused(await person.send("DELETE", "/me/totp"), 409, "last_factor");
    assert.equal((await person.send("POST", "/me/passkeys/options")).status, 200);
  });

  test("a changed password ends the other sessions, and the person is told by mail", async () => {
    const { person, email } = await enrolled();
    const laptop = new PortalPerson(relay, email);
    await laptop.send("POST", "/session", { email, password: PORTAL_PASSWORD });
    assert.equal((await laptop.send("POST", "/session/second-factor", { code: person.code() })).status, 200);
    assert.equal(listOf(member((await person.send("GET", "/sessions")).body, "data", "items")).length, 2);
    const change = (password: string, newPassword: string) => person.send("POST", "/me/password", { password, newPassword });
    assertRefused(await change(PORTAL_PASSWORD, "Password12345"), 400, "password_too_common");
    assertRefused(await change(PORTAL_PASSWORD, "too short"), 400, "invalid_request");
    assertRefused(await change("wrong", "quite another passphrase"), 403, "invalid_login");
    assert.equal((await change(PORTAL_PASSWORD, "quite another passphrase")).status, 200);
    assertRefused(await laptop.send("GET", "/me"), 401, "unauthorized");
    assert.equal((await person.send("GET", "/me")).status, 200);
    assert.equal((await person.signIn("quite another passphrase")).status, 200);
    const notices = (await mailsTo(relay, email)).filter(({ kind }) => kind === "security-notice");
    assert.deepEqual(
      notices.map(({ text }) => text.includes(PORTAL_PASSWORD)),
      [false, false],
    );
  });

  test("sessions are listed and ended, one and all others", async () => {
    const { person, email } = await enrolled();
    const [one, two] = [new PortalPerson(relay, email), new PortalPerson(relay, email)];
    for (const other of [one, two]) {
      await other.send("POST", "/session", { email, password: PORTAL_PASSWORD });
      assert.equal((await other.send("POST", "/session/second-factor", { code: person.code() })).status, 200);
    }
    const items = async () => listOf(member((await person.send("GET", "/sessions")).body, "data", "items"));
    const listed = await items();
    assert.deepEqual(
      listed.map((item) => member(item, "current")),
      [false, false, true],
    );
    assertMatches(listed[0], { sessionId: /^ses_/, userAgent: "a browser", ipAddress: /^127\./, createdAt: /Z$/, lastUsedAt: /Z$/ });
    assertMatches(await person.send("DELETE", `/sessions/${textMember(listed[0], "sessionId")}`), {
      status: 200,
      body: { data: { ended: 1 } },
    });
    assertRefused(await person.send("DELETE", `/sessions/${textMember(listed[0], "sessionId")}`), 404, "not_found");
    assertRefused(await two.send("GET", "/me"), 401, "unauthorized");
    assertMatches(await person.send("DELETE", "/sessions"), { status: 200, body: { data: { ended: 1 } } });
    assertRefused(await one.send("GET", "/me"), 401, "unauthorized");
    assert.equal((await items()).length, 1);
    assertMatches(await person.send("DELETE", "/session"), { status: 200, body: { data: { stage: "none" } } });
    assertRefused(await person.send("GET", "/me"), 401, "unauthorized");
  });

  test("a session ends when it is idle for half an hour, and with its merchant", async () => {
    const { person, partner, merchantId } = await enrolled();
    relay.advance(29 * MINUTE_MS);
    assert.equal((await person.send("GET", "/me")).status, 200);
    await eventually(async () => {
      const { body } = await person.send("GET", "/sessions");
      const [own] = listOf(member(body, "data", "items"));
      assert.ok(relay.nowMs() - Date.parse(textMember(own, "lastUsedAt")) < MINUTE_MS);
    });
    relay.advance(29 * MINUTE_MS);
    assert.equal((await person.send("GET", "/me")).status, 200);
    assert.equal((await partner.call("DELETE", `/merchants/${merchantId}`)).status, 200);
    assertRefused(await person.send("GET", "/me"), 401, "unauthorized");
    assertRefused(await person.signIn(), 403, "forbidden");
  });

  test("a person of two merchants goes from one to the other, and to no third", async () => {
    const { person, partner, merchantId, email } = await enrolled();
    const second = `shop-${relay.uuid()}`;
    const third = `shop-${relay.uuid()}`;
    for (const id of [second, third]) assert.equal((await partner.call("POST", "/merchants", { merchantId: id })).status, 201);
    assert.equal((await partner.call("POST", `/merchants/${second}/portal-users`, { email, role: "VIEWER" })).status, 201);
    const joined = await new PortalPerson(relay, email).accept((await lastMailTo(relay, email)).token);
    assertMatches(joined, { status: 200, body: { data: { stage: "factor" } } });
    assertMatches(await person.send("POST", "/session/merchant", { merchantId: second }), {
      status: 200,
      body: { data: { merchant: { merchantId: second, role: "VIEWER" }, merchants: [{ merchantId }, { merchantId: second }] } },
    });
    assertRefused(await person.send("POST", "/session/merchant", { merchantId: third }), 404, "not_found");
    assertMatches(await person.send("GET", "/session"), { status: 200, body: { data: { merchant: { merchantId: second } } } });
  });

  test("language, theme and saved views are the person's own", async () => {
    const { person } = await enrolled();
    const savedViews = [{ list: "transactions", name: "Declined", query: "status=KO" }];
    const changed = await person.send("PATCH", "/me", { locale: "en", theme: "dark", savedViews });
    assertMatches(changed, { status: 200, body: { data: { locale: "en", theme: "dark", savedViews } } });
    assertMatches(await person.send("GET", "/session"), { status: 200, body: { data: { locale: "en", theme: "dark" } } });
    const many = Array.from({ length: 21 }, (_, index) => ({ list: "terminals", name: `${index}`, query: "" }));
    assertRefused(await person.send("PATCH", "/me", { savedViews: many }), 400, "invalid_request");
    // What else an account has is changed by nobody so: it would be a way around the second factor.
    const before = (await person.send("GET", "/me")).body;
    for (const more of [
      { email: "someone.else@example.com" },
      { totp: null },
      { passwordHash: "x" },
      { recoveryCodes: [] },
      { merchantIds: [] },
    ]) {
      assertRefused(await person.send("PATCH", "/me", { locale: "it", ...more }), 400, "invalid_request");
    }
    assert.deepEqual((await person.send("GET", "/me")).body, before);
  });

  test("sign-ins, refused ones too, and changes of factors are in the audit log of the merchant", async () => {
    const { person, email } = await enrolled();
    await new PortalPerson(relay, email).send("POST", "/session", { email, password: "wrong" });
    await person.signIn();
    await eventually(async () => {
      const { body } = await person.send("GET", "/audit?limit=3");
      const entries = listOf(member(body, "data", "items")).map((item) => `${textMember(item, "action")} ${textMember(item, "outcome")}`);
      assert.deepEqual(entries, ["session.begin done", "session.begin refused", "account.add-totp done"]);
      assert.ok(!JSON.stringify(body).includes("wrong"));
    });
  });
}

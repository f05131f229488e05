import assert from "node:assert/strict";
import type { Answer } from "../../support/http/http-client.ts";
import { assertMatches, listOf, member, textMember } from "../../support/http/matches.ts";
import type { Relay } from "../../support/node/relay.ts";
import { type NewPartnerApi, newPartnerApi } from "../../support/people/new-partner-api.ts";
import { lastMailTo, mailsTo, PORTAL_API, PORTAL_PASSWORD, PortalPerson } from "../../support/people/portal-person.ts";
import { eventually } from "../../support/within.ts";
import { test } from "../layouts.ts";

const HOUR_MS = 3_600_000;
const NEW_PASSWORD = "quite another passphrase";

function assertRefused(answer: Answer, status: number, code: string): void {
  assert.equal(answer.status, status, answer.text);
  assertMatches(answer.body, { status: "error", code, error: /./, message: /./ });
}

export function portalUsers(relay: Relay): void {
  const address = (name: string) => `${name}.${relay.uuid()}@example.com`;

  async function newShop(): Promise<{ merchantId: string; partner: NewPartnerApi }> {
    const partner = await newPartnerApi(relay);
    const merchantId = `shop-${relay.uuid()}`;
    const made = await partner.call("POST", "/merchants", { merchantId, merchantName: "Bar Centrale" });
    assert.equal(made.status, 201, made.text);
    return { merchantId, partner };
  }

  /** Accepts the last invitation to the address, and enrols an authenticator app. */
  async function joined(email: string): Promise<PortalPerson> {
    const person = new PortalPerson(relay, email);
    const accepted = await person.accept((await lastMailTo(relay, email)).token);
    assert.equal(accepted.status, 200, accepted.text);
    await person.enrol();
    return person;
  }

  /** A shop with its first owner, signed in. */
  async function shopWithOwner() {
    const shop = await newShop();
    const email = address("anna");
    const invited = await shop.partner.call("POST", `/merchants/${shop.merchantId}/portal-users`, { email, locale: "en" });
    assert.equal(invited.status, 201, invited.text);
    const owner = await joined(email);
    return { ...shop, owner, userId: textMember(invited.body, "user", "userId") };
  }

  const usersOf = async (person: PortalPerson) => {
    const answer = await person.send("GET", "/users");
    assert.equal(answer.status, 200, answer.text);
    return listOf(member(answer.body, "data", "items"));
  };

  const idOf = async (person: PortalPerson, email: string): Promise<string> => {
    const found = (await usersOf(person)).find((user) => member(user, "email") === email);
    return textMember(found, "userId");
  };

  test("a partner invites the first owner, who accepts by the link of the mail, enrols a second factor, and invites others", async () => {
    const { merchantId, partner } = await newShop();
    const [anna, bruno] = [address("anna"), address("bruno")];
    const path = `/merchants/${merchantId}/portal-users`;
    const invited = await partner.call("POST", path, { email: anna.toUpperCase() }, { "idempotency-key": relay.uuid() });
    assertMatches(invited, {
      status: 201,
      body: { success: true, user: { email: anna, role: "OWNER", state: "INVITED", secondFactor: false, joinedAt: null } },
    });
    assertMatches(await partner.call("POST", path, { email: anna }), { status: 409, body: { success: false, code: "user_exists" } });
    const mail = await lastMailTo(relay, anna);
    assertMatches(mail, { kind: "invitation", subject: "Invito al portale di Bar Centrale", token: /^[\w-]{43}$/ });

    const person = new PortalPerson(relay, anna);
    assertMatches(await person.send("GET", `/invitations/${mail.token}`), {
      status: 200,
      body: { status: "ok", data: { email: anna, merchantName: "Bar Centrale", role: "OWNER", hasAccount: false, locale: "it" } },
    });
    assertRefused(await person.accept(mail.token, "Password1234!"), 400, "password_too_common");
    assertRefused(await person.accept(mail.token, "short"), 400, "invalid_request");
    const accepted = await person.accept(mail.token);
    assertMatches(accepted, { status: 200, body: { data: { stage: "enrol", methods: [], email: anna, merchant: null } } });
    // Before the second factor there is nothing else.
    assert.equal((await person.send("GET", "/users")).status, 401);
    await person.enrol();
    assertMatches(await person.send("GET", "/session"), { body: { data: { stage: "full", merchant: { merchantId, role: "OWNER" } } } });
    for (const again of [await person.send("GET", `/invitations/${mail.token}`), await person.accept(mail.token)]) {
      assertRefused(again, 410, "used_or_expired");
    }

    assertMatches(await person.send("POST", "/users", { email: bruno, role: "VIEWER", locale: "en" }), {
      status: 201,
      body: { data: { email: bruno, role: "VIEWER", state: "INVITED", you: false } },
    });
    const viewer = await joined(bruno);
    assertMatches(await usersOf(person), [
      { email: anna, you: true, role: "OWNER", state: "ACTIVE", secondFactor: true, invitationExpiresAt: null },
      { email: bruno, you: false, role: "VIEWER", state: "ACTIVE", secondFactor: true },
    ]);
    // Who does not see personal data does not see the others' addresses.
    assertMatches(await usersOf(viewer), [{ email: /^a\*\*\*@example\.com$/ }, { email: bruno, you: true }]);
    assertMatches(await partner.call("GET", path), { status: 200, body: { users: [{ email: anna }, { email: bruno }], max: 5 } });
  });

  test("the sixth user is refused, and the last owner cannot leave, nor be demoted, disabled or removed by anyone", async () => {
    const { merchantId, partner, owner, userId } = await shopWithOwner();
    for (let count = 2; count <= 5; count += 1) {
      const answer = await owner.send("POST", "/users", { email: address(`user${count}`), role: "ADMIN" });
      assert.equal(answer.status, 201, answer.text);
    }
    assertRefused(await owner.send("POST", "/users", { email: address("sixth"), role: "ADMIN" }), 409, "users_full");
    const sixth = await partner.call("POST", `/merchants/${merchantId}/portal-users`, { email: address("sixth"), role: "VIEWER" });
    assertMatches(sixth, { status: 409, body: { success: false, code: "users_full" } });
    const owners = await partner.call("POST", `/merchants/${merchantId}/portal-users`, { email: address("sixth"), role: "OWNER" });
    assertMatches(owners, { status: 409, body: { success: false, code: "owner_active" } });
    assertRefused(await owner.send("DELETE", `/users/${userId}`), 409, "last_owner");
    assertRefused(await owner.send("PATCH", `/users/${userId}`, { role: "ADMIN" }), 409, "last_owner");
    assertRefused(await owner.send("PATCH", `/users/${userId}`, { state: "DISABLED" }), 409, "last_owner");
    const removed = await relay.administrator().send(`/admin/api/merchants/${merchantId}/portal-users/${userId}`, { method: "DELETE" });
    assert.equal(removed.status, 409, removed.text);
    assert.equal((await usersOf(owner)).length, 5);
  });

  test("two owners who demote each other at once leave one", async () => {
    const { owner, userId } = await shopWithOwner();
    const email = address("bruno");
    await owner.send("POST", "/users", { email, role: "OWNER" });
    const other = await joined(email);
    const otherId = await idOf(other, email);
    const answers = await Promise.all([
      owner.send("PATCH", `/users/${otherId}`, { role: "ADMIN" }),
      other.send("PATCH", `/users/${userId}`, { role: "ADMIN" }),
    ]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 403], answers.map(({ text }) => text).join("\n"));
    const users = await usersOf(owner);
    assert.equal(users.filter((user) => member(user, "role") === "OWNER").length, 1);
  });

  test("who may not administer users or owners is refused with its role, whoever it asks for", async () => {
    const { owner, userId } = await shopWithOwner();
    const people: { [role: string]: PortalPerson } = {};
    for (const role of ["ADMIN", "FINANCE", "DEVELOPER", "VIEWER"]) {
      const email = address(role.toLowerCase());
      assert.equal((await owner.send("POST", "/users", { email, role })).status, 201);
      people[role] = await joined(email);
    }
    const { ADMIN, ...others } = people;
    assert.ok(ADMIN !== undefined);
    const adminId = await idOf(owner, ADMIN.email);
    for (const [role, person] of Object.entries(others)) {
      const own = await idOf(owner, person.email);
      for (const answer of [
        await person.send("POST", "/users", { email: address("new"), role: "VIEWER" }),
        await person.send("PATCH", `/users/${own}`, { role: "ADMIN" }),
        await person.send("PATCH", `/users/${adminId}`, { state: "DISABLED" }),
        await person.send("DELETE", `/users/${adminId}`),
        await person.send("POST", `/users/${own}/resend`),
      ]) {
        assertRefused(answer, 403, "role");
        assert.ok(!answer.text.includes(ADMIN.email), role);
      }
    }
    for (const answer of [
      await ADMIN.send("POST", "/users", { email: address("new"), role: "OWNER" }),
      await ADMIN.send("PATCH", `/users/${userId}`, { role: "VIEWER" }),
      await ADMIN.send("PATCH", `/users/${adminId}`, { role: "OWNER" }),
      await ADMIN.send("DELETE", `/users/${userId}`),
    ]) {
      assertRefused(answer, 403, "role");
    }
    // A user that is another merchant's is not there.
    const elsewhere = await shopWithOwner();
    for (const answer of [
      await owner.send("PATCH", `/users/${elsewhere.userId}`, { role: "VIEWER" }),
      await owner.send("DELETE", `/users/${elsewhere.userId}`),
      await owner.send("POST", `/users/${elsewhere.userId}/resend`),
    ]) {
      assertRefused(answer, 404, "not_found");
    }
    // Anyone else may leave.
    const { VIEWER } = others;
    assert.ok(VIEWER !== undefined);
    assert.equal((await VIEWER.send("DELETE", `/users/${await idOf(owner, VIEWER.email)}`)).status, 200);
    assert.equal((await VIEWER.send("GET", "/users")).status, 401);
  });

  test("who is disabled or removed is out with the next request, and back only as told", async () => {
    const { owner } = await shopWithOwner();
    const email = address("bruno");
    await owner.send("POST", "/users", { email, role: "ADMIN" });
    const admin = await joined(email);
    const adminId = await idOf(owner, email);
    assertMatches(await owner.send("PATCH", `/users/${adminId}`, { state: "DISABLED" }), {
      status: 200,
      body: { data: { state: "DISABLED" } },
    });
    assert.equal((await admin.send("GET", "/users")).status, 401);
    assert.equal((await admin.signIn()).status, 403);
    assert.equal((await owner.send("PATCH", `/users/${adminId}`, { state: "ACTIVE" })).status, 200);
    assert.equal((await admin.signIn()).status, 200);
    assert.equal((await owner.send("DELETE", `/users/${adminId}`)).status, 200);
    assert.equal((await admin.send("GET", "/users")).status, 401);
  });

  test("nobody chooses the id of who is invited: an administrator with that of an owner would be one", async () => {
    const { owner, userId } = await shopWithOwner();
    const email = address("admin");
    assert.equal((await owner.send("POST", "/users", { email, role: "ADMIN" })).status, 201);
    const admin = await joined(email);
    assertRefused(await admin.send("POST", "/users", { email: address("double"), role: "ADMIN", userId }), 400, "invalid_request");
    assert.deepEqual(
      (await usersOf(owner)).map((user) => member(user, "you")),
      [true, false],
    );
  });

  test("changes of users need a fresh second factor", async () => {
    const { owner, userId } = await shopWithOwner();
    relay.advance(10 * 60_000 + 1_000);
    assert.equal((await usersOf(owner)).length, 1);
    for (const answer of [
      await owner.send("POST", "/users", { email: address("new"), role: "VIEWER" }),
      await owner.send("PATCH", `/users/${userId}`, { role: "ADMIN" }),
      await owner.send("DELETE", `/users/${userId}`),
      await owner.send("POST", `/users/${userId}/resend`),
    ]) {
      assertRefused(answer, 403, "step_up_required");
    }
    assert.equal((await owner.send("POST", "/session/step-up", { code: owner.code() })).status, 200);
    assert.equal((await owner.send("POST", "/users", { email: address("new"), role: "VIEWER" })).status, 201);
  });

  test("an invitation is sent again with another link, and ends after 72 hours", async () => {
    const { owner } = await shopWithOwner();
    const email = address("bruno");
    await owner.send("POST", "/users", { email, role: "VIEWER" });
    const userId = await idOf(owner, email);
    const first = await lastMailTo(relay, email);
    assert.equal((await owner.send("POST", `/users/${userId}/resend`)).status, 429);
    relay.advance(60_000);
    assert.equal((await owner.send("POST", `/users/${userId}/resend`)).status, 200);
    const second = await lastMailTo(relay, email);
    const person = new PortalPerson(relay, email);
    assertRefused(await person.accept(first.token), 410, "used_or_expired");
    assert.equal((await person.send("GET", `/invitations/${second.token}`)).status, 200);
    relay.advance(72 * HOUR_MS);
    assertRefused(await person.accept(second.token), 410, "used_or_expired");
  });

  test("an invitation accepted twice at once is one account and one membership", async () => {
    const { owner } = await shopWithOwner();
    const email = address("bruno");
    await owner.send("POST", "/users", { email, role: "VIEWER" });
    const { token } = await lastMailTo(relay, email);
    const answers = await Promise.all([1, 2, 3].map(() => new PortalPerson(relay, email).accept(token)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 410, 410]);
    assert.equal((await usersOf(owner)).length, 2);
  });

  test("who has an account accepts with its password, and is a user of both merchants", async () => {
    const [one, other] = [await shopWithOwner(), await newShop()];
    const { email } = one.owner;
    const invited = await other.partner.call("POST", `/merchants/${other.merchantId}/portal-users`, { email });
    assert.equal(invited.status, 201, invited.text);
    const { token } = await lastMailTo(relay, email);
    const person = new PortalPerson(relay, email);
    assertMatches(await person.send("GET", `/invitations/${token}`), { body: { data: { hasAccount: true, locale: "en" } } });
    assertRefused(await person.accept(token, "not the password of it"), 401, "invalid_login");
    assertMatches(await person.accept(token), { status: 200, body: { data: { stage: "factor", methods: ["totp", "recovery"] } } });
    assert.equal((await one.owner.send("POST", "/session/merchant", { merchantId: other.merchantId })).status, 200);
    assertMatches(await usersOf(one.owner), [{ email, role: "OWNER", you: true }]);
  });

  test("an invitation that is accepted in the browser of somebody who is signed in ends that session", async () => {
    const { owner } = await shopWithOwner();
    const email = address("bruno");
    assert.equal((await owner.send("POST", "/users", { email, role: "VIEWER" })).status, 201);
    const { token } = await lastMailTo(relay, email);
    const cookie = `relay_portal=${owner.token}`;
    const stageOf = async () => (await relay.client({}).send(`${PORTAL_API}/session`, { headers: { cookie } })).body;
    assertMatches(await stageOf(), { data: { stage: "full" } });
    assertMatches(await owner.accept(token), { status: 200, body: { data: { stage: "enrol", email } } });
    assertMatches(await stageOf(), { data: { stage: "none" } });
  });

  test("only the portal's own pages may accept an invitation", async () => {
    const { owner } = await shopWithOwner();
    const email = address("bruno");
    await owner.send("POST", "/users", { email, role: "VIEWER" });
    const { token } = await lastMailTo(relay, email);
    const forged = await relay
      .client({ "sec-fetch-site": "cross-site" })
      .post(`${PORTAL_API}/invitations/${token}/accept`, { password: PORTAL_PASSWORD });
    assertRefused(forged, 403, "csrf");
    await joined(email);
  });

  test("a forgotten password is set anew by the link of a mail, which ends all sessions and keeps the second factor", async () => {
    const { owner } = await shopWithOwner();
    const { email } = owner;
    const nobody = new PortalPerson(relay, address("nobody"));
    const [known, unknown] = [
      await nobody.send("POST", "/password/forgot", { email }),
      await nobody.send("POST", "/password/forgot", { email: nobody.email }),
    ];
    assert.deepEqual([known.status, known.text], [200, unknown.text]);
    await eventually(async () => assert.equal((await lastMailTo(relay, email)).kind, "password-reset"));
    const { token } = await lastMailTo(relay, email);
    assert.deepEqual(await mailsTo(relay, nobody.email), []);
    assertRefused(await nobody.send("POST", "/password/reset", { token, password: "short" }), 400, "invalid_request");
    assertRefused(await nobody.send("POST", "/password/reset", { token, password: "Password1234!" }), 400, "password_too_common");
    assert.equal((await nobody.send("POST", "/password/reset", { token, password: NEW_PASSWORD })).status, 200);
    assertRefused(await nobody.send("POST", "/password/reset", { token, password: NEW_PASSWORD }), 410, "used_or_expired");
    assert.equal((await owner.send("GET", "/users")).status, 401);
    assertRefused(await owner.signIn(PORTAL_PASSWORD), 401, "invalid_login");
    assertMatches(await owner.signIn(NEW_PASSWORD), { status: 200, body: { data: { stage: "full" } } });
    assertMatches(await lastMailTo(relay, email), { kind: "security-notice", token: "" });
  });

  test("an administrator invites, lists, and takes the second factors from an account that has lost them", async () => {
    const { merchantId, owner } = await shopWithOwner();
    const administrator = relay.administrator();
    const path = `/admin/api/merchants/${merchantId}/portal-users`;
    const email = address("bruno");
    const invited = await administrator.post(path, { email });
    assertMatches(invited, { status: 201, body: { data: { email, role: "OWNER", state: "INVITED" } } });
    assert.equal((await administrator.post(path, { email })).status, 409);
    assertMatches(await administrator.get(path), { status: 200, body: { data: { items: [{ email: owner.email }, { email }] } } });
    const userId = textMember(invited.body, "data", "userId");
    assert.equal((await administrator.send(`${path}/${userId}`, { method: "DELETE" })).status, 200);
    assert.equal((await administrator.send(`${path}/${userId}`, { method: "DELETE" })).status, 404);
    assert.equal((await administrator.get(`/admin/api/merchants/${relay.uuid()}/portal-users`)).status, 404);

    const reset = (account: string) => administrator.post("/admin/api/portal-accounts/reset-factors", { email: account });
    assert.equal((await reset(email)).status, 404);
    assert.equal((await reset(owner.email)).status, 200);
    assert.equal((await owner.send("GET", "/users")).status, 401);
    const again = await owner.send("POST", "/session", { email: owner.email, password: PORTAL_PASSWORD });
    assertMatches(again, { status: 200, body: { data: { stage: "enrol", methods: [] } } });
    await owner.enrol();
    assert.equal((await usersOf(owner)).length, 1);
    const audit = await administrator.get("/admin/audit?limit=50");
    const actions = listOf(member(audit.body, "data")).map((entry) => member(entry, "action"));
    for (const action of ["user.invite", "user.remove", "portal-account.reset-factors"]) assert.ok(actions.includes(action), action);
  });

  test("partners see and invite at their own merchants only, and invite only with the role ADMIN", async () => {
    const { merchantId, partner } = await newShop();
    const stranger = await newPartnerApi(relay);
    const path = `/merchants/${merchantId}/portal-users`;
    for (const answer of [await stranger.call("GET", path), await stranger.call("POST", path, { email: address("eve") })]) {
      assertMatches(answer, { status: 404, body: { success: false, code: "not_found" } });
    }
    for (const email of ["anna", "anna@", "anna@example", "a@b@c.d"]) {
      assertMatches(await partner.call("POST", path, { email }), { status: 400, body: { code: "invalid_request" } });
    }
    for (const role of ["OPERATOR", "VIEWER"]) {
      const lesser = await newPartnerApi(relay, { role });
      const answer = await lesser.call("POST", path, { email: address("eve") });
      assertMatches(answer, { status: 403, body: { success: false, code: "forbidden" } });
    }
    // Nor does whatever they are refused for stand in the merchant's log.
    const log = await relay.administrator().get(`/admin/audit?merchantId=${merchantId}`);
    assert.equal(log.status, 200, log.text);
    assert.deepEqual(
      listOf(member(log.body, "data")).filter((entry) => member(entry, "actor") !== `partner-api:${partner.id}`),
      [],
    );
    assertMatches(await partner.call("GET", path), { status: 200, body: { users: [] } });
  });

  test("a deactivated merchant invites nobody, its invitations are dead, and its users are out", async () => {
    const { merchantId, partner, owner } = await shopWithOwner();
    const email = address("bruno");
    await owner.send("POST", "/users", { email, role: "VIEWER" });
    const { token } = await lastMailTo(relay, email);
    assert.equal((await partner.call("DELETE", `/merchants/${merchantId}`)).status, 200);
    assert.equal((await owner.send("GET", "/users")).status, 401);
    assertRefused(await new PortalPerson(relay, email).accept(token), 410, "used_or_expired");
    assertMatches(await partner.call("POST", `/merchants/${merchantId}/portal-users`, { email: address("carla") }), {
      status: 409,
      body: { code: "merchant_inactive" },
    });
  });
}

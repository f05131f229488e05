import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Answer } from "../../support/http/http-client.ts";
import { assertMatches, listOf, member, textMember } from "../../support/http/matches.ts";
import { Relay } from "../../support/node/relay.ts";
import { newPartnerApi } from "../../support/people/new-partner-api.ts";
import { lastMailTo, PORTAL_PASSWORD, PortalPerson } from "../../support/people/portal-person.ts";
import { SoftwareAuthenticator } from "../../support/people/software-authenticator.ts";

/** Passkeys need a domain name: the relays of the other scenarios have none. */
const ORIGIN = "http://localhost:8080";
const MINUTE_MS = 60_000;

describe("passkeys of the merchant portal", () => {
  const relay = new Relay({ shards: 2, environment: { RELAY_PUBLIC_URL: ORIGIN } });
  before(() => relay.start());
  after(() => relay.stop());

  async function invited() {
    const partner = await newPartnerApi(relay);
    const merchantId = `shop-${relay.uuid()}`;
    assert.equal((await partner.call("POST", "/merchants", { merchantId })).status, 201);
    const email = `anna.${relay.uuid()}@example.com`;
    assert.equal((await partner.call("POST", `/merchants/${merchantId}/portal-users`, { email })).status, 201);
    const person = new PortalPerson(relay, email);
    assert.equal((await person.accept((await lastMailTo(relay, email)).token)).status, 200);
    return { person, email };
  }

  async function add(person: PortalPerson, authenticator: SoftwareAuthenticator, name = "Phone"): Promise<Answer> {
    const options = await person.send("POST", "/me/passkeys/options");
    assert.equal(options.status, 200, options.text);
    return person.send("POST", "/me/passkeys", { name, response: authenticator.register(member(options.body, "data")) });
  }

  async function answer(person: PortalPerson, authenticator: SoftwareAuthenticator): Promise<Record<string, unknown>> {
    const options = await person.send("POST", "/session/passkey/options");
    assert.equal(options.status, 200, options.text);
    return authenticator.answer(member(options.body, "data"));
  }

  test("one is registered as the first second factor, and signs in without a password", async () => {
    const { person, email } = await invited();
    assertMatches(await person.send("GET", "/session"), { body: { data: { stage: "enrol", passkeys: true } } });
    const authenticator = new SoftwareAuthenticator(ORIGIN);
    const added = await add(person, authenticator);
    assertMatches(added, { status: 200, body: { data: { session: { stage: "full", methods: ["passkey", "recovery"] } } } });
    assert.equal(listOf(member(added.body, "data", "recoveryCodes")).length, 10);

    const elsewhere = new PortalPerson(relay, email);
    const response = await answer(elsewhere, authenticator);
    assertMatches(await elsewhere.send("POST", "/session/passkey", { response }), {
      status: 200,
      body: { data: { stage: "full", email } },
    });
    const thief = new PortalPerson(relay, email);
    assertMatches(await thief.send("POST", "/session/passkey", { response }), { status: 401, body: { code: "invalid_code" } });
    assertMatches(await elsewhere.send("GET", "/me"), {
      status: 200,
      body: { data: { passkeys: [{ name: "Phone", lastUsedAt: /Z$/ }], totp: false } },
    });
  });

  test("one is the second factor after the password, and a fresh one later", async () => {
    const { person, email } = await invited();
    const authenticator = new SoftwareAuthenticator(ORIGIN);
    await add(person, authenticator);
    const begun = await person.send("POST", "/session", { email, password: PORTAL_PASSWORD });
    assertMatches(begun, { status: 200, body: { data: { stage: "factor", methods: ["passkey", "recovery"] } } });
    assertMatches(await person.send("POST", "/session/passkey", { response: await answer(person, authenticator) }), {
      status: 200,
      body: { data: { stage: "full" } },
    });
    relay.advance(10 * MINUTE_MS);
    assertMatches(await person.send("POST", "/me/recovery-codes"), { status: 403, body: { code: "step_up_required" } });
    const stepUp = await person.send("POST", "/session/step-up", { response: await answer(person, authenticator) });
    assertMatches(stepUp, { status: 200, body: { data: { steppedUpUntil: /Z$/ } } });
    assert.equal((await person.send("POST", "/me/recovery-codes")).status, 200);
  });

  test("they are removed one by one, but for the last second factor", async () => {
    const { person } = await invited();
    await add(person, new SoftwareAuthenticator(ORIGIN));
    assert.equal((await add(person, new SoftwareAuthenticator(ORIGIN), "Laptop")).status, 200);
    const passkeys = listOf(member((await person.send("GET", "/me")).body, "data", "passkeys"));
    const [one = "", two = ""] = passkeys.map((passkey) => textMember(passkey, "id"));
    assertMatches(await person.send("DELETE", `/me/passkeys/${one}`), { status: 200, body: { data: { passkeys: [{ name: "Laptop" }] } } });
    assertMatches(await person.send("DELETE", `/me/passkeys/${one}`), { status: 404, body: { code: "not_found" } });
    assertMatches(await person.send("DELETE", `/me/passkeys/${two}`), { status: 409, body: { code: "last_factor" } });
  });

  test("an answer of another page, for another session, or to nothing opens nothing", async () => {
    const { person, email } = await invited();
    const authenticator = new SoftwareAuthenticator(ORIGIN);
    await add(person, authenticator);
    const nobody = new PortalPerson(relay, email);
    const options = member((await nobody.send("POST", "/session/passkey/options")).body, "data");
    const own = member((await person.send("POST", "/session/passkey/options")).body, "data");
    const attempts = [
      authenticator.answer(options, { origin: "https://relay.example.net" }),
      authenticator.answer(options, { verified: false }),
      authenticator.answer(own),
      new SoftwareAuthenticator(ORIGIN).answer(options),
      { id: "x" },
    ];
    for (const response of attempts) {
      assertMatches(await nobody.send("POST", "/session/passkey", { response }), { status: 401, body: { code: "invalid_code" } });
    }
    assertMatches(await nobody.send("GET", "/session"), { status: 200, body: { data: { stage: "none" } } });
  });
});

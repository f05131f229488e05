import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import type { PasskeyRecord } from "../../../engine/accounts/account.ts";
import { CHALLENGE_MS } from "../../../engine/accounts/factors.ts";
import { createPasskeys, passkeysArePossible } from "../../../http/auth/passkeys.ts";
import { SoftwareAuthenticator } from "../../support/people/software-authenticator.ts";

const ORIGIN = "https://relay.example";
const ACCOUNT = { accountId: "acc_0123456789abcdefghijkl", label: "anna@example.com", passkeys: [] };

function world(publicUrl = ORIGIN) {
  const time = { nowMs: 1_778_051_289_123 };
  const key = randomBytes(32);
  const passkeys = createPasskeys({ publicUrl: () => publicUrl, key, nowMs: () => time.nowMs });
  const authenticator = new SoftwareAuthenticator(new URL(publicUrl).origin);
  const register = async (purpose = "session 1"): Promise<PasskeyRecord> => {
    const answer = authenticator.register(await passkeys.registrationOptions(ACCOUNT, purpose));
    const registered = await passkeys.register(answer, purpose);
    assert.ok(registered !== null);
    return { ...registered, name: "Phone", createdAtMs: 0, lastUsedAtMs: null };
  };
  return { time, passkeys, authenticator, register };
}

describe("passkeys", () => {
  it("are registered for an account, and then sign in without a name", async () => {
    const { passkeys, authenticator, register } = world();
    const passkey = await register();
    assert.equal(passkey.credentialId, authenticator.credentialId);
    assert.deepEqual(passkey.transports, ["internal"]);
    const answer = authenticator.answer(await passkeys.authenticationOptions(null, "sign-in"));
    assert.deepEqual(passkeys.claimed(answer), { credentialId: passkey.credentialId, accountId: ACCOUNT.accountId });
    const right = await passkeys.authenticate(answer, passkey, "sign-in");
    assert.equal(right?.counter, 1);
    assert.match(right?.challenge.sha256 ?? "", /^[0-9a-f]{64}$/);
  });

  it("tell an authenticator the account's id, and ask for user verification and a discoverable credential", async () => {
    const { passkeys } = world();
    const known = [
      { credentialId: "A".repeat(22), publicKey: "", counter: 0, transports: ["usb"], name: "", createdAtMs: 0, lastUsedAtMs: null },
    ];
    const options = await passkeys.registrationOptions({ ...ACCOUNT, passkeys: known }, "session 1");
    assert.deepEqual(options["excludeCredentials"], [{ id: "A".repeat(22), transports: ["usb"], type: "public-key" }]);
    assert.equal(Reflect.get(Object(options["authenticatorSelection"]), "userVerification"), "required");
    assert.equal(Reflect.get(Object(options["authenticatorSelection"]), "residentKey"), "required");
    assert.equal(Buffer.from(String(Reflect.get(Object(options["user"]), "id")), "base64url").toString(), ACCOUNT.accountId);
    const asked = await passkeys.authenticationOptions(known, "session 1");
    assert.deepEqual(asked["allowCredentials"], [{ id: "A".repeat(22), transports: ["usb"], type: "public-key" }]);
  });

  it("take an answer for its own purpose, page and time only", async () => {
    const { passkeys, authenticator, register, time } = world();
    const passkey = await register();
    const options = await passkeys.authenticationOptions(null, "sign-in");
    const attempt = (answer: Record<string, unknown>, purpose = "sign-in") => passkeys.authenticate(answer, passkey, purpose);
    assert.equal(await attempt(authenticator.answer(options), "session 1"), null);
    assert.equal(await attempt(authenticator.answer(options, { origin: "https://relay.example.net" })), null);
    assert.equal(await attempt(authenticator.answer(options, { verified: false })), null);
    assert.equal(await attempt(authenticator.answer({ ...options, rpId: "example" })), null);
    const made = { ...options, challenge: randomBytes(54).toString("base64url") };
    assert.equal(await attempt(authenticator.answer(made)), null);
    assert.equal(await attempt(new SoftwareAuthenticator(ORIGIN).answer(options)), null);
    assert.notEqual(await attempt(authenticator.answer(options)), null);
    time.nowMs += CHALLENGE_MS;
    assert.equal(await attempt(authenticator.answer(options)), null);
  });

  it("refuse a counter that did not grow: the credential was copied", async () => {
    const { passkeys, authenticator, register } = world();
    const passkey = await register();
    const answer = authenticator.answer(await passkeys.authenticationOptions(null, "sign-in"));
    assert.equal(await passkeys.authenticate(answer, { ...passkey, counter: 1 }, "sign-in"), null);
  });

  it("refuse a registration for another session, and without the person", async () => {
    const { passkeys, authenticator } = world();
    const options = await passkeys.registrationOptions(ACCOUNT, "session 1");
    assert.equal(await passkeys.register(authenticator.register(options), "session 2"), null);
    assert.equal(await passkeys.register(authenticator.register(options, { verified: false }), "session 1"), null);
    assert.notEqual(await passkeys.register(authenticator.register(options), "session 1"), null);
  });

  it("answer null to what is no answer at all", async () => {
    const { passkeys, authenticator, register } = world();
    const passkey = await register();
    const whole = authenticator.answer(await passkeys.authenticationOptions(null, "sign-in"));
    const odd: Record<string, unknown>[] = [
      {},
      { ...whole, id: 7 },
      { ...whole, id: "../../etc" },
      { ...whole, rawId: "other" },
      { ...whole, response: null },
      { ...whole, response: { ...Object(whole["response"]), clientDataJSON: "%%%" } },
      { ...whole, response: { ...Object(whole["response"]), signature: 7 } },
      { ...whole, response: { ...Object(whole["response"]), authenticatorData: "AA" } },
    ];
    for (const answer of odd) {
      assert.equal(await passkeys.authenticate(answer, passkey, "sign-in"), null, JSON.stringify(answer));
      assert.equal(await passkeys.register(answer, "sign-in"), null, JSON.stringify(answer));
    }
  });

  it("need a domain name, which localhost is", async () => {
    for (const url of ["https://relay.example", "http://localhost:8080"]) assert.equal(passkeysArePossible(url), true, url);
    for (const url of ["http://127.0.0.1:8080", "https://[2001:db8::1]", "https://192.0.2.7"])
      assert.equal(passkeysArePossible(url), false, url);
    const { passkeys } = world("http://127.0.0.1:8080");
    assert.equal(passkeys.arePossible, false);
    await assert.rejects(passkeys.authenticationOptions(null, "sign-in"), { code: "invalid_request" });
  });
});

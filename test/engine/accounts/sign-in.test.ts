import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hashPassword } from "../../../http/auth/partner-password.ts";
import { SoftwareAuthenticator } from "../../support/people/software-authenticator.ts";
import { settle } from "../world.ts";
import { CLIENT, createSignInWorld, ORIGIN, PASSWORD, RECOVERY, type SignInWorld } from "./sign-in-world.ts";

const MINUTE_MS = 60_000;
const STEP_MS = 30_000;

/** A passkey of Anna's, registered in a full session. */
async function withPasskey(world: SignInWorld): Promise<SoftwareAuthenticator> {
  const authenticator = new SoftwareAuthenticator(ORIGIN);
  const { session } = await world.full();
  const response = authenticator.register(await world.ownAccount.passkeyOptions(session));
  assert.equal((await world.ownAccount.addPasskey(session, { name: "Phone", response }, CLIENT)).type, "enrolled");
  world.clock.advance(STEP_MS);
  return authenticator;
}

describe("signing in", () => {
  it("begins with the password, and is complete with the second factor, which changes the token", async () => {
    const world = await createSignInWorld();
    const begun = await world.withPassword();
    const half = await world.find(begun);
    assert.deepEqual([half?.stage, half?.steppedUpUntilMs], ["factor", 0]);
    const outcome = await world.factor(begun);
    assert.ok(outcome.type === "begun");
    assert.notEqual(outcome.token, begun.token);
    assert.equal(await world.find(begun), null);
    assert.deepEqual(await world.find(outcome), {
      ...{ sessionId: begun.session.sessionId, stage: "full", accountId: "acc_1", email: "anna@example.com" },
      ...{ merchantId: "SHOP-001", partnerId: 1, livemode: false, userId: "usr_SHOP-001", role: "OWNER" },
      steppedUpUntilMs: world.clock.nowMs() + 10 * MINUTE_MS,
    });
  });

  it("answers alike to a wrong password and to an address that is nobody's", async () => {
    const world = await createSignInWorld();
    const attempt = (email: string, password: string) => world.signIn.withPassword({ email, password, client: CLIENT, replaces: null });
    assert.equal((await attempt("anna@example.com", "wrong")).type, "invalid");
    for (const email of ["bert@example.com", "anna@example.com.", "nobody", "x".repeat(300)]) {
      assert.deepEqual(await attempt(email, PASSWORD), { type: "invalid", account: null }, email);
    }
    assert.equal((await attempt("  Anna@Example.COM ", PASSWORD)).type, "begun");
  });

  it("reads as much of the store for an address that is nobody's as for a wrong password", async () => {
    const world = await createSignInWorld();
    const reads = async (email: string) => {
      const before = world.kv.reads;
      await world.signIn.withPassword({ email, password: "wrong", client: CLIENT, replaces: null });
      return world.kv.reads - before;
    };
    assert.equal(await reads("bert@example.com"), await reads("anna@example.com"));
  });

  it("takes a code once: neither again, nor in another sign-in, nor one of before", async () => {
    const world = await createSignInWorld();
    const early = world.code();
    world.clock.advance(STEP_MS);
    const code = world.code();
    assert.equal((await world.factor(await world.withPassword(), code)).type, "begun");
    assert.equal((await world.factor(await world.withPassword(), code)).type, "invalid");
    assert.equal((await world.factor(await world.withPassword(), early)).type, "invalid");
    world.clock.advance(STEP_MS);
    assert.equal((await world.factor(await world.withPassword())).type, "begun");
  });

  it("lets one of two sign-ins in that use one code at once, on two nodes", async () => {
    const world = await createSignInWorld();
    const [one, other] = [await world.withPassword(), await world.withPassword()];
    const proof = { type: "code", code: world.code() } as const;
    const outcomes = await Promise.all([
      world.signIn.withFactor(one.session, proof, CLIENT),
      world.again().signIn.withFactor(other.session, proof, CLIENT),
    ]);
    assert.deepEqual(outcomes.map(({ type }) => type).sort(), ["begun", "invalid"]);
  });

  it("takes a recovery code once, however it is typed, also of two uses at once", async () => {
    const world = await createSignInWorld();
    const [first = "", second = ""] = RECOVERY;
    const proof = (code: string) => ({ type: "recovery", code }) as const;
    const [one, other] = [await world.withPassword(), await world.withPassword()];
    const outcomes = await Promise.all([
      world.signIn.withFactor(one.session, proof(first), CLIENT),
      world.again().signIn.withFactor(other.session, proof(first.toUpperCase().replaceAll("-", " ")), CLIENT),
    ]);
    assert.deepEqual(outcomes.map(({ type }) => type).sort(), ["begun", "invalid"]);
    assert.equal((await world.accountOf()).recoveryCodes.length, 1);
    const third = await world.withPassword();
    assert.equal((await world.signIn.withFactor(third.session, proof(first), CLIENT)).type, "invalid");
    assert.equal((await world.signIn.withFactor(third.session, proof(second), CLIENT)).type, "begun");
  });

  it("begins again with the password after five wrong codes, also when they are tried at once", async () => {
    const world = await createSignInWorld();
    const begun = await world.withPassword();
    const tries = Array.from({ length: 12 }, (_, index) =>
      world.again().signIn.withFactor(begun.session, { type: "code", code: `00000${index}` }, CLIENT),
    );
    const types = (await Promise.all(tries)).map(({ type }) => type);
    assert.equal(types.filter((type) => type === "invalid").length, 4);
    assert.equal(types.filter((type) => type === "ended").length, 8);
    assert.equal(await world.find(begun), null);
    assert.equal((await world.again().signIn.withFactor(begun.session, { type: "code", code: world.code() }, CLIENT)).type, "ended");
  });

  it("counts no code that is sent to where none is asked for", async () => {
    const world = await createSignInWorld();
    const begun = await world.full();
    for (let sent = 0; sent < 6; sent += 1) {
      await assert.rejects(world.signIn.withFactor(begun.session, { type: "code", code: "000000" }, CLIENT), { code: "invalid_request" });
    }
    assert.equal((await world.find(begun))?.stage, "full");
  });

  it("ends where the second factor does not come within five minutes", async () => {
    const world = await createSignInWorld();
    const begun = await world.withPassword();
    world.clock.advance(5 * MINUTE_MS);
    assert.equal(await world.find(begun), null);
    assert.equal((await world.factor(begun)).type, "ended");
  });

  it("opens nothing with a password that was changed while it was compared", async () => {
    const world = await createSignInWorld();
    const stored = await world.accounts.load("acc_1");
    assert.ok(stored !== null);
    await world.changeAccount({ theme: "dark" });
    assert.notEqual(await world.signIn.afterPassword(stored, CLIENT, null), null, "another change does not matter");
    await world.changeAccount({ passwordHash: await hashPassword("another long and secret sentence") });
    assert.equal(await world.signIn.afterPassword(stored, CLIENT, null), null);
  });

  it("ends the session that the browser had before", async () => {
    const world = await createSignInWorld();
    const before = await world.full();
    const outcome = await world.signIn.withPassword({
      ...{ email: "anna@example.com", password: PASSWORD, client: CLIENT },
      replaces: before.session,
    });
    assert.equal(outcome.type, "begun");
    assert.equal(await world.find(before), null);
  });

  it("is for active members of active merchants of enabled partners; the first of them is chosen", async () => {
    const world = await createSignInWorld();
    await world.putMember("SHOP-001", { state: "DISABLED" });
    const { session } = await world.full();
    assert.equal(session.merchantId, "SHOP-002");
    await world.putMerchant("SHOP-002", { active: false });
    world.clock.advance(STEP_MS);
    const outcome = await world.factor(await world.withPassword());
    assert.equal(outcome.type, "nowhere");
    await world.putMerchant("SHOP-002", { active: true });
    world.disabledPartners.add(2);
    assert.equal((await world.factor(await world.withPassword())).type, "nowhere");
    assert.equal(
      (await world.accountOf()).totp?.lastStep,
      Math.floor((world.clock.nowMs() - STEP_MS) / STEP_MS),
      "the code was not used up",
    );
  });
});

describe("a passkey", () => {
  it("signs in alone, and its answer counts once", async () => {
    const world = await createSignInWorld();
    const authenticator = await withPasskey(world);
    const response = authenticator.answer(await world.signIn.passkeyOptions(null));
    const outcomes = await Promise.all([world.signIn.withPasskey(response, CLIENT), world.again().signIn.withPasskey(response, CLIENT)]);
    assert.deepEqual(outcomes.map(({ type }) => type).sort(), ["begun", "invalid"]);
    assert.equal((await world.signIn.withPasskey(response, CLIENT)).type, "invalid");
    const [begun] = outcomes.filter(({ type }) => type === "begun");
    assert.ok(begun?.type === "begun");
    assert.equal((await world.find(begun))?.stage, "full");
    assert.deepEqual(
      (await world.accountOf()).passkeys.map(({ counter, lastUsedAtMs }) => [counter, lastUsedAtMs]),
      [[1, world.clock.nowMs()]],
    );
  });

  it("is a second factor after the password, for the session that asked only", async () => {
    const world = await createSignInWorld();
    const authenticator = await withPasskey(world);
    const [one, other] = [await world.withPassword(), await world.withPassword()];
    const options = await world.signIn.passkeyOptions(one.session);
    assert.equal(Array.isArray(options["allowCredentials"]), true);
    const proof = (purpose: string) => ({ type: "passkey", response: authenticator.answer(options), purpose }) as const;
    const purpose = `session ${one.session.sessionId}`;
    assert.equal((await world.signIn.withFactor(other.session, proof(`session ${other.session.sessionId}`), CLIENT)).type, "invalid");
    assert.equal((await world.signIn.withPasskey(authenticator.answer(options), CLIENT)).type, "invalid");
    assert.equal((await world.signIn.withFactor(one.session, proof(purpose), CLIENT)).type, "begun");
  });

  it("that was removed, or is of an account that is no more, opens nothing", async () => {
    const world = await createSignInWorld();
    const authenticator = await withPasskey(world);
    await world.changeAccount({ passkeys: [] });
    const outcome = await world.signIn.withPasskey(authenticator.answer(await world.signIn.passkeyOptions(null)), CLIENT);
    assert.equal(outcome.type, "invalid");
    const stranger = new SoftwareAuthenticator(ORIGIN);
    const answer = stranger.answer(await world.signIn.passkeyOptions(null));
    assert.deepEqual(await world.signIn.withPasskey(answer, CLIENT), { type: "invalid", account: null });
  });
});

describe("a session", () => {
  it("follows its person's role and membership from the next request on", async () => {
    const world = await createSignInWorld();
    const begun = await world.full();
    await world.putMember("SHOP-001", { role: "VIEWER" });
    assert.equal((await world.find(begun))?.role, "VIEWER");
    await world.putMember("SHOP-001", { state: "DISABLED" });
    assert.equal(await world.find(begun), null);
    await world.putMember("SHOP-001", { state: "ACTIVE", accountId: "acc_2" });
    assert.equal(await world.find(begun), null);
  });

  it("ends with its merchant and its partner", async () => {
    const world = await createSignInWorld();
    const begun = await world.full();
    await world.putMerchant("SHOP-001", { active: false });
    assert.equal(await world.find(begun), null);
    await world.putMerchant("SHOP-001", { active: true });
    assert.notEqual(await world.find(begun), null);
    world.disabledPartners.add(1);
    assert.equal(await world.find(begun), null);
  });

  it("goes to another merchant of the person, and to no other", async () => {
    const world = await createSignInWorld();
    const begun = await world.full();
    const moved = await world.signIn.chooseMerchant(begun.session, "SHOP-002");
    assert.ok(typeof moved === "object");
    const grant = await world.find(begun);
    assert.deepEqual([grant?.merchantId, grant?.role, grant?.livemode, grant?.partnerId], ["SHOP-002", "VIEWER", true, 2]);
    await world.putMerchant("SHOP-003");
    assert.equal(await world.signIn.chooseMerchant(begun.session, "SHOP-003"), "not a member");
    assert.equal(await world.signIn.chooseMerchant(begun.session, "SHOP-004"), "not a member");
    // No key of the store.
    for (const merchantId of ["", "Négozio", "a/b", " "]) {
      assert.equal(await world.signIn.chooseMerchant(begun.session, merchantId), "not a member");
    }
  });

  it("stores when it was last used once a minute", async () => {
    const world = await createSignInWorld();
    const begun = await world.full();
    const stored = () => world.sessions.find(begun.session.tokenSha256);
    const before = await stored();
    for (let request = 0; request < 20; request += 1) await world.find(begun);
    await settle();
    assert.equal((await stored())?.version, before?.version);
    world.clock.advance(MINUTE_MS);
    await Promise.all(Array.from({ length: 20 }, () => world.find(begun)));
    await settle();
    assert.equal((await stored())?.record.lastUsedAtMs, world.clock.nowMs());
    const after = await stored();
    await world.find(begun);
    await settle();
    assert.equal((await stored())?.version, after?.version);
  });

  it("tells a browser of its stage, and of the merchants with all factors only", async () => {
    const world = await createSignInWorld();
    const nobody = await world.state(null);
    assert.deepEqual([nobody.stage, nobody.email, nobody.merchants], ["none", null, []]);
    const begun = await world.withPassword();
    const half = await world.state(begun.session);
    assert.deepEqual([half.stage, half.email, half.methods, half.merchants], ["factor", "anna@example.com", ["totp", "recovery"], []]);
    const outcome = await world.factor(begun);
    assert.ok(outcome.type === "begun");
    const full = await world.state(outcome.session);
    assert.deepEqual([full.merchant?.merchantId, full.merchants.map(({ role }) => role)], ["SHOP-001", ["OWNER", "VIEWER"]]);
    assert.equal(full.steppedUpUntilMs, world.clock.nowMs() + 10 * MINUTE_MS);
  });
});

describe("a fresh second factor", () => {
  it("counts for ten minutes; the token before it stays for requests on their way, without it", async () => {
    const world = await createSignInWorld();
    const begun = await world.full();
    world.clock.advance(10 * MINUTE_MS);
    assert.ok(((await world.find(begun))?.steppedUpUntilMs ?? 0) <= world.clock.nowMs());
    await settle();
    const outcome = await world.signIn.stepUp(begun.session, { type: "code", code: world.code() }, CLIENT);
    assert.ok(outcome.type === "begun");
    assert.equal((await world.find(outcome))?.steppedUpUntilMs, world.clock.nowMs() + 10 * MINUTE_MS);
    assert.ok(((await world.find(begun))?.steppedUpUntilMs ?? 0) <= world.clock.nowMs());
    assert.equal((await world.sessions.ofAccount("acc_1")).length, 1);
    world.clock.advance(10_000);
    assert.equal(await world.find(begun), null);
    assert.notEqual(await world.find(outcome), null);
  });

  it("does not come from a code that was used, and five wrong ones end the session", async () => {
    const world = await createSignInWorld();
    const begun = await world.full();
    const types: string[] = [];
    for (const code of [world.code(), "000001", "000002", "000003", "000004"]) {
      types.push((await world.again().signIn.stepUp(begun.session, { type: "code", code }, CLIENT)).type);
    }
    assert.deepEqual(types, ["invalid", "invalid", "invalid", "invalid", "ended"]);
    assert.equal(await world.find(begun), null);
  });

  it("cannot stand in for the second factor of a sign-in", async () => {
    const world = await createSignInWorld();
    const begun = await world.withPassword();
    await assert.rejects(world.signIn.stepUp(begun.session, { type: "code", code: world.code() }, CLIENT), { code: "invalid_request" });
    assert.equal((await world.find(begun))?.stage, "factor");
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { TOTP } from "otpauth";
import { SoftwareAuthenticator } from "../../support/people/software-authenticator.ts";
import { CLIENT, createSignInWorld, ORIGIN, PASSWORD, type SignInWorld } from "./sign-in-world.ts";

const NEW_PASSWORD = "another long and secret sentence";
const WITHOUT_FACTOR = { totp: null, recoveryCodes: [] };

const codeOf = (world: SignInWorld, secret: string) => new TOTP({ secret }).generate({ timestamp: world.clock.nowMs() });

describe("the first second factor", () => {
  it("is enrolled before anything else, shows recovery codes once, and signs the person in", async () => {
    const world = await createSignInWorld(WITHOUT_FACTOR);
    const begun = await world.withPassword();
    assert.equal((await world.find(begun))?.stage, "enrol");
    const { secret, uri } = await world.ownAccount.beginTotp(begun.session);
    assert.match(uri, /^otpauth:\/\/totp\//);
    assert.equal((await world.accountOf()).totp, null);
    const enrolled = await world.ownAccount.confirmTotp(begun.session, codeOf(world, secret), CLIENT);
    assert.ok(enrolled.type === "enrolled" && enrolled.token !== null && enrolled.recoveryCodes !== null);
    assert.equal(new Set(enrolled.recoveryCodes).size, 10);
    for (const code of enrolled.recoveryCodes) assert.match(code, /^[a-z2-9]{4}-[a-z2-9]{4}-[a-z2-9]{4}$/);
    assert.equal(await world.find(begun), null);
    assert.equal((await world.find({ token: enrolled.token }))?.stage, "full");
    assert.deepEqual(world.notices, ["authenticator app added"]);
    // The code that enrolled it opens nothing else.
    assert.equal((await world.factor(await world.withPassword(), codeOf(world, secret))).type, "invalid");
    const [recovery = ""] = enrolled.recoveryCodes;
    const other = await world.withPassword();
    assert.equal((await world.signIn.withFactor(other.session, { type: "recovery", code: recovery }, CLIENT)).type, "begun");
  });

  it("may be a passkey", async () => {
    const world = await createSignInWorld(WITHOUT_FACTOR);
    const { session } = await world.withPassword();
    const response = new SoftwareAuthenticator(ORIGIN).register(await world.ownAccount.passkeyOptions(session));
    const enrolled = await world.ownAccount.addPasskey(session, { name: "Laptop", response }, CLIENT);
    assert.ok(enrolled.type === "enrolled");
    assert.equal(enrolled.recoveryCodes?.length, 10);
    assert.deepEqual(
      (await world.accountOf()).passkeys.map(({ name }) => name),
      ["Laptop"],
    );
  });

  it("is not added by a session of before there was one, nor by one that still lacks it", async () => {
    const world = await createSignInWorld(WITHOUT_FACTOR);
    const [mine, stolen] = [await world.withPassword(), await world.withPassword()];
    const theirs = await world.ownAccount.beginTotp(stolen.session);
    const { secret } = await world.ownAccount.beginTotp(mine.session);
    assert.equal((await world.ownAccount.confirmTotp(mine.session, codeOf(world, secret), CLIENT)).type, "enrolled");
    assert.equal((await world.ownAccount.confirmTotp(stolen.session, codeOf(world, theirs.secret), CLIENT)).type, "ended");
    const half = await world.withPassword();
    const { secret: third } = await world.ownAccount.beginTotp(half.session);
    assert.equal((await world.ownAccount.confirmTotp(half.session, codeOf(world, third), CLIENT)).type, "ended");
  });

  it("goes to one of two sessions that enrol at once", async () => {
    const world = await createSignInWorld(WITHOUT_FACTOR);
    const begun = [await world.withPassword(), await world.withPassword()];
    const outcomes = await Promise.all(
      begun.map(async ({ session }) => {
        const { secret } = await world.ownAccount.beginTotp(session);
        return world.again().ownAccount.confirmTotp(session, codeOf(world, secret), CLIENT);
      }),
    );
    assert.deepEqual(outcomes.map(({ type }) => type).sort(), ["ended", "enrolled"]);
  });

  it("needs a right code of the secret that was shown last", async () => {
    const world = await createSignInWorld(WITHOUT_FACTOR);
    const { session } = await world.withPassword();
    assert.equal((await world.ownAccount.confirmTotp(session, "123456", CLIENT)).type, "invalid");
    const { secret: first } = await world.ownAccount.beginTotp(session);
    const { secret } = await world.ownAccount.beginTotp(session);
    assert.equal((await world.ownAccount.confirmTotp(session, codeOf(world, first), CLIENT)).type, "invalid");
    const code = codeOf(world, secret);
    assert.equal((await world.ownAccount.confirmTotp(session, `${code.slice(0, 3)} ${code.slice(3)}`, CLIENT)).type, "enrolled");
  });
});

describe("the own account", () => {
  it("keeps its last second factor", async () => {
    const world = await createSignInWorld();
    const { session } = await world.full();
    assert.equal(await world.ownAccount.removeTotp(session, CLIENT), "last");
    const response = new SoftwareAuthenticator(ORIGIN).register(await world.ownAccount.passkeyOptions(session));
    const added = await world.ownAccount.addPasskey(session, { name: "Phone", response }, CLIENT);
    assert.ok(added.type === "enrolled");
    assert.deepEqual([added.token, added.recoveryCodes], [null, null]);
    assert.equal(
      (await world.ownAccount.addPasskey(session, { name: "Phone", response }, CLIENT)).type,
      "invalid",
      "the same answer again",
    );
    assert.equal(await world.ownAccount.removeTotp(session, CLIENT), "removed");
    assert.equal(await world.ownAccount.removeTotp(session, CLIENT), "not found");
    const [passkey] = (await world.accountOf()).passkeys;
    assert.equal(await world.ownAccount.removePasskey(session, passkey?.credentialId ?? "", CLIENT), "last");
    assert.equal(await world.ownAccount.removePasskey(session, "other", CLIENT), "not found");
    assert.deepEqual(world.notices, ["passkey added", "authenticator app removed"]);
  });

  it("keeps one of two factors that are removed at once", async () => {
    const world = await createSignInWorld();
    const { session } = await world.full();
    const response = new SoftwareAuthenticator(ORIGIN).register(await world.ownAccount.passkeyOptions(session));
    await world.ownAccount.addPasskey(session, { name: "Phone", response }, CLIENT);
    const [passkey] = (await world.accountOf()).passkeys;
    const outcomes = await Promise.all([
      world.ownAccount.removeTotp(session, CLIENT),
      world.again().ownAccount.removePasskey(session, passkey?.credentialId ?? "", CLIENT),
    ]);
    assert.deepEqual(outcomes.sort(), ["last", "removed"]);
  });

  it("changes its password with the present one, which ends all other sessions", async () => {
    const world = await createSignInWorld();
    const other = await world.full();
    world.clock.advance(30_000);
    const own = await world.full();
    const change = (password: string, newPassword: string) =>
      world.ownAccount.changePassword(own.session, { password, newPassword }, CLIENT);
    assert.equal(await change("wrong", NEW_PASSWORD), "invalid");
    assert.equal(await change(PASSWORD, "password1234"), "common");
    assert.equal(await change(PASSWORD, "anna-bar-2024"), "common");
    assert.equal(await change(PASSWORD, NEW_PASSWORD), "changed");
    assert.deepEqual([await world.find(other), (await world.find(own))?.stage], [null, "full"]);
    assert.equal((await world.withPassword(NEW_PASSWORD)).session.stage, "factor");
    assert.deepEqual(world.notices, ["password changed"]);
  });

  it("replaces its recovery codes as a whole", async () => {
    const world = await createSignInWorld();
    const { session } = await world.full();
    const before = (await world.accountOf()).recoveryCodes;
    const codes = await world.ownAccount.replaceRecoveryCodes(session, CLIENT);
    const { recoveryCodes } = await world.accountOf();
    assert.equal(codes.length, 10);
    assert.deepEqual(
      recoveryCodes.filter((digest) => before.includes(digest) || codes.some((code) => digest.includes(code))),
      [],
    );
  });

  it("keeps saved views, twenty of a list", async () => {
    const world = await createSignInWorld();
    const { session } = await world.full();
    const views = (count: number, list = "transactions") =>
      Array.from({ length: count }, (_, index) => ({ list, name: `v${index}`, query: "status=KO" }));
    const changed = await world.ownAccount.change(session, { savedViews: [...views(20), ...views(20, "terminals")], theme: "dark" });
    assert.deepEqual([changed.savedViews.length, changed.theme, changed.locale], [40, "dark", "it"]);
    await assert.rejects(world.ownAccount.change(session, { savedViews: views(21) }), { code: "invalid_request" });
    await assert.rejects(world.ownAccount.change(session, { savedViews: [...views(1), ...views(1)] }), { code: "invalid_request" });
  });

  it("does not lose a view that another browser saved meanwhile", async () => {
    const world = await createSignInWorld();
    const { session } = await world.full();
    const [one, other] = ["one", "other"].map((name) => ({ list: "transactions", name, query: "status=KO" }));
    assert.ok(one !== undefined && other !== undefined);
    await world.ownAccount.change(session, { savedViews: [one], seen: { savedViews: [] } });
    await assert.rejects(world.ownAccount.change(session, { savedViews: [other], seen: { savedViews: [] } }), { code: "conflict" });
    const changed = await world.ownAccount.change(session, { savedViews: [one, other], seen: { savedViews: [one] } });
    assert.deepEqual(changed.savedViews, [one, other]);
    // What was seen is not stored.
    assert.ok(!("seen" in changed) && !("seen" in (await world.ownAccount.find(session))));
  });
});

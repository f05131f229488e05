import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { INVITATION_LIFETIME_MS } from "../../../engine/accounts/team.ts";
import { ADMINISTRATOR, createTeamWorld, PASSWORD, SHOP, type TeamWorld, TOO_COMMON } from "./team-world.ts";

const FROM = { ipAddress: "192.0.2.1" };

/** The token of an invitation that was just mailed. */
async function invitedAs(world: TeamWorld, email: string, merchantId = SHOP): Promise<string> {
  world.clock.advance(1);
  const outcome = await world.users.invite(merchantId, ADMINISTRATOR, { email, role: "ADMIN", locale: "en" });
  assert.equal(outcome.type, "done");
  return (await world.lastMailTo(email)).token;
}

describe("an invitation", () => {
  test("shows whose it is, and whether the person has an account", async () => {
    const world = await createTeamWorld();
    const token = await invitedAs(world, "anna@example.com");
    const expiresAtMs = world.clock.nowMs() + INVITATION_LIFETIME_MS;
    const shown = { email: "anna@example.com", merchantName: "Bar SHOP-001", role: "ADMIN", locale: "en", expiresAtMs };
    assert.deepEqual(await world.invitations.look(token), { ...shown, hasAccount: false });
    await world.invitations.accept(token, { password: PASSWORD, ...FROM });
    assert.equal(await world.invitations.look(token), null);
    const other = await invitedAs(world, "anna@example.com", "SHOP-002");
    assert.equal((await world.invitations.look(other))?.hasAccount, true);
  });

  test("is nothing for a token that was never one", async () => {
    const world = await createTeamWorld();
    for (const token of ["", "x", "0".repeat(43), "../".repeat(20)]) {
      assert.equal(await world.invitations.look(token), null);
      assert.deepEqual(await world.invitations.accept(token, { password: PASSWORD, ...FROM }), { type: "used_or_expired" });
    }
  });

  test("ends by its time, by its withdrawal, and with its merchant", async () => {
    const ends: [string, (world: TeamWorld) => Promise<unknown>][] = [
      ["its time", async ({ clock }) => clock.advance(INVITATION_LIFETIME_MS)],
      ["its withdrawal", async ({ users }) => users.remove(SHOP, ADMINISTRATOR, (await users.list(SHOP))[0]?.userId ?? "")],
      ["its merchant", ({ deactivate }) => deactivate(SHOP)],
    ];
    for (const [what, end] of ends) {
      const world = await createTeamWorld();
      const token = await invitedAs(world, "anna@example.com");
      await end(world);
      assert.equal(await world.invitations.look(token), null, what);
      assert.deepEqual(await world.invitations.accept(token, { password: PASSWORD, ...FROM }), { type: "used_or_expired" }, what);
      assert.equal(await world.accounts.byEmail("anna@example.com"), null, what);
    }
  });
});

describe("accepting", () => {
  test("makes account and membership in one commit", async () => {
    const world = await createTeamWorld();
    const token = await invitedAs(world, "anna@example.com");
    const commits = world.kv.commits;
    const accepted = await world.invitations.accept(token, { password: PASSWORD, locale: "it", ...FROM });
    assert.equal(world.kv.commits, commits + 1);
    assert.ok(accepted.type === "joined");
    const stored = await world.accounts.byEmail("anna@example.com");
    assert.deepEqual(accepted, { type: "joined", account: stored, merchantId: SHOP });
    const account = accepted.account.record;
    assert.deepEqual(
      [account.passwordHash, account.locale, account.merchantIds, account.totp],
      [`hash of ${PASSWORD}`, "it", [SHOP], null],
    );
    const [user] = await world.users.list(SHOP);
    assert.deepEqual([user?.state, user?.accountId, user?.invitation], ["ACTIVE", account.accountId, null]);
    assert.deepEqual(await world.invitations.accept(token, { password: PASSWORD, ...FROM }), { type: "used_or_expired" });
  });

  test("ten times at once: one account, one membership, one answer that it was so", async () => {
    for (const hasAccount of [false, true]) {
      const world = await createTeamWorld();
      if (hasAccount) await world.join("anna@example.com", "OWNER", "SHOP-002");
      const token = await invitedAs(world, "anna@example.com");
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, () => world.invitations.accept(token, { password: PASSWORD, ...FROM })),
      );
      assert.deepEqual(outcomes.map(({ type }) => type).sort(), ["joined", ...Array(9).fill("used_or_expired")]);
      const account = await world.accountOf("anna@example.com");
      assert.deepEqual(account.merchantIds, hasAccount ? ["SHOP-002", SHOP] : [SHOP]);
      const users = await world.users.list(SHOP);
      assert.deepEqual(
        users.map(({ accountId, state }) => [accountId, state]),
        [[account.accountId, "ACTIVE"]],
      );
      const accounts = await world.kv.scan({ from: "portal-account/", to: "portal-account/~", limit: 10 });
      assert.equal(accounts.length, 1);
    }
  });

  test("invitations of two merchants at once: one account, a member of both", async () => {
    const world = await createTeamWorld();
    const tokens = [await invitedAs(world, "anna@example.com"), await invitedAs(world, "anna@example.com", "SHOP-002")];
    const outcomes = await Promise.all(tokens.map((token) => world.invitations.accept(token, { password: PASSWORD, ...FROM })));
    assert.deepEqual(
      outcomes.map(({ type }) => type),
      ["joined", "joined"],
    );
    assert.deepEqual([...(await world.accountOf("anna@example.com")).merchantIds].sort(), [SHOP, "SHOP-002"]);
  });

  test("with a password that is too common leaves the invitation open", async () => {
    const world = await createTeamWorld();
    const token = await invitedAs(world, "anna@example.com");
    assert.deepEqual(await world.invitations.accept(token, { password: TOO_COMMON, ...FROM }), { type: "password_too_common" });
    assert.equal((await world.invitations.accept(token, { password: PASSWORD, ...FROM })).type, "joined");
  });

  test("with a password that is too short or too long is refused, and leaves it open", async () => {
    const world = await createTeamWorld();
    const token = await invitedAs(world, "anna@example.com");
    for (const password of ["eleven char", "x".repeat(129)]) {
      await assert.rejects(world.invitations.accept(token, { password, ...FROM }), { code: "invalid_request" });
    }
    assert.notEqual(await world.invitations.look(token), null);
  });

  test("with an account there is proves its password, held back as a sign-in is, and changes nothing else of it", async () => {
    const world = await createTeamWorld();
    await world.join("anna@example.com", "OWNER", "SHOP-002");
    const before = await world.accountOf("anna@example.com");
    const token = await invitedAs(world, "anna@example.com");
    assert.deepEqual(await world.invitations.accept(token, { password: "another one than that", ...FROM }), { type: "invalid_login" });
    assert.deepEqual(world.proofs, [{ accountId: before.accountId, ...FROM }]);
    world.heldBack.add(FROM.ipAddress);
    await assert.rejects(world.invitations.accept(token, { password: PASSWORD, ...FROM }), { code: "rate_limited" });
    assert.equal((await world.users.list(SHOP))[0]?.state, "INVITED");
    world.heldBack.clear();
    assert.equal((await world.invitations.accept(token, { password: PASSWORD, locale: "en", ...FROM })).type, "joined");
    const { updatedAtMs } = await world.accountOf("anna@example.com");
    assert.deepEqual(await world.accountOf("anna@example.com"), { ...before, merchantIds: ["SHOP-002", SHOP], updatedAtMs });
  });
});

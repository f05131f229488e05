import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { USERS_MAX } from "../../../engine/accounts/team.ts";
import type { TeamActor } from "../../../engine/accounts/team-rules.ts";
import type { UserOutcome } from "../../../engine/accounts/users.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { session } from "./examples.ts";
import { ADMINISTRATOR, createTeamWorld, PASSWORD, SHOP } from "./team-world.ts";

const as = (userId: string): TeamActor => ({ type: "member", userId });

function told(outcome: UserOutcome): string {
  return outcome.type === "refused" ? outcome.why : "done";
}

describe("inviting", () => {
  test("stores the user and its mail in one commit, with the link and nothing but a digest of its token in the team", async () => {
    const { users, lastMailTo, teams, kv } = await createTeamWorld();
    const commits = kv.commits;
    const outcome = await users.invite(SHOP, ADMINISTRATOR, { email: "Anna@Example.com", role: "OWNER", locale: "en" });
    assert.equal(kv.commits, commits + 1);
    assert.ok(outcome.type === "done");
    const { email, role, state, hasSecondFactor } = outcome.user;
    assert.deepEqual([email, role, state, hasSecondFactor], ["anna@example.com", "OWNER", "INVITED", false]);
    const mail = await lastMailTo("anna@example.com");
    assert.deepEqual([mail.kind, mail.merchantId, mail.subject], ["invitation", SHOP, "Invitation to the portal of Bar SHOP-001"]);
    assert.equal(mail.token.length, 43);
    assert.ok(!JSON.stringify(await teams.load(SHOP)).includes(mail.token));
  });

  test("refuses what is no address, a merchant that is not there, and one that is deactivated", async () => {
    const world = await createTeamWorld();
    for (const email of [
      "anna",
      "anna@example",
      "a b@example.com",
      "anna@example.com\r\nBcc: x@example.com",
      "4111111111111111@example.com",
    ]) {
      await assert.rejects(world.users.invite(SHOP, ADMINISTRATOR, { email, role: "OWNER" }), { code: "invalid_request" }, email);
    }
    await assert.rejects(world.users.invite("SHOP-009", ADMINISTRATOR, { email: "anna@example.com", role: "OWNER" }), {
      code: "not_found",
    });
    await assert.rejects(world.users.list("../SHOP-001"), { code: "not_found" });
    await world.deactivate(SHOP);
    assert.equal(told(await world.users.invite(SHOP, ADMINISTRATOR, { email: "anna@example.com", role: "OWNER" })), "inactive");
    assert.deepEqual(await world.sent(), []);
  });

  test("of ten invited at once five are users, and five mails are written", async () => {
    const { users, sent } = await createTeamWorld();
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, index) => users.invite(SHOP, ADMINISTRATOR, { email: `user-${index}@example.com`, role: "VIEWER" })),
    );
    assert.deepEqual(outcomes.map(told).sort(), [...Array(USERS_MAX).fill("done"), ...Array(USERS_MAX).fill("users_full")]);
    const members = await users.list(SHOP);
    assert.equal(members.length, USERS_MAX);
    assert.deepEqual((await sent()).map(({ to }) => to).sort(), members.map(({ email }) => email).sort());
  });

  test("the same address invited twice at once is one user with one mail", async () => {
    const { users, sent } = await createTeamWorld();
    const outcomes = await Promise.all([1, 2].map(() => users.invite(SHOP, ADMINISTRATOR, { email: "anna@example.com", role: "VIEWER" })));
    assert.deepEqual(outcomes.map(told).sort(), ["done", "user_exists"]);
    assert.equal((await sent()).length, 1);
  });

  test("a request that is executed again under its id finds its own user, and writes no second mail", async () => {
    const { users, sent } = await createTeamWorld();
    const invitation = { email: "anna@example.com", role: "OWNER", userId: "usr_of-this-request" } as const;
    const [first, again] = [await users.invite(SHOP, ADMINISTRATOR, invitation), await users.invite(SHOP, ADMINISTRATOR, invitation)];
    assert.deepEqual(again, first);
    assert.equal((await sent()).length, 1);
    assert.equal(told(await users.invite(SHOP, ADMINISTRATOR, { ...invitation, userId: "usr_of-another" })), "user_exists");
  });

  test("has the locale of who invites, where none is named", async () => {
    const world = await createTeamWorld();
    await world.users.invite(SHOP, ADMINISTRATOR, { email: "anna@example.com", role: "OWNER", locale: "en" });
    const { token } = await world.lastMailTo("anna@example.com");
    await world.invitations.accept(token, { password: PASSWORD, ipAddress: "192.0.2.1" });
    const [owner] = await world.users.list(SHOP);
    await world.users.invite(SHOP, as(owner?.userId ?? ""), { email: "bruno@example.com", role: "VIEWER" });
    assert.match((await world.lastMailTo("bruno@example.com")).subject, /^Invitation/);
    await world.users.invite("SHOP-002", ADMINISTRATOR, { email: "carla@example.com", role: "OWNER" });
    assert.match((await world.lastMailTo("carla@example.com")).subject, /^Invito/);
  });

  test("invitations beyond an hour's fifty wait for their turn, and are refused where a thousand wait", async () => {
    const world = await createTeamWorld();
    const owner = await world.join("anna@example.com", "OWNER");
    let written = 0;
    for (; written < 1_100; written += 1) {
      const outcome = await world.users
        .invite(SHOP, as(owner), { email: `user-${written}@example.com`, role: "VIEWER" })
        .catch((error) => error);
      if (outcome instanceof Error) {
        assert.ok(outcome instanceof RelayError && outcome.code === "rate_limited", String(outcome));
        break;
      }
      await world.users.remove(SHOP, as(owner), outcome.user.userId);
    }
    assert.equal(written, 1_000 - 1, "one of them is the owner's own invitation");
    const turns = new Map<number, number>();
    for (const { kind, merchantId, createdAtMs, nextAtMs } of await world.mailStore.page(null, 2_000)) {
      if (kind !== "invitation" || merchantId !== SHOP || nextAtMs === null) continue;
      const hours = (nextAtMs - createdAtMs) / 3_600_000;
      turns.set(hours, (turns.get(hours) ?? 0) + 1);
    }
    assert.deepEqual(
      [...turns].sort(([a], [b]) => a - b),
      Array.from({ length: 20 }, (_, hour) => [hour, 50]),
    );
    assert.equal(told(await world.users.invite("SHOP-002", ADMINISTRATOR, { email: "late@example.com", role: "VIEWER" })), "done");
  });

  test("again: another link, and the first one is dead", async () => {
    const world = await createTeamWorld();
    const invited = await world.users.invite(SHOP, ADMINISTRATOR, { email: "anna@example.com", role: "OWNER" });
    assert.ok(invited.type === "done");
    const first = await world.lastMailTo("anna@example.com");
    assert.equal(told(await world.users.inviteAgain(SHOP, ADMINISTRATOR, invited.user.userId)), "too_soon");
    world.clock.advance(60_000);
    assert.equal(told(await world.users.inviteAgain(SHOP, ADMINISTRATOR, invited.user.userId)), "done");
    const second = await world.lastMailTo("anna@example.com");
    assert.notEqual(second.token, first.token);
    assert.equal(await world.invitations.look(first.token), null);
    assert.equal((await world.invitations.look(second.token))?.email, "anna@example.com");
  });
});

describe("the last owner", () => {
  test("two owners who remove, demote or disable each other at once leave one", async () => {
    for (const change of ["remove", { role: "ADMIN" }, { state: "DISABLED" }] as const) {
      const world = await createTeamWorld();
      const [one, other] = [await world.join("anna@example.com", "OWNER"), await world.join("bruno@example.com", "OWNER")];
      const by = (actor: string, user: string) =>
        change === "remove" ? world.users.remove(SHOP, as(actor), user) : world.users.change(SHOP, as(actor), user, change);
      const outcomes = await Promise.all([by(one, other), by(other, one)]);
      const [word] = outcomes.map(told).filter((outcome) => outcome !== "done");
      assert.equal(outcomes.map(told).filter((outcome) => outcome === "done").length, 1);
      // Whoever comes second is no active owner any more, and the other one is the last.
      assert.equal(word, "role");
      const owners = (await world.users.list(SHOP)).filter(({ role, state }) => role === "OWNER" && state === "ACTIVE");
      assert.equal(owners.length, 1);
    }
  });

  test("two owners who leave at once: one stays", async () => {
    const world = await createTeamWorld();
    const owners = [await world.join("anna@example.com", "OWNER"), await world.join("bruno@example.com", "OWNER")];
    const outcomes = await Promise.all(owners.map((userId) => world.users.remove(SHOP, as(userId), userId)));
    assert.deepEqual(outcomes.map(told).sort(), ["done", "last_owner"]);
  });
});

describe("who is disabled or removed", () => {
  test("has no session at this merchant any more, and those at others stay", async () => {
    for (const change of ["remove", "disable"] as const) {
      const world = await createTeamWorld();
      await world.join("anna@example.com", "OWNER");
      const userId = await world.join("bruno@example.com", "ADMIN");
      await world.join("bruno@example.com", "ADMIN", "SHOP-002");
      const { accountId } = await world.accountOf("bruno@example.com");
      const facts = { accountId, email: "bruno@example.com" };
      for (const [token, merchantId] of [
        ["t1", SHOP],
        ["t2", "SHOP-002"],
      ] as const) {
        const begun = await world.sessions.begin(session(token, world.clock.nowMs(), { ...facts, merchantId }), { replaces: null });
        assert.equal(begun, "committed");
      }
      const outcome =
        change === "remove"
          ? await world.users.remove(SHOP, ADMINISTRATOR, userId)
          : await world.users.change(SHOP, ADMINISTRATOR, userId, { state: "DISABLED" });
      assert.equal(told(outcome), "done");
      assert.deepEqual(
        (await world.sessions.ofAccount(accountId)).map(({ merchantId }) => merchantId),
        ["SHOP-002"],
      );
      const { merchantIds } = await world.accountOf("bruno@example.com");
      assert.deepEqual(merchantIds, change === "remove" ? ["SHOP-002"] : [SHOP, "SHOP-002"]);
    }
  });

  test("is out though its sessions could not be deleted, and the log says so", async () => {
    const world = await createTeamWorld();
    await world.join("anna@example.com", "OWNER");
    const userId = await world.join("bruno@example.com", "ADMIN");
    const { accountId } = await world.accountOf("bruno@example.com");
    await world.sessions.begin(session("t1", world.clock.nowMs(), { accountId }), { replaces: null });
    // The second commit is that of the sessions.
    let commits = 0;
    world.kv.fate = () => {
      commits += 1;
      return commits === 1 ? "done" : "refused";
    };
    assert.equal(told(await world.users.remove(SHOP, ADMINISTRATOR, userId)), "done");
    assert.equal(world.failures.length, 1);
    assert.equal((await world.users.list(SHOP)).length, 1);
  });

  test("may be invited again with the account that it has", async () => {
    const world = await createTeamWorld();
    await world.join("anna@example.com", "OWNER");
    const userId = await world.join("bruno@example.com", "ADMIN");
    await world.users.remove(SHOP, as(userId), userId);
    assert.notEqual(await world.join("bruno@example.com", "VIEWER"), userId);
    assert.deepEqual((await world.accountOf("bruno@example.com")).merchantIds, [SHOP]);
  });
});

test("the list has the merchant's users only, and who has a second factor", async () => {
  const world = await createTeamWorld();
  await world.join("anna@example.com", "OWNER");
  await world.join("bruno@example.com", "OWNER", "SHOP-002");
  const before = await world.accounts.byEmail("anna@example.com");
  assert.ok(before !== null);
  const totp = { sealedSecret: "sealed", lastStep: 0, enrolledAtMs: 1 };
  await world.accounts.commit({ account: { record: { ...before.record, totp }, version: before.version }, before: before.record });
  const listed = (merchantId: string) =>
    world.users.list(merchantId).then((users) => users.map(({ email, hasSecondFactor }) => [email, hasSecondFactor]));
  assert.deepEqual(await listed(SHOP), [["anna@example.com", true]]);
  assert.deepEqual(await listed("SHOP-002"), [["bruno@example.com", false]]);
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { MERCHANT_ROLES, type MerchantRole } from "../../../engine/access/merchant-user-grant.ts";
import { INVITATION_LIFETIME_MS, type MemberRecord, newTeam, RESEND_AFTER_MS, type TeamRecord } from "../../../engine/accounts/team.ts";
import {
  changeMember,
  invite,
  inviteAgain,
  invitedBy,
  join,
  type MemberChange,
  removeMember,
  type TeamActor,
  type TeamDecision,
} from "../../../engine/accounts/team-rules.ts";

const AT_MS = 1_800_000_000_000;
const ADMINISTRATOR: TeamActor = { type: "administrator" };

/** `owner` is an active OWNER, `admin:DISABLED` a disabled ADMIN, `owner-2` another OWNER. */
function memberNamed(name: string): MemberRecord {
  const [id = "", word] = name.split(":");
  const state = word === "INVITED" || word === "DISABLED" ? word : "ACTIVE";
  const role = MERCHANT_ROLES.find((one) => one === id.split("-")[0]?.toUpperCase()) ?? "VIEWER";
  const isInvited = state === "INVITED";
  return {
    ...{
      userId: id,
      email: `${id}@example.com`,
      role,
      state,
      accountId: isInvited ? null : `acc_${id}`,
      locale: "it",
    },
    ...{ invitedAtMs: AT_MS - RESEND_AFTER_MS, joinedAtMs: isInvited ? null : AT_MS - RESEND_AFTER_MS },
    invitation: isInvited ? { tokenSha256: `token of ${id}`, expiresAtMs: AT_MS + 1 } : null,
  };
}

function teamOf(...names: string[]): TeamRecord {
  return { ...newTeam("SHOP-001"), members: names.map(memberNamed) };
}

function actorOf(name: string): TeamActor {
  return name === "administrator" ? ADMINISTRATOR : { type: "member", userId: name };
}

/** What became of it, in a word. */
function told(decision: TeamDecision): string {
  return decision.type === "refused" ? decision.why : "changed";
}

function newMember(role: MerchantRole, email = "new@example.com") {
  return { userId: "new", email, role, locale: "en", tokenSha256: "new token" } as const;
}

describe("who may invite whom", () => {
  const cases: [actor: string, role: MerchantRole, expected: string][] = [
    ["owner", "OWNER", "changed"],
    ["owner", "VIEWER", "changed"],
    ["administrator", "OWNER", "changed"],
    ["admin", "OWNER", "role"],
    ["admin", "ADMIN", "changed"],
    ["admin", "FINANCE", "changed"],
    ["finance", "VIEWER", "role"],
    ["developer", "VIEWER", "role"],
    ["stranger", "VIEWER", "role"],
  ];
  for (const [actor, role, expected] of cases) {
    test(`${actor} invites ${role}: ${expected}`, () => {
      const team = teamOf("owner", "admin", "finance", "developer");
      assert.equal(told(invite(team, actorOf(actor), newMember(role), AT_MS)), expected);
    });
  }

  test("who was disabled meanwhile may not", () => {
    assert.equal(told(invite(teamOf("owner", "owner-2:DISABLED"), actorOf("owner-2"), newMember("VIEWER"), AT_MS)), "role");
  });
});

describe("invitations", () => {
  test("the sixth user is refused, invited and disabled ones counted", () => {
    const team = teamOf("owner", "admin", "finance:DISABLED", "viewer:INVITED");
    const fifth = invite(team, actorOf("owner"), newMember("VIEWER"), AT_MS);
    assert.equal(told(fifth), "changed");
    assert.ok(fifth.type === "changed");
    assert.equal(told(invite(fifth.team, ADMINISTRATOR, newMember("OWNER", "sixth@example.com"), AT_MS)), "users_full");
  });

  test("an address is a user once, whatever became of it", () => {
    for (const name of ["viewer", "viewer:DISABLED", "viewer:INVITED"]) {
      assert.equal(
        told(invite(teamOf("owner", name), ADMINISTRATOR, newMember("ADMIN", "viewer@example.com"), AT_MS)),
        "user_exists",
        name,
      );
    }
  });

  test("an address whose invitation has ended is invited again in its place, also where the team is full", () => {
    const team = teamOf("owner", "admin", "finance", "developer", "viewer:INVITED");
    const decision = invite(team, actorOf("admin"), newMember("FINANCE", "viewer@example.com"), AT_MS + 1);
    assert.ok(decision.type === "changed");
    assert.equal(decision.team.members.length, 5);
    const { userId, role, invitation } = decision.member;
    assert.deepEqual(
      [userId, role, invitation],
      ["viewer", "FINANCE", { tokenSha256: "new token", expiresAtMs: AT_MS + 1 + INVITATION_LIFETIME_MS }],
    );
    const owners = teamOf("owner", "admin", "owner-2:INVITED");
    assert.equal(told(invite(owners, actorOf("admin"), newMember("VIEWER", "owner-2@example.com"), AT_MS + 1)), "role");
  });

  test("is sent again with a new token, not at once, and not to who has joined", () => {
    const team = teamOf("owner", "admin", "viewer:INVITED", "owner-2:INVITED");
    const again = inviteAgain(team, actorOf("admin"), "viewer", "second", AT_MS);
    assert.ok(again.type === "changed");
    assert.equal(invitedBy(again.team, "token of viewer", AT_MS), null);
    assert.equal(invitedBy(again.team, "second", AT_MS)?.userId, "viewer");
    assert.equal(told(inviteAgain(again.team, actorOf("admin"), "viewer", "third", AT_MS + RESEND_AFTER_MS - 1)), "too_soon");
    assert.equal(told(inviteAgain(again.team, actorOf("admin"), "viewer", "third", AT_MS + RESEND_AFTER_MS)), "changed");
    assert.equal(told(inviteAgain(team, actorOf("admin"), "owner-2", "second", AT_MS)), "role");
    assert.equal(told(inviteAgain(team, actorOf("owner"), "admin", "second", AT_MS)), "joined");
    assert.equal(told(inviteAgain(team, actorOf("owner"), "nobody", "second", AT_MS)), "not_found");
  });

  test("is accepted once, until its time has passed", () => {
    const team = teamOf("owner", "viewer:INVITED");
    assert.equal(join(team, "token of viewer", "acc_1", AT_MS + 1), null);
    assert.equal(join(team, "token of owner", "acc_1", AT_MS), null);
    const joined = join(team, "token of viewer", "acc_1", AT_MS);
    const { state, accountId, joinedAtMs, invitation } = joined?.member ?? memberNamed("viewer");
    assert.deepEqual([state, accountId, joinedAtMs, invitation], ["ACTIVE", "acc_1", AT_MS, null]);
    assert.equal(join(joined?.team ?? team, "token of viewer", "acc_2", AT_MS), null);
  });
});

describe("what becomes of a member", () => {
  const team = ["owner", "owner-2", "admin", "admin-2", "finance", "viewer:INVITED", "owner-3:INVITED"];
  const alone = ["owner", "admin", "owner-2:DISABLED", "owner-3:INVITED"];
  const cases: [team: string[], actor: string, user: string, change: MemberChange, expected: string][] = [
    [team, "owner", "admin", { role: "OWNER" }, "changed"],
    [team, "owner", "owner-2", { role: "VIEWER" }, "changed"],
    [team, "owner", "owner-2", { state: "DISABLED" }, "changed"],
    [team, "administrator", "owner", { state: "DISABLED" }, "changed"],
    [team, "admin", "admin-2", { role: "VIEWER" }, "changed"],
    [team, "admin", "finance", { state: "DISABLED" }, "changed"],
    [team, "admin", "viewer", { role: "FINANCE" }, "changed"],
    // Owners are the business of owners.
    [team, "admin", "owner-2", { role: "VIEWER" }, "role"],
    [team, "admin", "owner-3", { role: "VIEWER" }, "role"],
    [team, "admin", "finance", { role: "OWNER" }, "role"],
    [team, "finance", "viewer", { role: "ADMIN" }, "role"],
    // The own role and state.
    [team, "owner", "owner", { role: "ADMIN" }, "role"],
    [team, "owner", "owner", { state: "DISABLED" }, "role"],
    [team, "admin", "admin", { role: "OWNER" }, "role"],
    [team, "admin", "admin", { role: "ADMIN", state: "ACTIVE" }, "changed"],
    // The last owner: neither an invited nor a disabled one is another.
    [alone, "administrator", "owner", { role: "ADMIN" }, "last_owner"],
    [alone, "administrator", "owner", { state: "DISABLED" }, "last_owner"],
    [alone, "owner", "owner", { role: "ADMIN" }, "last_owner"],
    [alone, "admin", "owner", { role: "ADMIN" }, "role"],
    [alone, "owner", "owner-2", { role: "ADMIN" }, "changed"],
    [alone, "owner", "owner-2", { state: "ACTIVE" }, "changed"],
    [alone, "owner", "owner-3", { role: "VIEWER" }, "changed"],
    [team, "owner", "viewer", { state: "ACTIVE" }, "invited"],
    [team, "owner", "viewer", { state: "DISABLED" }, "invited"],
    [team, "owner", "nobody", { role: "VIEWER" }, "not_found"],
    // Somebody else was first; what is as wanted already is no conflict.
    [team, "owner", "admin", { role: "FINANCE", seen: { role: "ADMIN", state: "ACTIVE" } }, "changed"],
    [team, "owner", "admin", { role: "FINANCE", seen: { role: "VIEWER", state: "ACTIVE" } }, "stale"],
    [team, "owner", "admin", { state: "DISABLED", seen: { role: "FINANCE", state: "ACTIVE" } }, "stale"],
    [team, "owner", "admin", { role: "ADMIN", seen: { role: "VIEWER", state: "ACTIVE" } }, "changed"],
    [team, "admin", "owner-2", { role: "VIEWER", seen: { role: "ADMIN", state: "ACTIVE" } }, "role"],
  ];
  for (const [names, actor, user, change, expected] of cases) {
    test(`${actor} makes ${user} ${JSON.stringify(change)} among ${names.join(", ")}: ${expected}`, () => {
      const before = teamOf(...names);
      const decision = changeMember(before, actorOf(actor), user, change, AT_MS);
      assert.equal(told(decision), expected);
      if (decision.type === "refused") return;
      const { role, state } = decision.member;
      const { seen: _, ...wanted } = change;
      assert.deepEqual({ role, state, ...wanted }, { role, state });
      assert.deepEqual(
        decision.team.members.filter(({ userId }) => userId !== user),
        before.members.filter(({ userId }) => userId !== user),
      );
    });
  }
});

describe("who may remove whom", () => {
  const team = ["owner", "owner-2", "admin", "admin-2", "viewer", "finance:INVITED", "owner-3:INVITED"];
  const alone = ["owner", "admin", "owner-2:DISABLED", "owner-3:INVITED"];
  const cases: [team: string[], actor: string, user: string, expected: string][] = [
    [team, "owner", "owner-2", "changed"],
    [team, "owner", "owner", "changed"],
    [team, "admin", "admin-2", "changed"],
    [team, "admin", "finance", "changed"],
    [team, "admin", "owner", "role"],
    [team, "admin", "owner-3", "role"],
    [team, "viewer", "viewer", "changed"],
    [team, "viewer", "finance", "role"],
    [alone, "owner", "owner", "last_owner"],
    [alone, "administrator", "owner", "last_owner"],
    [alone, "administrator", "owner-2", "changed"],
    [alone, "owner", "owner-3", "changed"],
    [alone, "owner", "nobody", "not_found"],
  ];
  for (const [names, actor, user, expected] of cases) {
    test(`${actor} removes ${user} among ${names.join(", ")}: ${expected}`, () => {
      const decision = removeMember(teamOf(...names), actorOf(actor), user, AT_MS);
      assert.equal(told(decision), expected);
      if (decision.type === "refused") return;
      assert.deepEqual(
        decision.team.members.map(({ userId }) => userId),
        teamOf(...names.filter((name) => name.split(":")[0] !== user)).members.map(({ userId }) => userId),
      );
    });
  }
});

test("two members never have the same id", () => {
  const invited = { userId: "owner", email: "new@example.com", role: "ADMIN", locale: "it", tokenSha256: "token" } as const;
  assert.equal(told(invite(teamOf("owner", "admin"), ADMINISTRATOR, invited, AT_MS)), "user_exists");
});

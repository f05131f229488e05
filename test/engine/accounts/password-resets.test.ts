import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { RESET_LIFETIME_MS } from "../../../engine/accounts/password-reset.ts";
import { session } from "./examples.ts";
import { createTeamWorld, PASSWORD, type TeamWorld, TOO_COMMON } from "./team-world.ts";

const ADDRESS = "192.0.2.1";
const NEW_PASSWORD = "quite another passphrase";

async function withOwner(): Promise<TeamWorld> {
  const world = await createTeamWorld();
  await world.join("anna@example.com", "OWNER");
  return world;
}

/** Asks, waits for what is done for it, and answers with the token of the last mail. */
async function asked(world: TeamWorld, email = "anna@example.com"): Promise<string> {
  world.clock.advance(1);
  await world.forgotten.ask(email, ADDRESS);
  await world.forgotten.idle();
  return (await world.lastMailTo(email)).token;
}

const resetMails = async ({ sent }: TeamWorld) => (await sent()).filter(({ kind }) => kind === "password-reset");

describe("a forgotten password", () => {
  test("is answered without a look at whether there is an account", async () => {
    const world = await withOwner();
    for (const email of ["anna@example.com", "nobody@example.com"]) {
      world.kv.hold();
      // Nothing is committed meanwhile, and the answer is there all the same.
      await world.forgotten.ask(email, ADDRESS);
      world.kv.release();
      await world.forgotten.idle();
    }
    assert.deepEqual(
      (await resetMails(world)).map(({ to }) => to),
      ["anna@example.com"],
    );
    assert.deepEqual(world.failures, []);
  });

  test("has three links an hour, by mail, each for an hour", async () => {
    const world = await withOwner();
    for (let count = 0; count < 5; count += 1) await asked(world);
    const mails = await resetMails(world);
    assert.equal(mails.length, 3);
    assert.equal(new Set(mails.map(({ token }) => token)).size, 3);
    world.clock.advance(RESET_LIFETIME_MS);
    const last = mails.at(-1)?.token ?? "";
    assert.deepEqual(await world.forgotten.reset(last, NEW_PASSWORD), { type: "used_or_expired" });
    await asked(world);
    assert.equal((await resetMails(world)).length, 4);
  });

  test("asked for many times at once writes no more", async () => {
    const world = await withOwner();
    await Promise.all(Array.from({ length: 20 }, () => world.forgotten.ask("anna@example.com", ADDRESS)));
    await world.forgotten.idle();
    assert.equal((await resetMails(world)).length, 3);
    assert.deepEqual(world.failures, []);
  });

  test("is held back by the address it is asked from, and refused for what is no e-mail address", async () => {
    const world = await withOwner();
    world.heldBack.add(ADDRESS);
    await assert.rejects(world.forgotten.ask("anna@example.com", ADDRESS), { code: "rate_limited" });
    await assert.rejects(world.forgotten.ask("anna", "192.0.2.2"), { code: "invalid_request" });
    await world.forgotten.idle();
    assert.deepEqual(await resetMails(world), []);
  });

  test("is not waited for without end: of many at once some are refused, whoever they are for", async () => {
    const world = await withOwner();
    world.kv.hold();
    const asked = await Promise.allSettled(Array.from({ length: 100 }, () => world.forgotten.ask("anna@example.com", ADDRESS)));
    world.kv.release();
    await world.forgotten.idle();
    const refused = asked.filter(({ status }) => status === "rejected");
    assert.equal(refused.length, 36);
    for (const one of refused) assert.ok(one.status === "rejected" && one.reason.code === "too_busy");
  });

  test("that could not be stored is in the log, and the person asks again", async () => {
    const world = await withOwner();
    world.kv.fate = () => "refused";
    await world.forgotten.ask("anna@example.com", ADDRESS);
    await world.forgotten.idle();
    assert.equal(world.failures.length, 1);
    world.kv.fate = () => "done";
    assert.notEqual(await asked(world), "");
  });
});

describe("a reset", () => {
  test("sets the password, keeps the second factor, ends all sessions, and tells the person", async () => {
    const world = await withOwner();
    const before = await world.accounts.byEmail("anna@example.com");
    assert.ok(before !== null);
    const { accountId } = before.record;
    const totp = { sealedSecret: "sealed", lastStep: 7, enrolledAtMs: 1 };
    const withFactor = { ...before.record, totp, recoveryCodes: ["digest"] };
    await world.accounts.commit({ account: { record: withFactor, version: before.version }, before: before.record });
    for (const token of ["t1", "t2"]) await world.sessions.begin(session(token, world.clock.nowMs(), { accountId }), { replaces: null });
    const token = await asked(world);
    const outcome = await world.forgotten.reset(token, NEW_PASSWORD);
    const after = await world.accountOf("anna@example.com");
    assert.deepEqual(outcome, { type: "done", account: after });
    assert.deepEqual(after, { ...withFactor, passwordHash: `hash of ${NEW_PASSWORD}`, updatedAtMs: after.updatedAtMs });
    assert.deepEqual(await world.sessions.ofAccount(accountId), []);
    const notice = await world.lastMailTo("anna@example.com");
    assert.deepEqual([notice.kind, notice.token], ["security-notice", ""]);
  });

  test("counts once, also of ten at once, and the other links are dead with it", async () => {
    const world = await withOwner();
    const [first, second] = [await asked(world), await asked(world)];
    const outcomes = await Promise.all(Array.from({ length: 10 }, (_, index) => world.forgotten.reset(first, `${NEW_PASSWORD} ${index}`)));
    assert.deepEqual(outcomes.map(({ type }) => type).sort(), ["done", ...Array(9).fill("used_or_expired")]);
    const winner = outcomes.findIndex(({ type }) => type === "done");
    assert.equal((await world.accountOf("anna@example.com")).passwordHash, `hash of ${NEW_PASSWORD} ${winner}`);
    assert.deepEqual(await world.forgotten.reset(second, NEW_PASSWORD), { type: "used_or_expired" });
    assert.equal((await world.sent()).filter(({ kind }) => kind === "security-notice").length, 1);
    // They were asked for all the same: a third may be, and no fourth.
    await asked(world);
    await asked(world);
    assert.equal((await resetMails(world)).length, 3);
  });

  test("is refused for a token that was never one, and for a common password, which leaves it open", async () => {
    const world = await withOwner();
    for (const token of ["", "0".repeat(43)])
      assert.deepEqual(await world.forgotten.reset(token, NEW_PASSWORD), { type: "used_or_expired" });
    const token = await asked(world);
    assert.deepEqual(await world.forgotten.reset(token, TOO_COMMON), { type: "password_too_common" });
    assert.equal((await world.forgotten.reset(token, NEW_PASSWORD)).type, "done");
  });
});

test("factors that were lost are taken from the account with its sessions, its password stays, and the person is told", async () => {
  const world = await withOwner();
  const before = await world.accounts.byEmail("anna@example.com");
  assert.ok(before !== null);
  const { accountId } = before.record;
  const totp = { sealedSecret: "sealed", lastStep: 7, enrolledAtMs: 1 };
  const record = { ...before.record, totp, recoveryCodes: ["digest"] };
  await world.accounts.commit({ account: { record, version: before.version }, before: before.record });
  await world.sessions.begin(session("t1", world.clock.nowMs(), { accountId }), { replaces: null });
  world.clock.advance(1);
  await world.resetFactors("Anna@Example.com");
  const { totp: left, passkeys, recoveryCodes, passwordHash } = await world.accountOf("anna@example.com");
  assert.deepEqual([left, passkeys, recoveryCodes, passwordHash], [null, [], [], `hash of ${PASSWORD}`]);
  assert.deepEqual(await world.sessions.ofAccount(accountId), []);
  assert.equal((await world.lastMailTo("anna@example.com")).kind, "security-notice");
  for (const email of ["nobody@example.com", "nobody"]) await assert.rejects(world.resetFactors(email), { code: "not_found" });
});

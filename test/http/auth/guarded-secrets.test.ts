import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createGuardedSecrets, PORTAL_LIMITS } from "../../../http/auth/guarded-secrets.ts";
import { createLoginThrottle, type HeldBy } from "../../../http/auth/login-throttle.ts";
import { hashPassword } from "../../../http/auth/partner-password.ts";

const MINUTE_MS = 60_000;
const ANNA = { username: "acc_anna", isKnown: true };

async function world() {
  const time = { nowMs: 0 };
  const held: { by: HeldBy; account: string | null }[] = [];
  const monotonicMs = () => time.nowMs;
  const holdBegan = ({ by, account }: { by: HeldBy; account: string | null }) => void held.push({ by, account });
  const throttle = createLoginThrottle({ monotonicMs, limits: PORTAL_LIMITS, observe: { holdBegan } });
  const guard = createGuardedSecrets(throttle);
  const hash = await hashPassword("the right one");
  const attempt = (password: string, ipAddress: string, account = ANNA) =>
    guard.isPassword(password, { account, hash: account.isKnown ? hash : null, version: 1 }, ipAddress);
  const code = (typed: string, ipAddress: string, atMs = time.nowMs) =>
    guard.compareCode(typed, { accountId: ANNA.username, atMs }, ipAddress, async () => (typed === "right" ? "opened" : null));
  return { time, held, guard, attempt, code };
}

const HELD = { name: "RelayError", code: "rate_limited" };

describe("guarded secrets", () => {
  it("compare five wrong passwords of an account in a quarter of an hour, over all addresses, and then wait", async () => {
    const { time, attempt, held } = await world();
    for (let guess = 0; guess < 5; guess += 1) assert.equal(await attempt(`guess ${guess}`, `192.0.2.${guess}`), false);
    await assert.rejects(attempt("the right one", "192.0.2.9"), HELD);
    assert.deepEqual(held, [{ by: "account", account: "acc_anna" }]);
    time.nowMs += 15 * MINUTE_MS;
    assert.equal(await attempt("the right one", "192.0.2.9"), true);
  });

  it("wait longer the more there were", async () => {
    const { time, attempt } = await world();
    const compared: number[] = [];
    // Somebody who tries as often as it is let, from ever new addresses.
    for (let guess = 0; time.nowMs < 24 * 60 * MINUTE_MS; ) {
      const outcome = await attempt(`guess ${guess}`, `198.51.100.${guess % 200}`).catch(() => null);
      if (outcome === null) time.nowMs += MINUTE_MS;
      else {
        guess += 1;
        compared.push(time.nowMs);
      }
    }
    const within = (minutes: number) => compared.filter((atMs) => atMs < minutes * MINUTE_MS).length;
    assert.deepEqual([within(15), within(60), within(360), within(1440)], [5, 10, 20, 40]);
  });

  it("let a person in from where it signed in before, whatever strangers try", async () => {
    const { guard, attempt } = await world();
    assert.equal(await attempt("the right one", "203.0.113.1"), true);
    guard.signedIn(ANNA.username, "203.0.113.1");
    for (let guess = 0; guess < 5; guess += 1) await attempt(`guess ${guess}`, "192.0.2.1");
    await assert.rejects(attempt("the right one", "192.0.2.2"), HELD);
    assert.equal(await attempt("the right one", "203.0.113.1"), true);
  });

  it("count the same wrong password once, and hold an unknown account back as a known one", async () => {
    const { attempt } = await world();
    const nobody = { username: "portal nobody@example.com", isKnown: false };
    for (const account of [ANNA, nobody]) {
      for (let again = 0; again < 8; again += 1) assert.equal(await attempt("forgotten", "192.0.2.1", account), false);
      for (let guess = 0; guess < 4; guess += 1) assert.equal(await attempt(`guess ${guess}`, "192.0.2.1", account), false);
      await assert.rejects(attempt("one more", "192.0.2.1", account), HELD);
    }
  });

  it("count wrong codes with wrong passwords, the same code once in each of its steps", async () => {
    const { time, attempt, code } = await world();
    assert.equal(await attempt("guess", "192.0.2.1"), false);
    for (const typed of ["1", "1", "1", "2"]) assert.equal(await code(typed, "192.0.2.1"), null);
    assert.equal(await code("1", "192.0.2.1", time.nowMs + 30_000), null);
    assert.equal(await code("3", "192.0.2.1"), null);
    await assert.rejects(code("right", "192.0.2.1"), HELD);
    await assert.rejects(attempt("the right one", "192.0.2.1"), HELD);
  });

  it("count nothing of what was right, nor of what could not be compared", async () => {
    const { guard, code } = await world();
    for (let round = 0; round < 10; round += 1) {
      assert.equal(await code("right", "192.0.2.1"), "opened");
      const away = async () => {
        throw new Error("the store is away");
      };
      const options = { accountId: ANNA.username, atMs: round };
      await assert.rejects(guard.compareCode(`${round}`, options, "192.0.2.1", away), /the store is away/);
    }
    assert.equal(await code("wrong", "192.0.2.1"), null);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createAccountStore } from "../../../../engine/accounts/account-store.ts";
import { createSessionStore } from "../../../../engine/accounts/session-store.ts";
import type { Kv } from "../../../../engine/kernel/kv.ts";
import { PasswordVerifier } from "../../../../http/auth/partner-password.ts";
import { readConfig } from "../../../../infra/node/boot/config.ts";
import { SANDBOX_MERCHANT, SANDBOX_OWNER } from "../../../../infra/node/boot/sandbox-names.ts";
import { prepareSandboxOwner } from "../../../../infra/node/process/sandbox-owner.ts";
import { DEMO_PARTNER } from "../../../../infra/node/process/sandbox-partner.ts";
import { session } from "../../../engine/accounts/examples.ts";
import { MemoryKv } from "../../../engine/kernel/memory-kv.ts";
import { bracketed } from "../../../engine/partners/merchant-world.ts";
import { ManualClock } from "../../../engine/world.ts";

const SANDBOX = readConfig({});
const PRODUCTION = readConfig({
  RELAY_MODE: "production",
  RELAY_HOST: "127.0.0.1",
  RELAY_TERMINAL_SECRET: "a-terminal-secret-of-this-test",
  RELAY_SECRET_KEY: "q2r9C2Xq0o6Qb0V3J8cVbFh3b0k4m1Zl7pXn5sYtT2E=",
});

async function world() {
  const kv = new MemoryKv();
  const clock = new ManualClock();
  const [accounts, sessions] = [createAccountStore(kv), createSessionStore(kv, clock.nowMs)];
  await prepareSandboxOwner(kv, SANDBOX, bracketed, clock);
  const found = async () => (await accounts.byEmail(SANDBOX_OWNER.email)) ?? assert.fail("there is no owner");
  const { record } = await found();
  const signIn = async (tokenSha256: string) => {
    const { accountId, email } = record;
    const begun = session(tokenSha256, clock.nowMs(), { accountId, email, merchantId: SANDBOX_MERCHANT.merchantId });
    assert.equal(await sessions.begin(begun, { replaces: null }), "committed");
  };
  return { kv, clock, sessions, found, signIn, before: record };
}

describe("the sandbox's owner", () => {
  it("signs in with the password that everyone knows, and so does the demo partner", async () => {
    const turn = { address: "127.0.0.1", isUsual: true };
    for (const { password, passwordHash } of [SANDBOX_OWNER, DEMO_PARTNER]) {
      assert.equal(await new PasswordVerifier().verify(password, passwordHash, turn), true);
    }
    assert.equal((await world()).before.passwordHash, SANDBOX_OWNER.passwordHash);
  });

  it("has no password and no factor that everyone knows, and no session, once the data is in production", async () => {
    const { kv, clock, sessions, found, signIn, before } = await world();
    await signIn("1".repeat(64));
    await prepareSandboxOwner(kv, PRODUCTION, bracketed, clock);
    const { record } = await found();
    assert.notEqual(record.passwordHash, before.passwordHash);
    assert.deepEqual([record.totp, record.passkeys, record.recoveryCodes], [null, [], []]);
    assert.deepEqual(await sessions.ofAccount(before.accountId), []);
  });

  it("is closed also where somebody signs in at that moment", async () => {
    const { kv, clock, sessions, found, signIn, before } = await world();
    let isFirst = true;
    const busy: Kv = {
      ...{ get: kv.get.bind(kv), getMany: kv.getMany.bind(kv), scan: kv.scan.bind(kv), count: kv.count.bind(kv), close: kv.close.bind(kv) },
      commit: async (change) => {
        if (isFirst) {
          isFirst = false;
          await signIn("2".repeat(64));
        }
        return kv.commit(change);
      },
    };
    await prepareSandboxOwner(busy, PRODUCTION, bracketed, clock);
    const { record } = await found();
    assert.notEqual(record.passwordHash, before.passwordHash);
    assert.equal(record.totp, null);
    assert.deepEqual(await sessions.ofAccount(before.accountId), []);
  });
});

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { TOTP } from "otpauth";
import type { AdministratorRecord } from "../../../engine/access/administrator.ts";
import { createProveFactor } from "../../../engine/accounts/prove-factor.ts";
import { createSessionStoreAt } from "../../../engine/accounts/session-store.ts";
import { administratorTotpPlace, createAdministratorFactorsStore } from "../../../engine/administrators/administrator-factors-store.ts";
import { ADMINISTRATOR_SESSIONS, type AdministratorSession } from "../../../engine/administrators/administrator-session.ts";
import { createAdministratorSignIn } from "../../../engine/administrators/administrator-sign-in.ts";
import { createCheckAdministratorSession } from "../../../engine/administrators/check-administrator-session.ts";
import type { OwnerFactorChange } from "../../../engine/administrators/owner-notice.ts";
import { createSigningAdministrators } from "../../../engine/administrators/signing-administrators.ts";
import { createGuardedSecrets, PORTAL_LIMITS } from "../../../http/auth/guarded-secrets.ts";
import { createLoginThrottle } from "../../../http/auth/login-throttle.ts";
import { createPasskeys } from "../../../http/auth/passkeys.ts";
import { createTotp } from "../../../http/auth/totp.ts";
import { createSecretBox } from "../../../infra/node/boot/secret-box.ts";
import { accountSecrets } from "../../../infra/node/wiring/access/accounts.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { ManualClock, settle } from "../world.ts";

const CLIENT = { ipAddress: "192.0.2.1", userAgent: "Firefox" };
const MINUTE_MS = 60_000;
const sha256 = (text: string) => createHash("sha256").update(text, "utf8").digest("hex");

/** Anna, an operator, whose password is "right" for as long as the test says; `while` runs while it is compared. */
function world() {
  const kv = new MemoryKv();
  const clock = new ManualClock();
  kv.nowMs = clock.nowMs;
  const { nowMs } = clock;
  const box = createSecretBox({ current: randomBytes(32).toString("hex"), old: null });
  const state = { generation: 1, comparing: () => {} };
  /** What the owner of the configuration was told. */
  const told: OwnerFactorChange[] = [];
  let anna: AdministratorRecord | null = {
    ...{ schema: 1, username: "anna", role: "operator", enabled: true, password: { type: "sha256", hex: "1" } },
    ...{ createdAtMs: 1, updatedAtMs: 1, passwordChangedAtMs: 1 },
  };
  const administrators = createSigningAdministrators({
    administrators: {
      configured: "admin",
      generation: () => state.generation,
      isConfigured: (name) => name === "admin",
      byUsername: () => anna,
      list: () => (anna === null ? [] : [anna]),
    },
    configuredPassword: { type: "sha256", hex: "0" },
    digest: sha256,
    keyedDigest: (text) => sha256(`key ${text}`),
  });
  const sessions = createSessionStoreAt<AdministratorSession>(kv, nowMs, ADMINISTRATOR_SESSIONS);
  const passkeys = createPasskeys({ publicUrl: () => "https://relay.example", key: randomBytes(32), nowMs });
  const totp = createTotp("Terminal Relay");
  const signIn = createAdministratorSignIn({
    ...{ administrators, sessions, totp, passkeys, secrets: accountSecrets, box, clock },
    factors: createAdministratorFactorsStore(kv),
    guard: createGuardedSecrets(createLoginThrottle({ monotonicMs: clock.monotonicMs, limits: PORTAL_LIMITS })),
    proveFactor: createProveFactor({ totp, passkeys, secrets: accountSecrets, box, sessions, placeOf: administratorTotpPlace, nowMs }),
    isPassword: async ({ password }) => {
      state.comparing();
      return password === "right";
    },
    stillOwner: async () => ({ checks: [], operations: [] }),
    ownerNotice: (change) => {
      told.push(change);
      return null;
    },
  });
  const check = createCheckAdministratorSession({ sessions, administrators, nowMs });
  return {
    ...{ kv, clock, state, signIn, told },
    find: (token: string) => check(sha256(token)),
    change: (patch: Partial<AdministratorRecord> | null) => {
      anna = patch === null || anna === null ? null : { ...anna, ...patch };
      state.generation += 1;
    },
    begin: async () => {
      const begun = await signIn.withPassword({ username: "anna", password: "right", client: CLIENT, replaces: null });
      assert.ok(begun.type === "begun");
      return begun;
    },
    /** Signed in by enrolling an app. */
    enrolled: async () => {
      const begun = await signIn.withPassword({ username: "anna", password: "right", client: CLIENT, replaces: null });
      assert.ok(begun.type === "begun");
      const { secret } = await signIn.enrol.beginTotp(begun.session);
      const code = new TOTP({ secret }).generate({ timestamp: nowMs() });
      const outcome = await signIn.enrol.confirmTotp(begun.session, code, CLIENT);
      assert.ok(outcome.type === "enrolled" && outcome.token !== null);
      return { ...outcome, token: outcome.token, before: begun.token, secret };
    },
  };
}

describe("the sign-in of administrators", () => {
  it("gives the session a new token with the first factor, and stores neither token nor secret", async () => {
    const { enrolled, find, kv } = world();
    const { token, before, secret, recoveryCodes } = await enrolled();
    assert.equal(await find(before), null);
    assert.equal((await find(token))?.stage, "full");
    const stored = JSON.stringify(await kv.scan({ from: "", to: "\u007f", limit: 1_000 }));
    assert.ok(stored.includes("administrator-session/"));
    for (const text of [token, secret, ...(recoveryCodes ?? [])]) {
      assert.ok(!stored.includes(text), text);
      assert.ok(!stored.includes(text.replaceAll("-", "")), text);
    }
  });

  it("ends a session after half an hour without use, and after twelve hours", async () => {
    const { enrolled, find, clock } = world();
    const { token } = await enrolled();
    let used = 0;
    while ((await find(token)) !== null) {
      await settle();
      clock.advance(29 * MINUTE_MS);
      used += 1;
      assert.ok(used < 100);
    }
    assert.equal(used, Math.ceil((12 * 60) / 29));
    const again = world();
    const idle = await again.enrolled();
    again.clock.advance(30 * MINUTE_MS);
    assert.equal(await again.find(idle.token), null);
  });

  it("opens nothing for who is disabled, removed, or has another role or password by now", async () => {
    for (const patch of [
      { enabled: false },
      { role: "owner" },
      { password: { type: "sha256", hex: "2" } },
      { createdAtMs: 2 },
      null,
    ] as const) {
      const { enrolled, find, change } = world();
      const { token } = await enrolled();
      assert.notEqual(await find(token), null);
      change(patch);
      assert.equal(await find(token), null, JSON.stringify(patch));
    }
  });

  it("opens nothing by a password that was changed while it was compared", async () => {
    const { signIn, state, change } = world();
    state.comparing = () => change({ password: { type: "sha256", hex: "2" } });
    const outcome = await signIn.withPassword({ username: "anna", password: "right", client: CLIENT, replaces: null });
    assert.deepEqual(outcome, { type: "invalid", username: "anna" });
  });

  it("lets who knows only the password add no factor beside those there are", async () => {
    const { enrolled, begin, signIn } = world();
    await enrolled();
    const second = await begin();
    assert.equal(second.session.stage, "factor");
    const { secret } = await signIn.enrol.beginTotp(second.session);
    const code = new TOTP({ secret }).generate({ timestamp: 0 });
    assert.equal((await signIn.enrol.confirmTotp(second.session, code, CLIENT)).type, "ended");
  });

  it("ends the oldest of more than ten sessions", async () => {
    const { enrolled, find, clock, begin, signIn } = world();
    const { token, secret } = await enrolled();
    for (let index = 0; index < 10; index += 1) {
      assert.notEqual(await find(token), null);
      clock.advance(MINUTE_MS);
      const code = new TOTP({ secret }).generate({ timestamp: clock.nowMs() });
      const { type } = await signIn.withFactor((await begin()).session, { type: "code", code }, CLIENT);
      assert.equal(type, "begun");
    }
    assert.equal(await find(token), null);
  });
});

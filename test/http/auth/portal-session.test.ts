import assert from "node:assert/strict";
import { test } from "node:test";
import type { MerchantUserGrant } from "../../../engine/access/merchant-user-grant.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { createAuthenticator } from "../../../http/auth/authenticator.ts";
import { sha256Hex } from "../../../http/auth/digest.ts";
import { portalCookie } from "../../../http/auth/portal-session.ts";
import { sessionTokenSha256 } from "../../../http/auth/session-cookie.ts";
import type { PortalAuth } from "../../../http/endpoint/portal-auth.ts";
import { NO_LOGINS, OWNER, TOKEN } from "./portal-people.ts";

const AUTHS: readonly PortalAuth[] = [
  "optionalPortalSession",
  "portalSession",
  "merchantUser",
  "merchantUserOrKey",
  "merchantUserOrAnyKey",
];

function world(user: Partial<MerchantUserGrant> = {}) {
  const state = { nowMs: 1_000, lookups: 0, isAway: false };
  const cookie = portalCookie({ isSecure: true });
  const authenticator = createAuthenticator(
    NO_LOGINS,
    () => 0,
    undefined,
    undefined,
    async (key) =>
      key === "sk_merchant_1" || key === "pk_merchant_1"
        ? {
            merchantId: "SHOP-001",
            partnerId: 7,
            livemode: false,
            kind: key === "sk_merchant_1" ? "secret" : "publishable",
            keyId: "key-1",
            requestsPerMinute: 10,
            services: [],
          }
        : null,
    {
      cookie,
      nowMs: () => state.nowMs,
      find: async (tokenSha256) => {
        state.lookups += 1;
        if (state.isAway) throw new RelayError("unavailable", "Not confirmed");
        return tokenSha256 === sha256Hex(TOKEN) ? { ...OWNER, ...user } : null;
      },
    },
  );
  const ask = async (auth: PortalAuth, header: string, authorization = "") =>
    authenticator.authenticate(auth, { authorization, apiKey: "", origin: "", cookie: header, ipAddress: "192.0.2.1" });
  return { state, cookie, authenticator, ask };
}

test("over TLS the cookie is bound to the host, and over plain http it has another name", () => {
  const secure = portalCookie({ isSecure: true });
  assert.equal(secure.handOut(TOKEN), `__Host-relay_portal=${TOKEN}; HttpOnly; SameSite=Strict; Path=/; Secure`);
  assert.equal(secure.takenBack, "__Host-relay_portal=; Max-Age=0; HttpOnly; SameSite=Strict; Path=/; Secure");
  const plain = portalCookie({ isSecure: false });
  assert.equal(plain.handOut(TOKEN), `relay_portal=${TOKEN}; HttpOnly; SameSite=Strict; Path=/`);
  assert.equal(plain.takenBack, "relay_portal=; Max-Age=0; HttpOnly; SameSite=Strict; Path=/");
});

test("only a token is handed out", () => {
  const cookie = portalCookie({ isSecure: true });
  for (const text of ["", "short", `${TOKEN}; Domain=example.com`, `${TOKEN}=`, TOKEN.slice(1)]) {
    assert.throws(() => cookie.handOut(text), /43 characters/, text);
  }
});

test("the token is found among other cookies, and its digest is SHA-256 in hex", () => {
  const cookie = portalCookie({ isSecure: true });
  const ours = `__Host-relay_portal=${TOKEN}`;
  for (const header of [
    ours,
    `a=b; ${ours}`,
    `${ours}; a=b`,
    `a=b;${ours};c`,
    `a="x;y"; ${ours}`,
    ` ${ours} `,
    `relay_portal=x; ${ours}`,
  ]) {
    assert.equal(cookie.tokenIn(header), TOKEN, header);
  }
  assert.match(sessionTokenSha256(TOKEN), /^[0-9a-f]{64}$/);
  assert.equal(sessionTokenSha256(TOKEN), sha256Hex(TOKEN));
});

test("a header without our cookie has no token", () => {
  const cookie = portalCookie({ isSecure: true });
  for (const header of [
    "",
    "a=b",
    `relay_portal=${TOKEN}`,
    `__host-relay_portal=${TOKEN}`,
    `x__Host-relay_portal=${TOKEN}`,
    "__Host-relay_portal",
  ]) {
    assert.equal(cookie.tokenIn(header), null, header);
  }
});

test("a cookie that is not as it was handed out, two of them, and a header without end are unclear", () => {
  const cookie = portalCookie({ isSecure: true });
  const ours = `__Host-relay_portal=${TOKEN}`;
  for (const header of [
    `${ours}; ${ours}`,
    `${ours}; a=b; __Host-relay_portal=`,
    "__Host-relay_portal=",
    `${ours}=`,
    `${ours}A`,
    `__Host-relay_portal="${TOKEN}"`,
    `__Host-relay_portal=${TOKEN.replace("A", "+")}`,
    `${"a=b; ".repeat(20_000)}${ours}`,
  ]) {
    assert.equal(cookie.tokenIn(header), "unclear", header.slice(0, 80));
  }
});

test("a full session opens everything of the portal", async () => {
  const { ask, cookie } = world();
  for (const auth of AUTHS) {
    assert.deepEqual(await ask(auth, `a=b; ${cookie.name}=${TOKEN}`), { type: "merchantUser", user: OWNER }, auth);
  }
});

test("without a session only what needs none is open, and nothing is looked up", async () => {
  const { ask, state } = world();
  assert.deepEqual(await ask("optionalPortalSession", ""), { type: "anonymous" });
  for (const auth of AUTHS.slice(1)) {
    const refusal = await ask(auth, "a=b");
    assert.equal(refusal.type === "refused" && refusal.code, "unauthorized", auth);
  }
  assert.equal(state.lookups, 0);
});

test("a session that has ended is as none, and says so", async () => {
  const { ask, cookie } = world();
  const header = `${cookie.name}=${"B".repeat(43)}`;
  assert.deepEqual(await ask("optionalPortalSession", header), { type: "anonymous" });
  for (const auth of AUTHS.slice(1)) {
    const refusal = await ask(auth, header);
    assert.match(refusal.type === "refused" ? refusal.message : "", /has ended/, auth);
  }
});

test("two cookies open nothing, and the refusal says what to do", async () => {
  const { ask, cookie, state } = world();
  const header = `${cookie.name}=${TOKEN}; ${cookie.name}=${TOKEN}`;
  assert.deepEqual(await ask("optionalPortalSession", header), { type: "anonymous" });
  for (const auth of AUTHS.slice(1)) {
    const refusal = await ask(auth, header);
    assert.match(refusal.type === "refused" ? refusal.message : "", /was sent twice; delete the cookies/, auth);
  }
  assert.equal(state.lookups, 0);
});

test("a session without its second factor opens only what is for signing in, and the refusal says what is missing", async () => {
  for (const [stage, text] of [
    ["factor", /second factor is missing/],
    ["enrol", /enrol a second factor/],
  ] as const) {
    const { ask, cookie } = world({ stage });
    const header = `${cookie.name}=${TOKEN}`;
    for (const auth of ["optionalPortalSession", "portalSession"] as const) assert.equal((await ask(auth, header)).type, "merchantUser");
    for (const auth of ["merchantUser", "merchantUserOrKey", "merchantUserOrAnyKey"] as const) {
      const refusal = await ask(auth, header);
      assert.match(refusal.type === "refused" ? refusal.message : "", text, auth);
      assert.equal(refusal.type === "refused" && refusal.code, "unauthorized");
    }
  }
});

test("a merchant's secret key as bearer wins over the cookie where keys are taken, and counts for nothing elsewhere", async () => {
  const { ask, cookie, state } = world();
  const header = `${cookie.name}=${TOKEN}`;
  assert.equal((await ask("merchantUserOrKey", header, "Bearer sk_merchant_1")).type, "merchantKey");
  assert.equal((await ask("merchantUserOrKey", "", "bearer sk_merchant_1")).type, "merchantKey");
  assert.equal((await ask("merchantUserOrKey", header, "Bearer sk_merchant_wrong")).type, "refused");
  const publishable = await ask("merchantUserOrKey", header, "Bearer pk_merchant_1");
  assert.equal(publishable.type === "refused" && publishable.detail, "secret_key_required");
  const either = await ask("merchantUserOrAnyKey", header, "Bearer pk_merchant_1");
  assert.equal(either.type === "merchantKey" && either.merchant.kind, "publishable");
  assert.equal((await ask("merchantUserOrAnyKey", header, "Bearer sk_merchant_1")).type, "merchantKey");
  assert.equal((await ask("merchantUserOrAnyKey", header, "Bearer pk_merchant_wrong")).type, "refused");
  assert.equal(state.lookups, 0);
  for (const auth of ["portalSession", "merchantUser"] as const) {
    assert.equal((await ask(auth, "", "Bearer sk_merchant_1")).type, "refused", auth);
  }
});

test("a login that a browser attaches by itself neither opens anything nor hides the session", async () => {
  const { ask, cookie } = world();
  const basic = `Basic ${Buffer.from("sk_merchant_1:").toString("base64")}`;
  const refusal = await ask("merchantUserOrKey", "", basic);
  assert.equal(refusal.type === "refused" && refusal.code, "unauthorized");
  assert.equal((await ask("merchantUserOrKey", `${cookie.name}=${TOKEN}`, basic)).type, "merchantUser");
});

test("while sessions cannot be read nobody is refused for lack of one", async () => {
  const { ask, cookie, state } = world();
  state.isAway = true;
  for (const auth of AUTHS) await assert.rejects(ask(auth, `${cookie.name}=${TOKEN}`), { code: "unavailable" });
});

test("a role that may not is told which roles may", () => {
  const { authenticator } = world();
  const viewer = { type: "merchantUser", user: { ...OWNER, role: "VIEWER" } } as const;
  authenticator.requireSessionNeeds(viewer, { may: "look" });
  assert.throws(() => authenticator.requireSessionNeeds(viewer, { may: "configure" }), {
    code: "forbidden",
    detail: "role",
    message: "Not permitted for the role VIEWER; the role must be one of OWNER, ADMIN",
  });
});

test("a second factor counts until its time, and not at it", () => {
  const { authenticator, state } = world();
  const owner = { type: "merchantUser", user: { ...OWNER, steppedUpUntilMs: 2_000 } } as const;
  state.nowMs = 1_999;
  authenticator.requireSessionNeeds(owner, { may: "refund", stepUp: true });
  state.nowMs = 2_000;
  assert.throws(() => authenticator.requireSessionNeeds(owner, { may: "refund", stepUp: true }), {
    code: "forbidden",
    detail: "step_up_required",
  });
  authenticator.requireSessionNeeds(owner, { may: "refund" });
});

test("whoever lacks the role is not asked for a second factor first", () => {
  const { authenticator } = world();
  const viewer = { type: "merchantUser", user: { ...OWNER, role: "VIEWER", steppedUpUntilMs: 0 } } as const;
  assert.throws(() => authenticator.requireSessionNeeds(viewer, { may: "refund", stepUp: true }), { detail: "role" });
});

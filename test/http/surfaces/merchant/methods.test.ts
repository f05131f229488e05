import assert from "node:assert/strict";
import { test } from "node:test";
import type { LookAtKey, RotatedKey } from "../../../../engine/access/made-by-key.ts";
import { rolesThatMay } from "../../../../engine/access/merchant-user-grant.ts";
import { createExecuteOnce } from "../../../../engine/idempotency/execute-once.ts";
import { createIdempotencyStore } from "../../../../engine/idempotency/idempotency-store.ts";
import { createMinuteCounts } from "../../../../engine/kernel/minute-counts.ts";
import { createMerchantCalls } from "../../../../engine/partners/merchant-calls.ts";
import { createAuthenticator } from "../../../../http/auth/authenticator.ts";
import { sha256Hex } from "../../../../http/auth/digest.ts";
import { portalCookie } from "../../../../http/auth/portal-session.ts";
import { bind } from "../../../../http/endpoint/endpoint.ts";
import { idempotent } from "../../../../http/endpoint/idempotency.ts";
import { merchantEnvelope } from "../../../../http/surfaces/merchant/envelope.ts";
import { methodEndpoints } from "../../../../http/surfaces/merchant/methods/endpoints.ts";
import { MERCHANT_BASE } from "../../../../http/surfaces/merchant/surface.ts";
import { bracketed, grant, merchantWorld, newKeys, storedText } from "../../../engine/partners/merchant-world.ts";
import { assertMatches, listOf, member, textMember } from "../../../support/http/matches.ts";
import { NO_LOGINS, OWNER } from "../../auth/portal-people.ts";
import { monotonicMs, startWorld } from "../../server/world.ts";

const ROLES = ["OWNER", "ADMIN", "FINANCE", "DEVELOPER", "VIEWER"] as const;
/** A person of the first merchant; one whose second factor is not fresh; one of the second merchant; the first merchant's present secret key. */
type Who = (typeof ROLES)[number] | "stale" | "second" | "other owner" | "key" | "nobody";

const PAYPAL = { mode: "sandbox", clientId: "client-1", clientSecret: "paypal-secret-of-twenty-eight" };

async function open(t: { after(close: () => void): void }, lookAtKey?: LookAtKey) {
  const merchants = merchantWorld(lookAtKey);
  const { clock } = merchants;
  const made = new Map<string, string>();
  for (const merchantId of ["SHOP-001", "SHOP-002"]) {
    const created = await merchants.merchants.create(grant(), { merchantId }, merchantId);
    assert.ok(created.type === "created");
    made.set(merchantId, created.keys.secret);
  }
  const tokenOf = (who: Who) => who.replaceAll(" ", "-").padEnd(43, "_");
  const steppedUpUntilMs = Number.MAX_SAFE_INTEGER;
  const people = new Map([
    ...ROLES.map((role) => [sha256Hex(tokenOf(role)), { ...OWNER, role, userId: `user-${role}`, steppedUpUntilMs }] as const),
    [sha256Hex(tokenOf("stale")), OWNER] as const,
    [sha256Hex(tokenOf("other owner")), { ...OWNER, userId: "user-other", steppedUpUntilMs }] as const,
    [sha256Hex(tokenOf("second")), { ...OWNER, merchantId: "SHOP-002", userId: "user-2", steppedUpUntilMs }] as const,
  ]);
  const cookie = portalCookie({ isSecure: false });
  const authenticator = createAuthenticator(NO_LOGINS, monotonicMs, undefined, undefined, merchants.merchantByKey, {
    ...{ cookie, nowMs: clock.nowMs },
    find: async (digest) => people.get(digest) ?? null,
  });
  const operations = {
    ownMerchant: merchants.ownMerchant,
    merchantCalls: createMerchantCalls({ merchants: createMinuteCounts(monotonicMs), pages: createMinuteCounts(monotonicMs) }),
  };
  const ids = { uuid: () => crypto.randomUUID() };
  const executeOnce = createExecuteOnce({
    ...{ store: createIdempotencyStore(merchants.kv), clock, ids, secretBox: bracketed, failed: () => {} },
  });
  const world = await startWorld(t, {
    endpoints: bind(methodEndpoints, operations).map((endpoint) => idempotent(endpoint, { executeOnce, ids })),
    authenticator,
    envelopes: [{ under: MERCHANT_BASE, envelope: merchantEnvelope }],
  });
  async function call(who: Who, method: string, path: string, body?: unknown, more: { [name: string]: string } = {}) {
    const shown: { [name: string]: string } =
      who === "nobody"
        ? {}
        : who === "key"
          ? { authorization: `Bearer ${made.get("SHOP-001")}` }
          : { cookie: `${cookie.name}=${tokenOf(who)}`, "sec-fetch-site": "same-origin", "x-relay-portal": "1" };
    const response = await fetch(`${world.url}${MERCHANT_BASE}${path}`, {
      method,
      headers: { ...shown, ...(body === undefined ? {} : { "content-type": "application/json" }), ...more },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: text === "" ? undefined : JSON.parse(text) };
  }
  const methodsOf = async (who: Who) => listOf(member((await call(who, "GET", "/payment-methods")).body, "data", "items"));
  return { ...merchants, call, methodsOf };
}

for (const { name, method, path, may, stepUp, auth } of methodEndpoints) {
  test(`${name}: only the roles that may are let in, and changes need a fresh second factor`, async (t) => {
    const { call, kv } = await open(t);
    const asked = path.slice(MERCHANT_BASE.length).replace("{service}", "PAYPAL");
    const body = method === "PUT" ? PAYPAL : name === "portalConfirmKeys" ? { publishableKey: "pk_merchant_none" } : undefined;
    assert.ok(may !== undefined);
    const before = await storedText(kv);
    assertMatches(await call("nobody", method, asked, body), { status: 401, body: { status: "error", code: "unauthorized" } });
    for (const role of ROLES.filter((one) => !rolesThatMay(may).includes(one))) {
      assertMatches(await call(role, method, asked, body), { status: 403, body: { status: "error", code: "role" } });
    }
    if (stepUp === true) assertMatches(await call("stale", method, asked, body), { status: 403, body: { code: "step_up_required" } });
    assert.equal(stepUp === true, method !== "GET");
    assert.equal(await storedText(kv), before);
    if (auth === "merchantUser") assertMatches(await call("key", method, asked, body), { status: 401 });
    else assertMatches(await call("key", method, asked, body), { status: 200 });
    for (const role of rolesThatMay(may)) {
      const answer = await call(role, method, asked, body);
      // No keys wait.
      const usual = name === "portalReplaceKeys" ? 201 : path.includes("/keys/pending") ? 409 : 200;
      assert.equal(answer.status, usual, `${role}: ${answer.text}`);
    }
  });
}

test("lists what the partner permits, as it stands at this merchant, and what its partner does is seen here", async (t) => {
  const { call, methodsOf, partners, services } = await open(t);
  partners.set(7, ["PAYPAL", "BANCOMAT_PAY", "BIZUM"]);
  assertMatches(await methodsOf("VIEWER"), [
    { service: "PAYPAL", enabled: false, configured: false, mode: null, values: {}, updatedAt: null },
    { service: "BANCOMAT_PAY", members: [{}, {}, { name: "merchantName", secret: false, maxLength: 35 }, {}, {}] },
    { service: "BIZUM", members: null },
  ]);
  await services.configure(grant(), "SHOP-001", "PAYPAL", PAYPAL);
  await services.configure(grant(), "SHOP-001", "SKRILL", { mode: "live", key: "k" });
  await call("ADMIN", "POST", "/payment-methods/PAYPAL/enable");
  const listed = await call("VIEWER", "GET", "/payment-methods");
  assertMatches(listed.body, {
    data: {
      items: [
        {
          service: "PAYPAL",
          enabled: true,
          configured: true,
          mode: "sandbox",
          values: { clientId: "client-1", clientSecret: "********ight" },
        },
        {},
        {},
      ],
    },
  });
  assert.equal(listed.text.includes(PAYPAL.clientSecret), false);
  assertMatches(await methodsOf("second"), [{ service: "PAYPAL", enabled: false, configured: false, values: {} }, {}, {}]);
});

test("a change is of what the partner permits and knows, is told in words, and has no effect on another merchant", async (t) => {
  const { call, methodsOf, partners, kv, merchants, services } = await open(t);
  partners.set(7, ["PAYPAL", "SHIFT4"]);
  const before = await storedText(kv);
  for (const [method, path, body] of [
    ["PUT", "/payment-methods/SKRILL", { mode: "live" }],
    ["POST", "/payment-methods/SKRILL/enable", undefined],
    ["POST", "/payment-methods/SKRILL/disable", undefined],
  ] as const) {
    assertMatches(await call("OWNER", method, path, body), { status: 403, body: { code: "service_not_permitted" } });
  }
  for (const unknown of ["NOPE", "paypal", "constructor", "__proto__", "%2e%2e"]) {
    assertMatches(await call("OWNER", "POST", `/payment-methods/${unknown}/enable`), { status: 404, body: { status: "error" } });
  }
  for (const [body, says] of [
    [{ ...PAYPAL, mode: "LIVE" }, /mode/],
    [{ mode: "live", clientId: "a" }, /clientSecret: is required/],
    [{ ...PAYPAL, more: "x" }, /more: is not a member/],
    [{ ...PAYPAL, clientId: 5 }, /clientId/],
    [[], /object/],
    ["{", /JSON/i],
  ] as const) {
    const refused = await call("OWNER", "PUT", "/payment-methods/PAYPAL", body);
    assertMatches(refused, { status: 400, body: { status: "error", code: "invalid_request", error: says } });
    assert.equal(refused.text.includes(PAYPAL.clientSecret), false);
  }
  for (const query of ["seen=yesterday", "seen=", "merchantId=SHOP-002"]) {
    assertMatches(await call("OWNER", "PUT", `/payment-methods/PAYPAL?${query}`, PAYPAL), { status: 400 });
  }
  assert.equal(await storedText(kv), before);
  const configured = await call("key", "PUT", "/payment-methods/PAYPAL?seen=never", PAYPAL);
  assertMatches(configured, { status: 200, body: { status: "ok", data: { service: "PAYPAL", configured: true } } });
  assertMatches(await call("OWNER", "PUT", "/payment-methods/PAYPAL?seen=never", PAYPAL), { status: 409, body: { code: "conflict" } });
  const seen = encodeURIComponent(textMember(configured.body, "data", "updatedAt"));
  const { clientSecret: _, ...rest } = PAYPAL;
  assertMatches(await call("ADMIN", "PUT", `/payment-methods/PAYPAL?seen=${seen}`, { ...rest, mode: "live" }), { status: 200 });
  assertMatches(await services.configurationOf("SHOP-001", "PAYPAL"), { mode: "live" });
  assert.equal((await services.configurationOf("SHOP-001", "PAYPAL"))?.members.get("clientSecret"), PAYPAL.clientSecret);
  assertMatches(await methodsOf("second"), [{ configured: false }, { configured: false }]);
  await merchants.patch(grant(), "SHOP-001", { active: false });
  assertMatches(await call("OWNER", "POST", "/payment-methods/PAYPAL/enable"), { status: 409, body: { code: "conflict" } });
  assertMatches(await call("OWNER", "POST", "/keys"), { status: 409, body: { code: "conflict" } });
});

test("a repeated configuration is stored once, though it is not what was looked at any more", async (t) => {
  const { call } = await open(t);
  const key = { "idempotency-key": "configuration-1" };
  const first = await call("OWNER", "PUT", "/payment-methods/PAYPAL?seen=never", PAYPAL, key);
  const again = await call("OWNER", "PUT", "/payment-methods/PAYPAL?seen=never", PAYPAL, key);
  assert.equal(first.status, 200, first.text);
  assert.equal(again.text, first.text);
  assert.equal(again.headers.get("idempotent-replayed"), "true");
});

test("keys are replaced once for a repeated request, for its own person only, and are kept by no cache and shown to nobody again", async (t) => {
  const { call, merchantByKey, kv, notices } = await open(t);
  assertMatches(await call("ADMIN", "GET", "/keys"), {
    status: 200,
    body: { data: { publishableKey: /^pk_merchant_/, secretKeyPrefix: /^sk_merchant_.{4}$/, environment: "TEST" } },
  });
  const key = { "idempotency-key": "keys-1" };
  const first = await call("OWNER", "POST", "/keys", undefined, key);
  assert.equal(first.status, 201, first.text);
  assert.equal(first.headers.get("cache-control"), "no-store");
  const again = await call("OWNER", "POST", "/keys", undefined, key);
  assert.equal(again.text, first.text);
  assert.equal(again.headers.get("cache-control"), "no-store");
  const secret = textMember(first.body, "data", "secretKey");
  assertMatches(await merchantByKey(secret), { merchantId: "SHOP-001", kind: "secret" });
  assertMatches(await call("key", "GET", "/payment-methods"), { status: 401 });
  assert.deepEqual(notices, [
    {
      merchantId: "SHOP-001",
      change: { type: "replaced", by: { type: "person", email: OWNER.email }, environment: "TEST", first: false, made: [] },
    },
  ]);
  // Another owner with the same Idempotency-Key asks for something else, and is not shown these.
  const other = await call("other owner", "POST", "/keys", undefined, key);
  assert.equal(other.status, 201, other.text);
  assert.notEqual(textMember(other.body, "data", "secretKey"), secret);
  assert.equal(await merchantByKey(secret), "replaced");
  const shown = await call("OWNER", "GET", "/keys");
  assert.equal(textMember(shown.body, "data", "publishableKey"), textMember(other.body, "data", "publishableKey"));
  for (const made of [first, other]) {
    assert.equal(shown.text.includes(textMember(made.body, "data", "secretKey")), false);
    assert.equal((await storedText(kv)).includes(textMember(made.body, "data", "secretKey")), false);
  }
});

test("new keys have a reason, and the answer lists what the former key made, ended or with what ends it", async (t) => {
  const looks: RotatedKey[] = [];
  const { call } = await open(t, async (key) => {
    looks.push(key);
    const item = {
      type: "webhook_endpoint",
      id: "we_1",
      mark: "shop.example",
      isCertain: true,
      ended: key.leaked,
      expiresAtMs: null,
    } as const;
    return { items: [item], checks: [], operations: [], committed: () => {} };
  });
  const item = { type: "webhook_endpoint", id: "we_1", mark: "shop.example", certain: true, expiresAt: null };
  for (const body of [undefined, {}, { reason: "routine" }]) {
    assertMatches(await call("OWNER", "POST", "/keys", body), {
      status: 201,
      body: { data: { made: [{ ...item, ended: false, end: "DELETE /api/merchant/webhooks/we_1" }] } },
    });
  }
  assertMatches(await call("OWNER", "POST", "/keys", { reason: "leaked" }), {
    status: 201,
    body: { data: { made: [{ ...item, ended: true, end: null }] } },
  });
  assert.deepEqual(
    looks.map(({ merchantId, livemode, leaked }) => [merchantId, livemode, leaked]),
    [false, false, false, true].map((leaked) => ["SHOP-001", false, leaked]),
  );
  for (const body of [{ reason: "lost" }, { why: "leaked" }]) {
    assertMatches(await call("OWNER", "POST", "/keys", body), { status: 400, body: { code: "invalid_request" } });
  }
  assert.equal(looks.length, 4);
});

test("keys that the partner asked for are shown, confirmed by an owner, and refused", async (t) => {
  const { call, keys, owned, merchantByKey } = await open(t);
  owned.add("SHOP-001");
  const ask = async (operationId: string) => {
    const outcome = await keys.replace(grant(), "SHOP-001", newKeys(operationId));
    assert.ok(outcome.type === "changed");
    return outcome.keys;
  };
  assertMatches(await call("OWNER", "GET", "/keys"), { body: { data: { pending: null } } });
  const refused = await ask("partner-1");
  assertMatches(await call("ADMIN", "GET", "/keys"), {
    body: { data: { pending: { publishableKey: refused.publishable, secretKeyPrefix: refused.secret.slice(0, 16), appliesAt: /Z$/ } } },
  });
  assertMatches(await call("ADMIN", "DELETE", "/keys/pending"), { status: 200, body: { data: { pending: null } } });
  const asked = await ask("partner-2");
  const confirm = (publishableKey: string) => call("OWNER", "POST", "/keys/pending/confirm", { publishableKey });
  assertMatches(await confirm(refused.publishable), { status: 409, body: { code: "conflict" } });
  assertMatches(await confirm(asked.publishable), {
    status: 200,
    body: { data: { publishableKey: asked.publishable, pending: null } },
  });
  assertMatches(await merchantByKey(asked.secret), { merchantId: "SHOP-001", kind: "secret" });
});

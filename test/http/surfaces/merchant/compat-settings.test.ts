import assert from "node:assert/strict";
import { test } from "node:test";
import { rolesThatMay } from "../../../../engine/access/merchant-user-grant.ts";
import { createMinuteCounts } from "../../../../engine/kernel/minute-counts.ts";
import { createMerchantCalls } from "../../../../engine/partners/merchant-calls.ts";
import { createApiVersions } from "../../../../engine/webhooks/api-version-store.ts";
import { createAuthenticator } from "../../../../http/auth/authenticator.ts";
import { sha256Hex } from "../../../../http/auth/digest.ts";
import { portalCookie } from "../../../../http/auth/portal-session.ts";
import { bind } from "../../../../http/endpoint/endpoint.ts";
import { compatSettingsEndpoints } from "../../../../http/surfaces/merchant/compat-settings/endpoints.ts";
import { merchantEnvelope } from "../../../../http/surfaces/merchant/envelope.ts";
import { MERCHANT_BASE } from "../../../../http/surfaces/merchant/surface.ts";
import { grant, merchantWorld } from "../../../engine/partners/merchant-world.ts";
import { assertMatches } from "../../../support/http/matches.ts";
import { NO_LOGINS, OWNER } from "../../auth/portal-people.ts";
import { monotonicMs, startWorld } from "../../server/world.ts";

const ROLES = ["OWNER", "ADMIN", "FINANCE", "DEVELOPER", "VIEWER"] as const;
/** A person of the merchant; one whose second factor is not fresh; its secret key. */
type Who = (typeof ROLES)[number] | "stale" | "key" | "nobody";

const PATH = "/compatible-api";
const NONE = { defaultVersion: null, effectiveVersion: "2026-10-28.endive", returnSchemes: [] };

async function open(t: { after(close: () => void): void }) {
  const merchants = merchantWorld();
  const created = await merchants.merchants.create(grant(), { merchantId: "SHOP-001" }, "o1");
  assert.ok(created.type === "created");
  const { secret } = created.keys;
  const tokenOf = (who: Who) => who.padEnd(43, "_");
  const people = new Map([
    ...ROLES.map((role) => [sha256Hex(tokenOf(role)), { ...OWNER, role, steppedUpUntilMs: Number.MAX_SAFE_INTEGER }] as const),
    [sha256Hex(tokenOf("stale")), OWNER] as const,
  ]);
  const cookie = portalCookie({ isSecure: false });
  const apiVersions = createApiVersions(merchants.kv);
  const operations = {
    ownMerchant: merchants.ownMerchant,
    apiVersions,
    effectiveApiVersion: async (merchantId: string) => (await apiVersions.versionOf(merchantId)) ?? "2026-10-28.endive",
    merchantCalls: createMerchantCalls({ merchants: createMinuteCounts(monotonicMs), pages: createMinuteCounts(monotonicMs) }),
  };
  const world = await startWorld(t, {
    endpoints: bind(compatSettingsEndpoints, operations),
    authenticator: createAuthenticator(NO_LOGINS, monotonicMs, undefined, undefined, merchants.merchantByKey, {
      ...{ cookie, nowMs: merchants.clock.nowMs, find: async (digest: string) => people.get(digest) ?? null },
    }),
    envelopes: [{ under: MERCHANT_BASE, envelope: merchantEnvelope }],
  });
  async function call(who: Who, method: string, path: string, body?: object) {
    const own = { cookie: `${cookie.name}=${tokenOf(who)}`, "sec-fetch-site": "same-origin", "x-relay-portal": "1" };
    const shown = who === "nobody" ? {} : who === "key" ? { authorization: `Bearer ${secret}` } : own;
    const response = await fetch(`${world.url}${MERCHANT_BASE}${path}`, {
      method,
      headers: { ...shown, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answered: unknown = await response.json();
    return { status: response.status, body: answered };
  }
  return { ...merchants, call };
}

const CALLS = [
  { method: "GET", path: PATH, may: "look", byKey: 200 },
  { method: "PUT", path: `${PATH}/default-version`, body: { version: null }, may: "integrate", byKey: 200 },
  { method: "PUT", path: `${PATH}/return-schemes`, body: { schemes: [] }, may: "administer keys", byKey: 401 },
] as const;

for (const one of CALLS) {
  const { method, path, may, byKey } = one;
  const body = "body" in one ? one.body : undefined;
  test(`${method} ${path}: only the roles that may are let in, and a change needs a fresh second factor`, async (t) => {
    const { call } = await open(t);
    assertMatches(await call("nobody", method, path, body), { status: 401 });
    for (const role of ROLES) {
      assertMatches(await call(role, method, path, body), { status: rolesThatMay(may).includes(role) ? 200 : 403 });
    }
    if (method === "PUT") assertMatches(await call("stale", method, path, body), { status: 403, body: { code: "step_up_required" } });
    assertMatches(await call("key", method, path, body), { status: byKey });
  });
}

test("a default version is set until it is taken away, and what is no version is refused", async (t) => {
  const { call } = await open(t);
  assertMatches(await call("VIEWER", "GET", PATH), { body: { data: NONE } });
  const set = (version: unknown) => call("DEVELOPER", "PUT", `${PATH}/default-version`, { version });
  const chosen = { defaultVersion: "2025-02-02", effectiveVersion: "2025-02-02" };
  assertMatches(await set("2025-02-02"), { status: 200, body: { data: chosen } });
  for (const wrong of ["latest", "2025-02-02; rm", "", 7]) {
    assertMatches(await set(wrong), { status: 400, body: { error: "version: must be a date such as 2026-10-28.endive, or null" } });
  }
  assertMatches(await call("DEVELOPER", "PUT", `${PATH}/default-version`, {}), { status: 400 });
  assertMatches(await call("VIEWER", "GET", PATH), { body: { data: chosen } });
  assertMatches(await set(null), { status: 200, body: { data: NONE } });
});

test("schemes of apps are replaced as a whole, and what may not be one is refused and changes nothing", async (t) => {
  const { call } = await open(t);
  const save = (schemes: unknown) => call("OWNER", "PUT", `${PATH}/return-schemes`, { schemes });
  assertMatches(await save(["myapp", "com.example.shop"]), {
    status: 200,
    body: { data: { returnSchemes: ["com.example.shop", "myapp"] } },
  });
  for (const never of ["http", "https", "javascript", "data", "file", "blob", "intent", "about"]) {
    assertMatches(await save(["myapp", never]), { status: 400, body: { error: `schemes: ${never} is not the scheme of an app` } });
  }
  for (const malformed of [["myapp://"], ["My App"], "myapp", [null], Array.from({ length: 17 }, (_, index) => `app${index}`)]) {
    assertMatches(await save(malformed), { status: 400 });
  }
  assertMatches(await call("key", "GET", PATH), { body: { data: { returnSchemes: ["com.example.shop", "myapp"] } } });
  assertMatches(await save([]), { status: 200, body: { data: NONE } });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { rolesThatMay } from "../../../../engine/access/merchant-user-grant.ts";
import { createBrandingStore } from "../../../../engine/branding/branding-store.ts";
import { LOGO_BYTES_MAX } from "../../../../engine/branding/check-image.ts";
import { createMinuteCounts } from "../../../../engine/kernel/minute-counts.ts";
import { createMerchantCalls } from "../../../../engine/partners/merchant-calls.ts";
import { createAuthenticator } from "../../../../http/auth/authenticator.ts";
import { sha256Hex } from "../../../../http/auth/digest.ts";
import { portalCookie } from "../../../../http/auth/portal-session.ts";
import { bind } from "../../../../http/endpoint/endpoint.ts";
import { brandingEndpoints } from "../../../../http/surfaces/merchant/branding/endpoints.ts";
import { merchantEnvelope } from "../../../../http/surfaces/merchant/envelope.ts";
import { MERCHANT_BASE } from "../../../../http/surfaces/merchant/surface.ts";
import { composeBranding } from "../../../../infra/node/wiring/merchants/branding.ts";
import { grant, merchantWorld } from "../../../engine/partners/merchant-world.ts";
import { assertMatches, member, textMember } from "../../../support/http/matches.ts";
import { image, pngOfSize, withPngChunk } from "../../../support/images/images.ts";
import { NO_LOGINS, OWNER } from "../../auth/portal-people.ts";
import { monotonicMs, startWorld } from "../../server/world.ts";

const ROLES = ["OWNER", "ADMIN", "FINANCE", "DEVELOPER", "VIEWER"] as const;
type Who = (typeof ROLES)[number] | "key" | "other key" | "nobody";

const NAME = "Caffè Centrale";

async function open(t: { after(close: () => void): void }) {
  const merchants = merchantWorld();
  const secrets = new Map<Who, string>();
  for (const [who, merchantId, merchantName] of [
    ["key", "SHOP-001", NAME],
    ["other key", "SHOP-002", "Another shop"],
  ] as const) {
    const created = await merchants.merchants.create(grant(), { merchantId, merchantName }, merchantId);
    assert.ok(created.type === "created");
    secrets.set(who, created.keys.secret);
  }
  const tokenOf = (who: Who) => who.padEnd(43, "_");
  const people = new Map(ROLES.map((role) => [sha256Hex(tokenOf(role)), { ...OWNER, role }] as const));
  const cookie = portalCookie({ isSecure: false });
  const world = await startWorld(t, {
    endpoints: bind(brandingEndpoints, {
      ...composeBranding({ kv: merchants.kv, clock: merchants.clock }),
      merchantCalls: createMerchantCalls({ merchants: createMinuteCounts(monotonicMs), pages: createMinuteCounts(monotonicMs) }),
    }),
    authenticator: createAuthenticator(NO_LOGINS, monotonicMs, undefined, undefined, merchants.merchantByKey, {
      ...{ cookie, nowMs: merchants.clock.nowMs, find: async (digest: string) => people.get(digest) ?? null },
    }),
    envelopes: [{ under: MERCHANT_BASE, envelope: merchantEnvelope }],
  });
  async function call(who: Who, method: string, path: string, body?: object | Uint8Array, type = "image/png") {
    const secret = secrets.get(who);
    const own = { cookie: `${cookie.name}=${tokenOf(who)}`, "sec-fetch-site": "same-origin", "x-relay-portal": "1" };
    const shown = who === "nobody" ? {} : secret === undefined ? own : { authorization: `Bearer ${secret}` };
    const isFile = body instanceof Uint8Array;
    const form = new FormData();
    if (isFile) form.append("file", new Blob([new Uint8Array(body)], { type }), "logo.html");
    const response = await fetch(`${world.url}${MERCHANT_BASE}/branding${path}`, {
      method,
      headers: { ...shown, ...(isFile || body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: isFile ? form : JSON.stringify(body) }),
    });
    const answered: unknown = await response.json();
    return { status: response.status, body: answered };
  }
  return { call, store: createBrandingStore(merchants.kv) };
}

const CALLS = [
  { method: "GET", path: "", may: "look" },
  { method: "PUT", path: "/color", body: { color: "#112233" }, may: "configure" },
  { method: "POST", path: "/logo", body: image("logo.png"), may: "configure" },
  { method: "DELETE", path: "/logo", may: "configure" },
] as const;

for (const one of CALLS) {
  const { method, path, may } = one;
  const body = "body" in one ? one.body : undefined;
  test(`${method} /branding${path}: only the roles that may are let in`, async (t) => {
    const { call } = await open(t);
    assertMatches(await call("nobody", method, path, body), { status: 401 });
    assertMatches(await call("key", method, path, body), { status: 200 });
    for (const role of ROLES) {
      assertMatches(await call(role, method, path, body), { status: rolesThatMay(may).includes(role) ? 200 : 403 });
    }
  });
}

test("a logo and a colour are stored, shown, replaced and removed, for this merchant only", async (t) => {
  const { call, store } = await open(t);
  const none = { status: "ok", data: { name: NAME, color: null, logo: null } };
  assert.deepEqual(await call("VIEWER", "GET", ""), { status: 200, body: none });
  assertMatches(await call("OWNER", "PUT", "/color", { color: "#FFCC00" }), { status: 200, body: { data: { color: "#ffcc00" } } });
  // Neither the name nor the content type of the file counts.
  const first = await call("OWNER", "POST", "/logo", image("logo.png"), "text/html");
  assertMatches(first, {
    status: 200,
    body: { data: { color: "#ffcc00", logo: { type: "image/png", width: 24, height: 16 } } },
  });
  const firstId = textMember(first.body, "data", "logo", "id");
  assert.equal(textMember(first.body, "data", "logo", "url"), `/logo/${firstId}`);
  const second = await call("ADMIN", "POST", "/logo", image("lossy.webp"));
  const secondId = textMember(second.body, "data", "logo", "id");
  assert.equal(await store.logo(firstId), null);
  assert.equal((await store.logo(secondId))?.type, "image/webp");
  assertMatches(await call("other key", "GET", ""), { status: 200, body: { data: { name: "Another shop", color: null, logo: null } } });
  assertMatches(await call("other key", "DELETE", "/logo"), { status: 200 });
  assert.ok((await store.logo(secondId)) !== null, "another merchant has removed the logo");
  assertMatches(await call("OWNER", "PUT", "/color", { color: null }), { status: 200 });
  assert.deepEqual(await call("OWNER", "DELETE", "/logo"), { status: 200, body: none });
  assert.equal(await store.logo(secondId), null);
});

const REFUSED: readonly (readonly [what: string, contents: Uint8Array, status: number, code: string])[] = [
  ["nothing", new Uint8Array(), 415, "image_type"],
  ["a web page", Buffer.from("<script>alert(1)</script>"), 415, "image_type"],
  ["an SVG", Buffer.from("<svg></svg>"), 415, "image_svg"],
  ["half an image", image("logo.jpg").subarray(0, 400), 415, "image_damaged"],
  ["an animation", withPngChunk("acTL", Buffer.alloc(8)), 415, "image_animated"],
  ["a decompression bomb", pngOfSize(60_000, 60_000), 415, "image_dimensions"],
  ["too many bytes", Buffer.alloc(LOGO_BYTES_MAX + 1), 413, "payload_too_large"],
];
for (const [what, contents, status, code] of REFUSED) {
  test(`refuses ${what} with ${status} ${code}, and keeps the logo before`, async (t) => {
    const { call } = await open(t);
    const before = await call("OWNER", "POST", "/logo", image("logo.png"));
    assertMatches(await call("OWNER", "POST", "/logo", contents), { status, body: { code } });
    assert.deepEqual(member((await call("OWNER", "GET", "")).body, "data"), member(before.body, "data"));
  });
}

test("says why an SVG is refused", async (t) => {
  const { call } = await open(t);
  const { body } = await call("OWNER", "POST", "/logo", Buffer.from("<svg></svg>"));
  assert.match(textMember(body, "message"), /SVG images are not accepted, because they can contain scripts/);
});

for (const color of ["", "red", "#fff", "#12345g", "#1122334", "url(x)", 7]) {
  test(`refuses ${JSON.stringify(color)} as a colour`, async (t) => {
    const { call } = await open(t);
    const answer = await call("OWNER", "PUT", "/color", { color });
    assertMatches(answer, { status: 400, body: { code: "invalid_request" } });
    assert.match(textMember(answer.body, "message"), /color.*must be # and six hexadecimal digits/);
  });
}

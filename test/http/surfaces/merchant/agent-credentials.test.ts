import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type MerchantUserGrant, rolesThatMay } from "../../../../engine/access/merchant-user-grant.ts";
import type { ListedUser } from "../../../../engine/accounts/users.ts";
import { AGENT_CREDENTIALS_MAX } from "../../../../engine/agents/agent-credential.ts";
import { createExecuteOnce } from "../../../../engine/idempotency/execute-once.ts";
import { createIdempotencyStore } from "../../../../engine/idempotency/idempotency-store.ts";
import { createMinuteCounts } from "../../../../engine/kernel/minute-counts.ts";
import { createMerchantCalls } from "../../../../engine/partners/merchant-calls.ts";
import { createAuthenticator } from "../../../../http/auth/authenticator.ts";
import { sha256Hex } from "../../../../http/auth/digest.ts";
import { portalCookie } from "../../../../http/auth/portal-session.ts";
import { bind } from "../../../../http/endpoint/endpoint.ts";
import { idempotent } from "../../../../http/endpoint/idempotency.ts";
import { agentCredentialEndpoints } from "../../../../http/surfaces/merchant/agent-credentials/endpoints.ts";
import { merchantEnvelope } from "../../../../http/surfaces/merchant/envelope.ts";
import { MERCHANT_BASE } from "../../../../http/surfaces/merchant/surface.ts";
import { createLocalTime } from "../../../../http/surfaces/parts/time.ts";
import { AgentWorld, LIMITS } from "../../../engine/agents/world.ts";
import { assertMatches, listOf, member, textMember } from "../../../support/http/matches.ts";
import { NO_LOGINS, OWNER } from "../../auth/portal-people.ts";
import { monotonicMs, startWorld } from "../../server/world.ts";

type Role = MerchantUserGrant["role"];
type Who = "key" | "publishable" | "other" | "nobody" | "not stepped up" | Role;

const ROLES = ["OWNER", "ADMIN", "FINANCE", "DEVELOPER", "VIEWER"] as const satisfies readonly Role[];
const BASE = "/agent-credentials";
const ORDER = { name: "Booking assistant", scopes: ["links:create", "links:read"], limits: LIMITS, ipAllow: ["203.0.113.0/24"] };
/** How many calls a minute the merchant's secret key has. */
const CALLS = 1_000;

const tokenOf = (who: string) => who.replaceAll(" ", "_").padEnd(43, "_");

async function open(t: TestContext) {
  const agents = new AgentWorld();
  const nowMs = agents.clock.nowMs;
  const grant = (role: Role, steppedUpUntilMs: number) => ({
    ...{ ...OWNER, role, userId: role === "OWNER" ? OWNER.userId : `user-${role}`, steppedUpUntilMs },
  });
  const people = new Map<string, MerchantUserGrant>([
    ...ROLES.map((role) => [sha256Hex(tokenOf(role)), grant(role, nowMs() * 2)] as const),
    [sha256Hex(tokenOf("not stepped up")), grant("OWNER", 0)],
  ]);
  const user: ListedUser = {
    ...{ userId: OWNER.userId, email: "owner@shop.example", role: "OWNER", state: "ACTIVE", accountId: "a", locale: "en" },
    ...{ invitedAtMs: 1, invitation: null, joinedAtMs: 1, hasSecondFactor: true },
  };
  const cookie = portalCookie({ isSecure: false });
  /** What an answer waits for, once the names of people are asked for. */
  const held = { asked: () => {}, until: Promise.resolve() };
  const operations = {
    agentCredentials: agents.agents,
    users: {
      list: async () => {
        held.asked();
        await held.until;
        return [user];
      },
    },
    localTime: createLocalTime("Europe/Rome"),
    clock: { nowMs },
    merchantCalls: createMerchantCalls({ merchants: createMinuteCounts(monotonicMs), pages: createMinuteCounts(monotonicMs) }),
  };
  const ids = { uuid: () => crypto.randomUUID() };
  const secretBox = { seal: (text: string) => `[${text}]`, open: (text: string) => text.slice(1, -1) };
  const executeOnce = createExecuteOnce({
    ...{ store: createIdempotencyStore(agents.kv), clock: agents.clock, ids, secretBox, failed: () => {} },
  });
  const world = await startWorld(t, {
    endpoints: bind(agentCredentialEndpoints, operations).map((endpoint) => idempotent(endpoint, { executeOnce, ids })),
    authenticator: createAuthenticator(
      NO_LOGINS,
      monotonicMs,
      undefined,
      undefined,
      async (key) => {
        const kind = key.startsWith("sk_") ? "secret" : "publishable";
        const own = { partnerId: 7, livemode: false, kind, keyId: "key-1", requestsPerMinute: CALLS, services: [] } as const;
        if (key === "sk_merchant_1" || key === "pk_merchant_1") return { merchantId: OWNER.merchantId, ...own };
        return key === "sk_merchant_2" ? { merchantId: "SHOP-002", ...own } : null;
      },
      { cookie, nowMs, find: async (digest) => people.get(digest) ?? null },
    ),
    envelopes: [{ under: MERCHANT_BASE, envelope: merchantEnvelope }],
  });
  const keys: Partial<Record<Who, string>> = { key: "sk_merchant_1", publishable: "pk_merchant_1", other: "sk_merchant_2" };
  const send = async (who: Who, method: "GET" | "POST" | "DELETE", path: string, body?: unknown, more: { [name: string]: string } = {}) => {
    const key = keys[who];
    const login: { [name: string]: string } =
      key !== undefined
        ? { authorization: `Bearer ${key}` }
        : who === "nobody"
          ? {}
          : { cookie: `${cookie.name}=${tokenOf(who)}`, "sec-fetch-site": "same-origin", "x-relay-portal": "1" };
    const response = await fetch(`${world.url}${MERCHANT_BASE}${path}`, {
      method,
      headers: { ...login, ...more, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: text === "" ? undefined : (JSON.parse(text) as unknown) };
  };
  const create = async (who: Who = "key", changes: object = {}) => {
    const made = await send(who, "POST", BASE, { ...ORDER, ...changes });
    assert.equal(made.status, 201, made.text);
    return { id: textMember(made.body, "data", "credential", "id"), token: textMember(made.body, "data", "token"), made };
  };
  return { agents, held, send, create };
}

test("nobody, and roles that may not, are refused; all others and the secret key are answered", async (t) => {
  const { send, create } = await open(t);
  for (const [method, path, body, may] of [
    ["GET", () => BASE, undefined, "look"],
    ["GET", (id: string) => `${BASE}/${id}`, undefined, "look"],
    ["POST", () => BASE, ORDER, "administer agents"],
    ["DELETE", (id: string) => `${BASE}/${id}`, undefined, "administer agents"],
    ["POST", () => `${BASE}/revoke-all`, undefined, "administer agents"],
  ] as const) {
    const { id } = await create();
    assertMatches(await send("nobody", method, path(id), body), { status: 401, body: { code: "unauthorized" } });
    for (const role of ROLES) {
      const answer = await send(role, method, path(id), body);
      if (rolesThatMay(may).includes(role)) assert.ok(answer.status < 300, `${role}: ${method} ${answer.text}`);
      else assertMatches(answer, { status: 403, body: { status: "error", code: "role" } });
    }
    assert.ok((await send("key", method, path(id), body)).status < 300);
    const byOther = await send("other", method, path(id), body);
    if (path(id).endsWith(id)) assertMatches(byOther, { status: 404, body: { code: "not_found" } });
    else assert.ok(byOther.status < 300 && !byOther.text.includes(id), byOther.text);
  }
});

test("a new one needs a fresh second factor of a person; to revoke needs none", async (t) => {
  const { send, create } = await open(t);
  assertMatches(await send("not stepped up", "POST", BASE, ORDER), { status: 403, body: { code: "step_up_required" } });
  const { id } = await create();
  assertMatches(await send("not stepped up", "DELETE", `${BASE}/${id}`), { status: 200, body: { data: { state: "REVOKED" } } });
  assertMatches(await send("not stepped up", "POST", `${BASE}/revoke-all`), { status: 200, body: { data: { revoked: 0 } } });
});

test("the token is in the answer that creates it and in no other, and no cache keeps that", async (t) => {
  const { agents, send, create } = await open(t);
  const { id, token, made } = await create("OWNER");
  assert.equal(made.headers.get("cache-control"), "no-store");
  assert.match(token, /^ak_merchant_[A-Za-z0-9_-]{43}$/);
  assertMatches(made.body, {
    data: { credential: { last4: token.slice(-4), state: "ACTIVE", details: { createdBy: "owner@shop.example" } } },
  });
  for (const path of [BASE, `${BASE}/${id}`]) {
    const { text } = await send("OWNER", "GET", path);
    assert.ok(text.includes(id) && !text.includes(token) && !text.includes("digest"), text);
  }
  assertMatches(await agents.agents.byToken(token, "203.0.113.9"), { credentialId: id, scopes: ["links:create", "links:read"] });
});

test("a publishable key sees what credentials are and nothing else, and creates and revokes none", async (t) => {
  const { send, create } = await open(t);
  const { id } = await create("OWNER");
  const summary = ["expiresAt", "id", "last4", "limits", "name", "scopes", "state"];
  const shown = await send("publishable", "GET", `${BASE}/${id}`);
  assert.equal(shown.status, 200, shown.text);
  assert.deepEqual(Object.keys(Object(member(shown.body, "data"))).sort(), summary);
  const [item] = listOf(member((await send("publishable", "GET", BASE)).body, "data", "items"));
  assert.deepEqual(item, member(shown.body, "data"));
  for (const [method, path, body] of [
    ["POST", BASE, ORDER],
    ["DELETE", `${BASE}/${id}`, undefined],
    ["POST", `${BASE}/revoke-all`, undefined],
  ] as const) {
    assertMatches(await send("publishable", method, path, body), { status: 403, body: { code: "secret_key_required" } });
  }
  assertMatches((await send("key", "GET", `${BASE}/${id}`)).body, { data: { state: "ACTIVE" } });
});

test("what was done with it is shown, with who made it as far as one may see it", async (t) => {
  const { agents, send, create } = await open(t);
  const { id, token } = await create("OWNER");
  const grant = await agents.agents.byToken(token, "203.0.113.9");
  assert.ok(grant !== null && typeof grant === "object");
  await agents.made(grant, 700);
  await agents.outcome(grant, 1_001);
  agents.agents.noteCall(grant, { tool: "create_payment_link", outcome: "refused", argumentsDigest: "ab" });
  await agents.shard(0).uses.flush();
  const usage = { totalMinor: 700, todayMinor: 700, linksInHour: 1, links: 1, refused: { perLinkMax: 1, total: 0 } };
  const calls = [{ tool: "create_payment_link", outcome: "refused", argumentsDigest: "ab" }];
  for (const [who, createdBy] of [
    ["OWNER", "owner@shop.example"],
    ["key", "owner@shop.example"],
    ["VIEWER", "o***@shop.example"],
    ["DEVELOPER", "o***@shop.example"],
  ] as const) {
    const details = { usage, createdBy, creator: "user", ipAllow: ["203.0.113.0/24"], revokedAt: null, revokedBy: null };
    assertMatches((await send(who, "GET", `${BASE}/${id}`)).body, { data: { limits: LIMITS, details: { ...details, calls } } });
    const [item] = listOf(member((await send(who, "GET", BASE)).body, "data", "items"));
    assertMatches(item, { details });
    assert.deepEqual(member(item, "details", "calls"), []);
  }
  // Another day.
  agents.clock.advance(86_400_000);
  assertMatches((await send("key", "GET", `${BASE}/${id}`)).body, {
    data: { details: { usage: { totalMinor: 700, todayMinor: 0, linksInHour: 0 } } },
  });
  assertMatches((await send("ADMIN", "DELETE", `${BASE}/${id}`)).body, {
    data: { state: "REVOKED", details: { revokedBy: "Former user" } },
  });
});

test("what does not fit is refused by its member, and members that are none are", async (t) => {
  const { send } = await open(t);
  for (const [changes, says] of [
    [{ name: "" }, /name/],
    [{ scopes: ["links:refund"] }, /scopes/],
    [{ scopes: [] }, /scopes/],
    [{ scopes: ["links:read", "links:read"] }, /scopes/],
    [{ limits: undefined }, /limits/],
    [{ limits: { ...LIMITS, perLinkMaxMinor: 4_000 } }, /limits\.perLinkMaxMinor: may not be more than perDayMinor/],
    [{ limits: { ...LIMITS, totalMinor: 0 } }, /totalMinor/],
    [{ limits: { ...LIMITS, perMonthMinor: 5 } }, /perMonthMinor/],
    [{ limits: { ...LIMITS, currency: "XXY" } }, /ISO 4217/],
    [{ ipAllow: ["10.0.0.0/33"] }, /ipAllow: .*10\.0\.0\.0\/33/],
    [{ expiresInDays: 91 }, /expiresInDays/],
    [{ expiresIn: 30 }, /expiresIn/],
  ] as const) {
    const answer = await send("key", "POST", BASE, { ...ORDER, ...changes });
    assert.equal(answer.status, 400, `${JSON.stringify(changes)}: ${answer.text}`);
    assert.match(textMember(answer.body, "message"), says);
  }
  assertMatches(await send("key", "GET", `${BASE}?state=GONE`), { status: 400 });
  assertMatches(await send("key", "GET", `${BASE}?cursor=x`), { status: 400 });
  const read = await send("key", "POST", BASE, { name: "Reader", scopes: ["transactions:read"] });
  assertMatches(read, { status: 201, body: { data: { credential: { limits: null } } } });
});

test("so many can be used at a time, and all of them are revoked at once", async (t) => {
  const { send, create } = await open(t);
  for (let made = 0; made < AGENT_CREDENTIALS_MAX; made += 1) await create();
  assertMatches(await send("key", "POST", BASE, ORDER), { status: 409, body: { code: "credentials_full" } });
  assertMatches(await send("ADMIN", "POST", `${BASE}/revoke-all`), { status: 200, body: { data: { revoked: AGENT_CREDENTIALS_MAX } } });
  await create();
  const { body } = await send("key", "GET", `${BASE}?state=REVOKED&limit=200`);
  assert.equal(listOf(member(body, "data", "items")).length, AGENT_CREDENTIALS_MAX);
});

test("while the first request with a key is in progress the same is told apart from a refusal, and gets the same token afterwards", async (t) => {
  const { held, send } = await open(t);
  const key = { "idempotency-key": "booking-1" };
  let finish = () => {};
  const asked = new Promise<void>((resolve) => {
    held.asked = resolve;
  });
  held.until = new Promise((resolve) => {
    finish = resolve;
  });
  const first = send("OWNER", "POST", BASE, ORDER, key);
  await asked;
  const again = await send("OWNER", "POST", BASE, ORDER, key);
  assertMatches(again, { status: 409, body: { code: "idempotency_key_in_use" } });
  assert.equal(again.headers.get("retry-after"), "1");
  assertMatches(await send("OWNER", "POST", BASE, { ...ORDER, name: "Another" }, key), { status: 409, body: { code: "conflict" } });
  finish();
  const made = await first;
  assert.equal(made.status, 201, made.text);
  assert.equal((await send("OWNER", "POST", BASE, ORDER, key)).text, made.text);
  assertMatches(await send("OWNER", "GET", BASE), { body: { data: { items: [{}], next: null } } });
});

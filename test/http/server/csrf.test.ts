import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "@sinclair/typebox";
import { request } from "undici";
import type { AdministratorSessionGrant } from "../../../engine/access/administrator-session-grant.ts";
import type { MerchantUserGrant } from "../../../engine/access/merchant-user-grant.ts";
import { administratorCookie } from "../../../http/auth/administrator-session.ts";
import { createAuthenticator } from "../../../http/auth/authenticator.ts";
import { portalCookie } from "../../../http/auth/portal-session.ts";
import { sessionTokenSha256 } from "../../../http/auth/session-cookie.ts";
import { type BoundEndpoint, bind } from "../../../http/endpoint/endpoint.ts";
import { surface } from "../../../http/endpoint/surface.ts";
import type { ServerOptions } from "../../../http/server/options.ts";
import { merchantEnvelope } from "../../../http/surfaces/merchant/envelope.ts";
import { NO_LOGINS, OWNER, TOKEN } from "../auth/portal-people.ts";
import { rawClient } from "./raw-client.ts";
import { monotonicMs, startWorld } from "./world.ts";

interface Operations {
  called(name: string): void;
}

const portal = surface<Operations>()({ name: "portal", tags: ["Portal"], envelope: merchantEnvelope });
const Body = Type.Object({ text: Type.String() });
const answered = { 200: { description: "Who it is.", body: Type.Object({ who: Type.String() }) } };

const endpoints = [
  portal.endpoint({
    name: "look",
    method: "GET",
    path: "/api/merchant/things",
    summary: "Looks",
    auth: "merchantUserOrKey",
    may: "look",
    responses: answered,
    handle: ({ called }, { caller }) => {
      called("look");
      return { status: 200, body: { who: caller.type } };
    },
  }),
  portal.endpoint({
    name: "change",
    method: "POST",
    path: "/api/merchant/things",
    summary: "Changes",
    auth: "merchantUserOrKey",
    may: "refund",
    stepUp: true,
    body: Body,
    responses: answered,
    handle: ({ called }, { caller }) => {
      called("change");
      return { status: 200, body: { who: caller.type } };
    },
  }),
  portal.endpoint({
    name: "signIn",
    method: "POST",
    path: "/api/merchant/session",
    summary: "Signs in",
    auth: "optionalPortalSession",
    body: Body,
    responses: { 200: { ...answered[200], headers: { "Set-Cookie": { description: "The session." } } } },
    handle: ({ called }, { caller }) => {
      called("signIn");
      return { status: 200, body: { who: caller.type }, headers: { "Set-Cookie": PLAIN.handOut(TOKEN) } };
    },
  }),
  portal.endpoint({
    name: "signOut",
    method: "DELETE",
    path: "/api/merchant/session",
    summary: "Signs out",
    auth: "portalSession",
    responses: answered,
    handle: ({ called }, { caller }) => {
      called("signOut");
      return { status: 200, body: { who: caller.type } };
    },
  }),
  portal.endpoint({
    name: "administer",
    method: "POST",
    path: "/admin/things",
    summary: "Changes, for administrators",
    auth: "admin",
    role: "operator",
    machine: "operation",
    audit: "changes nothing",
    body: Body,
    responses: answered,
    handle: ({ called }, { caller }) => {
      called("administer");
      return { status: 200, body: { who: caller.type } };
    },
  }),
];

const PLAIN = portalCookie({ isSecure: false });
const COOKIE = `relay_portal=${TOKEN}`;
const ADMINISTRATOR: AdministratorSessionGrant = {
  ...{ sessionId: "ses_1", stage: "full", accountId: "adm_1", username: "anna", role: "operator", steppedUpUntilMs: 0 },
};
const JSON_BODY = JSON.stringify({ text: "a" });
const NOW_MS = 10_000;

async function startPortal(
  t: { after(close: () => void): void },
  { user = {}, ...options }: { user?: Partial<MerchantUserGrant> } & Partial<ServerOptions> = {},
) {
  const calls: string[] = [];
  const world = await startWorld(t, {
    endpoints: bind(endpoints, { called: (name) => calls.push(name) }),
    authenticator: createAuthenticator(
      NO_LOGINS,
      monotonicMs,
      undefined,
      undefined,
      async (key) =>
        key === "sk_merchant_1"
          ? { merchantId: "SHOP-001", partnerId: 7, livemode: false, kind: "secret", keyId: "key-1", requestsPerMinute: 10, services: [] }
          : null,
      {
        cookie: PLAIN,
        nowMs: () => NOW_MS,
        find: async (digest) => (digest === sessionTokenSha256(TOKEN) ? { ...OWNER, steppedUpUntilMs: NOW_MS + 1, ...user } : null),
      },
      {
        cookie: administratorCookie({ isSecure: false }),
        find: async (digest) => (digest === sessionTokenSha256(TOKEN) ? ADMINISTRATOR : null),
      },
    ),
    ...options,
  });
  /** What is in `headers` replaces the usual headers of the portal's page; null leaves one out. */
  async function send(method: "GET" | "POST" | "DELETE", path: string, headers: { [name: string]: string | null } = {}) {
    const all = { "sec-fetch-site": "same-origin", "content-type": "application/json", cookie: COOKIE, ...headers };
    const given = Object.fromEntries(Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== null));
    const response = await request(world.url + path, { method, headers: given, body: method === "POST" ? JSON_BODY : null });
    const text = await response.body.text();
    const body: { code?: string; message?: string; who?: string } = JSON.parse(text);
    return { ...body, status: response.statusCode, headers: response.headers };
  }
  return { ...world, calls, send };
}

const FOREIGN: readonly { readonly [name: string]: string | null }[] = [
  { "sec-fetch-site": "cross-site" },
  { "sec-fetch-site": "same-site" },
  { "sec-fetch-site": "none" },
  { "sec-fetch-site": null },
  { "sec-fetch-site": null, origin: "null" },
  { "sec-fetch-site": null, origin: "https://evil.example" },
  { "sec-fetch-site": "cross-site", origin: "own" },
];

test("the portal's own page changes, and pages of others do not", async (t) => {
  const { send, calls, url } = await startPortal(t);
  assert.equal((await send("POST", "/api/merchant/things")).who, "merchantUser");
  assert.equal((await send("POST", "/api/merchant/things", { "sec-fetch-site": null, origin: url })).status, 200);
  assert.equal((await send("DELETE", "/api/merchant/session", { "content-type": null, "x-relay-portal": "1" })).status, 200);
  calls.length = 0;
  for (const headers of FOREIGN) {
    const sent = { ...headers, ...(headers["origin"] === "own" ? { origin: url } : {}) };
    for (const [method, path] of [
      ["POST", "/api/merchant/things"],
      ["POST", "/api/merchant/session"],
      ["DELETE", "/api/merchant/session"],
    ] as const) {
      const { status, code } = await send(method, path, { "x-relay-portal": "1", ...sent });
      assert.deepEqual([status, code], [403, "csrf"], `${method} ${path} ${JSON.stringify(sent)}`);
    }
  }
  assert.deepEqual(calls, []);
});

test("what a form can send is refused even from the portal's own page", async (t) => {
  const { send, calls } = await startPortal(t);
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "text/plain; application/json",
    null,
  ]) {
    const { status, code } = await send("POST", "/api/merchant/things", { "content-type": type });
    assert.deepEqual([status, code], [403, "csrf"], String(type));
  }
  assert.equal((await send("DELETE", "/api/merchant/session", { "content-type": null })).code, "csrf");
  assert.equal((await send("DELETE", "/api/merchant/session", { "content-type": null, "x-relay-portal": "0" })).code, "csrf");
  assert.deepEqual(calls, []);
  assert.equal((await send("POST", "/api/merchant/things", { "content-type": "application/json; charset=utf-8" })).status, 200);
});

test("nobody can be signed in by a page of another origin, cookie or not", async (t) => {
  const { send, calls } = await startPortal(t);
  assert.deepEqual((await send("POST", "/api/merchant/session", { cookie: null, "sec-fetch-site": "cross-site" })).code, "csrf");
  assert.deepEqual(calls, []);
  const signedIn = await send("POST", "/api/merchant/session", { cookie: null });
  assert.equal(signedIn.who, "anonymous");
  assert.equal(signedIn.headers["set-cookie"], `relay_portal=${TOKEN}; HttpOnly; SameSite=Strict; Path=/`);
});

test("without a session the answer is 401 wherever the page is from, and never asks a browser for a password", async (t) => {
  const { send } = await startPortal(t);
  for (const site of ["cross-site", "same-origin"]) {
    const { status, code, headers } = await send("POST", "/api/merchant/things", { cookie: null, "sec-fetch-site": site });
    assert.deepEqual([status, code, headers["www-authenticate"]], [401, "unauthorized", 'Bearer realm="relay"']);
  }
  const { status, headers } = await send("DELETE", "/api/merchant/session", { cookie: null });
  assert.deepEqual([status, headers["www-authenticate"]], [401, 'Cookie realm="relay"']);
});

test("a merchant's key is no cookie: it needs neither a page nor a second factor, also with a cookie beside it", async (t) => {
  const { send } = await startPortal(t, { user: { steppedUpUntilMs: 0 } });
  for (const cookie of [null, COOKIE]) {
    const { status, who } = await send("POST", "/api/merchant/things", {
      cookie,
      "sec-fetch-site": null,
      authorization: "Bearer sk_merchant_1",
    });
    assert.deepEqual([status, who], [200, "merchantKey"]);
  }
});

test("where no bearer key counts, one beside an administrator's cookie says nothing of the page", async (t) => {
  const { send, calls } = await startPortal(t);
  const cookie = `relay_admin=${TOKEN}`;
  assert.equal((await send("POST", "/admin/things", { cookie })).who, "administrator");
  for (const headers of [{ "sec-fetch-site": null }, { "sec-fetch-site": "cross-site" }, { "content-type": "text/plain" }]) {
    const { status, code } = await send("POST", "/admin/things", { cookie, authorization: "Bearer anything", ...headers });
    assert.deepEqual([status, code], [403, "csrf"], JSON.stringify(headers));
  }
  assert.deepEqual(calls, ["administer"]);
});

test("a key that a browser attaches as a login does not pass for one that was put in", async (t) => {
  const { send, calls } = await startPortal(t);
  const authorization = `Basic ${Buffer.from("sk_merchant_1:").toString("base64")}`;
  const foreign = { "sec-fetch-site": "cross-site", authorization };
  assert.equal((await send("POST", "/api/merchant/things", { ...foreign, cookie: null })).status, 401);
  assert.equal((await send("POST", "/api/merchant/things", foreign)).code, "csrf");
  assert.deepEqual(calls, []);
});

test("reading needs no page, and a HEAD neither", async (t) => {
  const { send, url } = await startPortal(t);
  assert.equal((await send("GET", "/api/merchant/things", { "sec-fetch-site": null, "content-type": null })).who, "merchantUser");
  const head = await request(`${url}/api/merchant/things`, { method: "HEAD", headers: { cookie: COOKIE } });
  assert.equal(head.statusCode, 200);
});

test("a role that may not and a second factor of long ago are 403, each with its code", async (t) => {
  const viewer = await startPortal(t, { user: { role: "VIEWER" } });
  const refused = await viewer.send("POST", "/api/merchant/things");
  assert.deepEqual([refused.status, refused.code], [403, "role"]);
  assert.match(refused.message ?? "", /role VIEWER/);
  assert.equal((await viewer.send("GET", "/api/merchant/things")).status, 200);
  const stale = await startPortal(t, { user: { steppedUpUntilMs: NOW_MS } });
  const again = await stale.send("POST", "/api/merchant/things");
  assert.deepEqual([again.status, again.code], [403, "step_up_required"]);
  assert.deepEqual([...viewer.calls, ...stale.calls], ["look"]);
});

test("no page of another origin may ask with CORS", async (t) => {
  const { url } = await startPortal(t);
  const preflight = await request(`${url}/api/merchant/things`, {
    method: "OPTIONS",
    headers: { origin: "https://evil.example", "access-control-request-method": "POST", "access-control-request-headers": "content-type" },
  });
  assert.equal(preflight.statusCode, 403);
  assert.equal(preflight.headers["access-control-allow-origin"], undefined);
});

test("cookies in two lines are one list: a second one of ours is not overlooked", async (t) => {
  const { port } = await startPortal(t);
  const ask = async (lines: string) => {
    const client = await rawClient(t, port);
    client.write(`GET /api/merchant/things HTTP/1.1\r\nHost: a\r\n${lines}\r\n`);
    return (await client.until('"}')).slice(9, 12);
  };
  assert.equal(await ask(`Cookie: a=b\r\nCookie: ${COOKIE}\r\n`), "200");
  assert.equal(await ask(`Cookie: ${COOKIE}\r\nCookie: ${COOKIE}\r\n`), "401");
});

test("behind a proxy that terminates TLS the page of the public URL is the relay's own", async (t) => {
  const { send } = await startPortal(t, { publicUrl: "https://relay.example" });
  assert.equal((await send("POST", "/api/merchant/things", { "sec-fetch-site": null, origin: "https://relay.example" })).status, 200);
  assert.equal((await send("POST", "/api/merchant/things", { "sec-fetch-site": null, origin: "http://relay.example" })).code, "csrf");
});

test("the server does not start with an endpoint that does not say what a person needs", async (t) => {
  const [look] = bind(endpoints, { called: () => {} });
  assert.ok(look !== undefined);
  const { may: _may, ...without } = look;
  const starts = (endpoint: BoundEndpoint) => startWorld(t, { endpoints: [endpoint] });
  await assert.rejects(starts(without), /have `may`/);
  await assert.rejects(starts({ ...look, auth: "portalSession" }), /have `may`/);
  await assert.rejects(starts({ ...without, auth: "none", stepUp: true }), /step-up/);
  await assert.rejects(starts({ ...look, handsOut: true }), /must not return a new secret/);
  await assert.rejects(starts({ ...look, openToPages: true }), /pages of any origin/);
});

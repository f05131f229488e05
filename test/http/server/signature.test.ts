import assert from "node:assert/strict";
import { type IncomingHttpHeaders, request } from "node:http";
import { type TestContext, test } from "node:test";
import { Type } from "@sinclair/typebox";
import { createSignatureNonceStore } from "../../../engine/access/signature-nonce-store.ts";
import { digestHeader, SIGNATURE_SKEW_MAX_MS } from "../../../http/auth/http-signature.ts";
import { createSignatureAuthenticator } from "../../../http/auth/signature-authenticator.ts";
import { bind } from "../../../http/endpoint/endpoint.ts";
import { surface } from "../../../http/endpoint/surface.ts";
import { MemoryKv } from "../../engine/kernel/memory-kv.ts";
import { type SignAs, signIndependently } from "../../support/http/independent-signature.ts";
import { envelope, startWorld } from "./world.ts";

const SECRET = "partner-secret";
const BODY = '{"merId":"M1","amount":{"value":5}}';

const signed = surface<{ calls: string[] }>()({ name: "signed", tags: ["Signed"], envelope });
const Answer = Type.Object({ partner: Type.Integer(), text: Type.String() });
const endpoints = [
  signed.endpoint({
    name: "signedPost",
    method: "POST",
    path: "/pgw/payment/init",
    summary: "Takes a signed body",
    auth: "signature",
    body: Type.Object({ merId: Type.String() }, { additionalProperties: true }),
    responses: { 200: { description: "Taken.", body: Answer }, ...signed.errors(400, 401, 503) },
    handle: ({ calls }, { caller, bodyText }) => {
      calls.push(bodyText);
      return { status: 200, body: { partner: caller.type === "partner" ? caller.partnerId : 0, text: bodyText } };
    },
  }),
  signed.endpoint({
    name: "signedGet",
    method: "GET",
    path: "/pgw/payment/verify",
    summary: "Takes a signed query",
    auth: "signature",
    query: Type.Object({ merId: Type.String(), txId: Type.Optional(Type.String()) }),
    responses: { 200: { description: "Taken.", body: Answer }, ...signed.errors(400, 401, 503) },
    handle: ({ calls }, { caller, query }) => {
      calls.push(query.merId);
      return { status: 200, body: { partner: caller.type === "partner" ? caller.partnerId : 0, text: query.merId } };
    },
  }),
];

async function world(t: TestContext, options: { nowMs?: () => number } = {}) {
  const calls: string[] = [];
  const kv = new MemoryKv();
  const signatures = createSignatureAuthenticator({
    keys: {
      byKeyId: (keyId) =>
        keyId === "M1"
          ? { secret: SECRET, caller: { type: "partner", partnerId: 7, username: "p", terminals: { names: false, matches: () => true } } }
          : null,
    },
    nonces: createSignatureNonceStore(kv, Date.now),
    nowMs: options.nowMs ?? Date.now,
  });
  const { port } = await startWorld(t, { endpoints: bind(endpoints, { calls }), signatures });
  return { port, calls, kv };
}

interface Wire {
  method: string;
  path: string;
  headers: { [name: string]: string };
  body: string;
}

/** A request signed by the other implementation, as it would go out. */
function signedWire(port: number, wire: Partial<Wire> = {}, sign: Partial<SignAs> = {}): Wire {
  const { method = "POST", path = "/pgw/payment/init", body = method === "POST" ? BODY : "", headers = {} } = wire;
  const out = request({ port, host: "127.0.0.1", method, path });
  out.setHeader("x-signature-salt", `salt-${Math.random()}`);
  out.setHeader("host", `127.0.0.1:${port}`);
  if (method === "POST") out.setHeader("digest", digestHeader(Buffer.from(body)));
  for (const [name, value] of Object.entries(headers)) out.setHeader(name, value);
  signIndependently(out, { keyId: "M1", secret: SECRET, ...sign });
  const all: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(out.getHeaders())) all[name] = String(value);
  out.on("error", () => undefined).destroy();
  return { method, path, headers: all, body };
}

function send(
  port: number,
  { method, path, headers, body }: Wire,
): Promise<{ status: number; text: string; headers: IncomingHttpHeaders }> {
  return new Promise((resolve, reject) => {
    const out = request({ port, host: "127.0.0.1", method, path, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text, headers: response.headers }));
    });
    out.on("error", reject);
    if (body !== "") out.setHeader("content-type", "application/json");
    out.end(body);
  });
}

const authorization = (change: (text: string) => string) => (wire: Wire) => ({
  headers: { ...wire.headers, authorization: change(wire.headers["authorization"] ?? "") },
});

for (const algorithm of ["hmac-sha256", "hmac-sha512"] as const) {
  test(`takes what another implementation signed with ${algorithm}`, async (t) => {
    const { port } = await world(t);
    const post = await send(port, signedWire(port, {}, { algorithm }));
    assert.deepEqual([post.status, JSON.parse(post.text)], [200, { partner: 7, text: BODY }]);
    const get = await send(port, signedWire(port, { method: "GET", path: "/pgw/payment/verify?merId=M1&txId=a%20b" }, { algorithm }));
    assert.deepEqual([get.status, JSON.parse(get.text)], [200, { partner: 7, text: "M1" }]);
  });
}

for (const [what, change] of [
  ["without an algorithm", (text: string) => text.replace(/algorithm="[^"]*",/, "")],
  ["with hs2019", (text: string) => text.replace(/algorithm="[^"]*"/, 'algorithm="hs2019"')],
] as const) {
  test(`takes what was signed ${what}`, async (t) => {
    const { port } = await world(t);
    const wire = signedWire(port);
    const answer = await send(port, { ...wire, ...authorization(change)(wire) });
    assert.deepEqual([answer.status, JSON.parse(answer.text)], [200, { partner: 7, text: BODY }]);
  });
}

test("what a signature has to cover is named where it is not", async (t) => {
  const { port, calls } = await world(t);
  const answer = await send(port, signedWire(port, {}, { headers: ["date", "host", "x-signature-salt"] }));
  assert.equal(answer.status, 401);
  assert.match(answer.text, /does not sign \(request-target\), digest\./);
  assert.deepEqual(calls, []);
});

const header = (name: string, value: string) => (wire: Wire) => ({ headers: { ...wire.headers, [name]: value } });

const POSTS: [string, (wire: Wire) => Partial<Wire>][] = [
  ["body", (wire) => ({ body: wire.body.replace("5", "6") })],
  ["body that is no JSON any more", (wire) => ({ body: wire.body.slice(1) })],
  ["body of another form", () => ({ body: "[]" })],
  ["digest", header("digest", digestHeader(Buffer.from("other")))],
  ["host", header("host", "elsewhere.example")],
  ["path", () => ({ path: "/pgw/payment/init?x=1" })],
  ["date", header("date", new Date(Date.now() - 5_000).toUTCString())],
  ["salt", header("x-signature-salt", "another")],
  ["keyId", authorization((text) => text.replace('"M1"', '"M2"'))],
  ["algorithm", authorization((text) => text.replace("sha256", "sha512"))],
  ["signature", authorization((text) => text.replace(/signature="./, 'signature="_'))],
  ["algorithm, to that of the key", authorization((text) => text.replace(/signature="./, 'signature="_').replace("hmac-sha256", "hs2019"))],
  ["list of what is signed", authorization((text) => text.replace(" digest", ""))],
  ["list of what is signed, left out", authorization((text) => text.replace(/headers="[^"]*",/, ""))],
  ["scheme", header("authorization", "Basic YTpi")],
];
for (const [what, change] of POSTS) {
  test(`a tampered ${what} is answered 401 and reaches no handler`, async (t) => {
    const { port, calls } = await world(t);
    const wire = signedWire(port);
    const answer = await send(port, { ...wire, ...change(wire) });
    assert.equal(answer.status, 401, answer.text);
    assert.match(answer.text, /signature/);
    assert.match(answer.headers["www-authenticate"] ?? "", /^Signature /);
    assert.deepEqual(calls, []);
  });
}

const QUERIES = [
  "?merId=M1&txId=2",
  "?merId=M2&txId=1",
  "?txId=1&merId=M1",
  "?merId=M1&txId=1&more=1",
  "?merId=M1&txId=1&txId=2",
  "?merId=M%31&txId=1",
  "",
];
for (const query of QUERIES) {
  test(`a query that was changed to "${query}" is answered 401`, async (t) => {
    const { port, calls } = await world(t);
    const wire = signedWire(port, { method: "GET", path: "/pgw/payment/verify?merId=M1&txId=1" });
    assert.equal((await send(port, { ...wire, path: `/pgw/payment/verify${query}` })).status, 401);
    assert.deepEqual(calls, []);
  });
}

test("a method that was changed is answered 401", async (t) => {
  const { port } = await world(t);
  const wire = signedWire(port, { method: "GET", path: "/pgw/payment/verify?merId=M1" });
  assert.equal((await send(port, { ...wire, method: "HEAD" })).status, 401);
});

test("what is signed but not valid is answered 400", async (t) => {
  const { port } = await world(t);
  assert.equal((await send(port, signedWire(port, { body: '{"merId":' }))).status, 400);
  assert.equal((await send(port, signedWire(port, { body: "{}" }))).status, 400);
  assert.equal((await send(port, signedWire(port, { method: "GET", path: "/pgw/payment/verify?txId=1" }))).status, 400);
});

test("a signed member that the endpoint does not have is named", async (t) => {
  const { port } = await world(t);
  const answer = await send(port, signedWire(port, { method: "GET", path: "/pgw/payment/verify?merId=M1&more=1" }));
  assert.deepEqual([answer.status, answer.headers["relay-ignored"]], [200, "more"]);
});

test("a request is taken once; with another salt it is another one", async (t) => {
  const { port, calls } = await world(t);
  const wire = signedWire(port);
  assert.equal((await send(port, wire)).status, 200);
  const again = await send(port, wire);
  assert.equal(again.status, 401);
  assert.match(again.text, /sent before/);
  assert.equal((await send(port, signedWire(port))).status, 200);
  assert.equal(calls.length, 2);
});

test("of the same request many times at once one is taken", async (t) => {
  const { port, calls } = await world(t);
  const wire = signedWire(port);
  const answers = await Promise.all(Array.from({ length: 20 }, () => send(port, wire)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  assert.equal(calls.length, 1);
});

test("a request of another time is refused", async (t) => {
  const { port } = await world(t, { nowMs: () => Date.now() + SIGNATURE_SKEW_MAX_MS + 2_000 });
  assert.match((await send(port, signedWire(port))).text, /more than 300 seconds/);
});

test("a store that cannot tell whether it was sent before answers 503", async (t) => {
  const { port, kv, calls } = await world(t);
  kv.fate = () => "refused";
  assert.equal((await send(port, signedWire(port))).status, 503);
  assert.deepEqual(calls, []);
});

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { test } from "node:test";
import {
  digestHeader,
  type SignatureVerdict,
  type SignedRequest,
  signRequest,
  verifySignature,
} from "../../../http/auth/http-signature.ts";
import { type SignAs, signIndependently, verifyIndependently } from "../../support/http/independent-signature.ts";

const SECRET = "sandbox-secret";
const BODY = '{"txHead":{"merId":"M1","txId":"T1"}}';
const secretOf = (keyId: string) => (keyId === "M1" ? SECRET : null);

interface Arrived {
  message: IncomingMessage;
  raw: { method: string; target: string; headers: IncomingHttpHeaders; body: string };
}

/** Sends one request to a server of ours, signed by the other implementation, and answers with what arrived there. */
async function sent(options: { method: "GET" | "POST"; path?: string; salt?: string; sign?: Partial<SignAs> }): Promise<Arrived> {
  const { method, path = "/pgw/payment/verify?merId=M1&txId=T%201", salt = "salt-1", sign } = options;
  let arrived: Arrived | undefined;
  const server = createServer((message, response) => {
    let body = "";
    message.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
    message.on("end", () => {
      arrived = { message, raw: { method: message.method ?? "", target: message.url ?? "", headers: message.headers, body } };
      response.end();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  assert.ok(address !== null && typeof address === "object", "the server has a port");
  const out = request({ host: "127.0.0.1", port: address.port, method, path, headers: { "x-signature-salt": salt } });
  if (method === "POST") out.setHeader("digest", digestHeader(Buffer.from(BODY)));
  signIndependently(out, { keyId: "M1", secret: SECRET, ...sign });
  out.end(method === "POST" ? BODY : undefined);
  const [response] = await once(out, "response");
  response.resume();
  server.close();
  assert.ok(arrived, "the request arrived");
  return arrived;
}

function signed({ method, target, headers, body }: Arrived["raw"]): SignedRequest {
  return {
    method,
    target,
    header: (name) => {
      const value = headers[name];
      return Array.isArray(value) ? value.join(", ") : value;
    },
    body: Buffer.from(body),
  };
}

const verify = (raw: Arrived["raw"], nowMs = Date.now()): SignatureVerdict => verifySignature(signed(raw), secretOf, nowMs);

for (const algorithm of ["hmac-sha256", "hmac-sha512"] as const) {
  for (const method of ["GET", "POST"] as const) {
    test(`verifies what another implementation signed: ${method}, ${algorithm}`, async () => {
      const verdict = verify((await sent({ method, sign: { algorithm } })).raw);
      assert.deepEqual({ ...verdict, nonce: "" }, { type: "verified", keyId: "M1", nonce: "", salt: "salt-1" });
    });

    test(`signs so that another implementation verifies: ${method}, ${algorithm}`, async () => {
      const { message, raw } = await sent({ method });
      const host = raw.headers.host ?? "";
      const body = Buffer.from(raw.body);
      const headers = signRequest({
        ...{ method, target: raw.target, host, body, keyId: "M1", secret: SECRET, algorithm, atMs: Date.now(), salt: "s" },
      });
      message.headers = { host, ...headers };
      assert.equal(verifyIndependently(message, SECRET)?.keyId, "M1");
      assert.equal(verifyIndependently(message, "another secret"), null);
    });
  }
}

test("verifies a signature by (created) in the place of date", () => {
  const nowMs = 1_800_000_000_000;
  const request = ownRequest({ names: "(request-target) host (created) x-signature-salt", created: nowMs / 1_000 });
  assert.equal(verifySignature(request, secretOf, nowMs).type, "verified");
  assert.equal(verifySignature(request, secretOf, nowMs + 301_000).type, "refused");
});

const TAMPERED: { what: string; change(raw: Arrived["raw"]): Partial<Arrived["raw"]>; reason: RegExp }[] = [
  { what: "method", change: () => ({ method: "PUT" }), reason: /does not match/ },
  { what: "path", change: ({ target }) => ({ target: target.replace("/verify", "/refund") }), reason: /does not match/ },
  { what: "query", change: ({ target }) => ({ target: target.replace("T%201", "T%202") }), reason: /does not match/ },
  { what: "spelling of the query", change: ({ target }) => ({ target: target.replace("T%201", "T+1") }), reason: /does not match/ },
  { what: "host", change: ({ headers }) => ({ headers: { ...headers, host: "elsewhere.example" } }), reason: /does not match/ },
  { what: "body", change: ({ body }) => ({ body: body.replace("T1", "T2") }), reason: /Digest that is not the body's/ },
  {
    what: "digest",
    change: ({ headers }) => ({ headers: { ...headers, digest: digestHeader(Buffer.from("x")) } }),
    reason: /does not match/,
  },
  {
    what: "date, within the window",
    change: ({ headers }) => ({ headers: { ...headers, date: new Date(Date.now() - 60_000).toUTCString() } }),
    reason: /does not match/,
  },
  {
    what: "date, outside the window",
    change: ({ headers }) => ({ headers: { ...headers, date: new Date(Date.now() - 301_000).toUTCString() } }),
    reason: /Date more than 300 seconds/,
  },
  { what: "date, unreadable", change: ({ headers }) => ({ headers: { ...headers, date: "yesterday" } }), reason: /not an HTTP date/ },
  { what: "salt", change: ({ headers }) => ({ headers: { ...headers, "x-signature-salt": "salt-2" } }), reason: /does not match/ },
  { what: "keyId", change: authorization((text) => text.replace('keyId="M1"', 'keyId="M2"')), reason: /does not match/ },
  { what: "algorithm", change: authorization((text) => text.replace("hmac-sha256", "hmac-sha512")), reason: /does not match/ },
  {
    what: "algorithm, unknown",
    change: authorization((text) => text.replace("hmac-sha256", "rsa-sha256")),
    reason: /other than hmac-sha256/,
  },
  {
    what: "signature",
    change: authorization((text) => text.replace(/signature="(.)/, (_, first) => `signature="${first === "+" ? "/" : "+"}`)),
    reason: /does not match/,
  },
  { what: "signature, not Base64", change: authorization((text) => text.replace(/signature="./, 'signature="%')), reason: /not Base64/ },
  {
    what: "signature, cut",
    change: authorization((text) => text.replace(/signature="([^"]{20})[^"]*"/, 'signature="$1"')),
    reason: /does not match/,
  },
];

for (const { what, change, reason } of TAMPERED) {
  test(`refuses a tampered ${what}`, async () => {
    const { raw } = await sent({ method: "POST" });
    assert.equal(verify(raw).type, "verified");
    const verdict = verify({ ...raw, ...change(raw) });
    assert.equal(verdict.type, "refused");
    assert.match(verdict.type === "refused" ? verdict.reason : "", reason);
  });
}

const UNSIGNED = ["(request-target)", "host", "date", "x-signature-salt", "digest"];
for (const left of UNSIGNED) {
  test(`refuses a signature that leaves out ${left}`, async () => {
    const { raw } = await sent({ method: "POST", sign: { headers: UNSIGNED.filter((name) => name !== left) } });
    const verdict = verify(raw);
    const reason = left === "date" ? "signs neither date nor (created)" : `does not sign ${left}`;
    assert.deepEqual(verdict, { type: "refused", reason: `The signature ${reason}.` });
  });
}

test("names all that a signature does not cover: the library's own default is the date alone", async () => {
  const post = verify((await sent({ method: "POST", sign: { headers: ["date"] } })).raw);
  assert.deepEqual(post, { type: "refused", reason: "The signature does not sign (request-target), host, x-signature-salt, digest." });
  const get = verify((await sent({ method: "GET", sign: { headers: ["date", "host"] } })).raw);
  assert.deepEqual(get, { type: "refused", reason: "The signature does not sign (request-target), x-signature-salt." });
});

test("a signature without headers is one of the date alone, as of one that says so", async () => {
  const { raw } = await sent({ method: "POST", sign: { headers: ["date"] } });
  const without = authorization((text) => text.replace(/headers="[^"]*",/, ""))(raw);
  assert.doesNotMatch(without.headers.authorization ?? "", /headers=/);
  assert.deepEqual(verify({ ...raw, ...without }), verify(raw));
});

const OF_THE_KEY: [string, (text: string) => string][] = [
  ["no algorithm", (text) => text.replace(/algorithm="[^"]*",/, "")],
  ["hs2019", (text) => text.replace(/algorithm="[^"]*"/, 'algorithm="hs2019"')],
  ["HS2019", (text) => text.replace(/algorithm="[^"]*"/, 'algorithm="HS2019"')],
];
for (const [what, change] of OF_THE_KEY) {
  for (const algorithm of ["hmac-sha256", "hmac-sha512"] as const) {
    test(`with ${what}, what was signed with ${algorithm} is verified, and nothing else`, async () => {
      const { raw } = await sent({ method: "POST", sign: { algorithm } });
      const changed = { ...raw, ...authorization(change)(raw) };
      assert.doesNotMatch(changed.headers.authorization ?? "", /algorithm="hmac/);
      assert.equal(verify(changed).type, "verified");
      assert.match(JSON.stringify(verify({ ...changed, target: `${raw.target}1` })), /does not match/);
      const { raw: forged } = await sent({ method: "POST", sign: { algorithm, secret: "another" } });
      assert.match(JSON.stringify(verify({ ...forged, ...authorization(change)(forged) })), /does not match/);
    });
  }
}

test("with no algorithm, a signature of neither length is refused", async () => {
  const { raw } = await sent({ method: "GET" });
  for (const length of [1, 31, 33, 48, 63, 65]) {
    const text = `keyId="M1",headers="(request-target) host date x-signature-salt",signature="${Buffer.alloc(length).toString("base64")}"`;
    assert.match(JSON.stringify(verify({ ...raw, ...authorization(() => `Signature ${text}`)(raw) })), /does not match/);
  }
});

const MALFORMED: [string, string | undefined, RegExp][] = [
  ["nothing", undefined, /is missing/],
  ["another scheme", "Basic eDp5", /is missing/],
  ["no parameters", "Signature nothing here", /not a list/],
  ["a parameter twice", 'Signature keyId="a",keyId="b"', /keyId twice/],
  ["no keyId", 'Signature algorithm="hmac-sha256",headers="host",signature="aaaa"', /has no keyId/],
  ["no signature", 'Signature keyId="M1",algorithm="hmac-sha256",headers="host"', /has no signature/],
  ["an algorithm of nothing", 'Signature keyId="M1",algorithm="",headers="host",signature="aaaa"', /an algorithm other than/],
  ["headers that are none", 'Signature keyId="M1",headers=" ",signature="aaaa"', /an empty list of headers/],
  [
    "no headers, which means date alone",
    'Signature keyId="M1",signature="aaaa"',
    /does not sign \(request-target\), host, x-signature-salt\./,
  ],
  ["a header twice", 'Signature keyId="M1",algorithm="hmac-sha256",headers="host host",signature="aaaa"', /header twice/],
  ["too long a header", `Signature keyId="${"a".repeat(5_000)}"`, /longer than/],
  [
    "created that is no number",
    'Signature keyId="M1",algorithm="hmac-sha256",headers="host",created="x",signature="aaaa"',
    /created that is not/,
  ],
];
for (const [what, authorization, reason] of MALFORMED) {
  test(`says what is wrong with ${what}`, () => {
    const header = (name: string) => (name === "authorization" ? authorization : name === "signature" ? undefined : "x");
    const verdict = verifySignature({ method: "GET", target: "/", header, body: Buffer.alloc(0) }, secretOf, 0);
    assert.match(verdict.type === "refused" ? verdict.reason : "", reason);
  });
}

test("a key that does not exist reads as a wrong signature", async () => {
  const { raw } = await sent({ method: "GET", sign: { keyId: "M9" } });
  const { raw: wrong } = await sent({ method: "GET", sign: { secret: "wrong" } });
  assert.deepEqual(verify(raw), verify(wrong));
});

function authorization(change: (text: string) => string) {
  return ({ headers }: Arrived["raw"]) => ({ headers: { ...headers, authorization: change(headers.authorization ?? "") } });
}

/** A request signed by hand, from the draft's own description. */
function ownRequest({ names, created }: { names: string; created: number }): SignedRequest {
  const target = "/pgw/payment/verify?merId=M1&txId=T1";
  const lines: { [name: string]: string } = {
    "(request-target)": `get ${target}`,
    host: "relay.example",
    "(created)": String(created),
    "x-signature-salt": "s1",
  };
  const text = names
    .split(" ")
    .map((name) => `${name}: ${lines[name]}`)
    .join("\n");
  const signature = createHmac("sha256", SECRET).update(text).digest("base64");
  const headers: { [name: string]: string | undefined } = {
    ...lines,
    authorization: `Signature keyId="M1",algorithm="hmac-sha256",created=${created},headers="${names}",signature="${signature}"`,
  };
  return { method: "GET", target, header: (name) => headers[name], body: Buffer.alloc(0) };
}

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { type ConnectionOptions, connect } from "node:tls";
import { fileURLToPath } from "node:url";
import { Agent, request } from "undici";
import { bind } from "../../../http/endpoint/endpoint.ts";
import { docsEndpoints, docsOperations } from "../../../http/web/docs-endpoints.ts";
import { loadDocs } from "../../../http/web/docs-files.ts";
import { rawClient } from "./raw-client.ts";
import { ADMIN, envelope, exampleEndpoints, startWorld } from "./world.ts";

const own = (name: string) => fileURLToPath(new URL(`./tls/test-only-${name}.pem`, import.meta.url));
const RSA = { certFile: own("rsa-cert"), keyFile: own("rsa-key") };
const ECDSA = { certFile: own("cert"), keyFile: own("key") };

/** What is answered of each kind: by an endpoint, at once and later, with and without a body, and where none is. */
const ANSWERS: [method: string, path: string, status: number, headers: { [name: string]: string }][] = [
  ["GET", "/api/v1/T1/get", 204, {}],
  ["GET", "/api/v1/T1/list", 200, {}],
  ["HEAD", "/api/v1/T1/list", 200, {}],
  ["GET", "/api/v1/T1/list?limit=0", 400, {}],
  ["POST", "/orders", 200, {}],
  ["POST", "/api/v1/T1/order", 401, {}],
  ["GET", "/break/unavailable", 503, { authorization: ADMIN }],
  ["GET", "/break/x", 500, { authorization: ADMIN }],
  ["GET", "/nowhere", 404, {}],
  ["PUT", "/orders", 405, {}],
  ["OPTIONS", "/api/v1/T1/order", 403, { origin: "https://shop.example", "access-control-request-method": "POST" }],
];

const NOT_STORED = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

test("every answer says that it is not to be stored, nor taken for anything else than its type", async (t) => {
  const { url, release } = await startWorld(t);
  release("");
  for (const [method, path, status, headers] of ANSWERS) {
    const answer = await request(`${url}${path}`, { method: method as "GET", headers });
    await answer.body.dump();
    assert.equal(answer.statusCode, status, `${method} ${path}`);
    for (const [name, value] of Object.entries(NOT_STORED)) assert.equal(answer.headers[name], value, `${method} ${path}`);
    assert.equal(answer.headers["strict-transport-security"], undefined);
    assert.ok(answer.headers["x-request-id"]);
  }
});

test("an answer that says itself who may store it says nothing else, but its errors are not stored", async (t) => {
  const endpoints = bind(
    docsEndpoints(envelope),
    docsOperations(() => loadDocs({ variant: "of a test", text: () => "{}" }), null),
  );
  const { url } = await startWorld(t, { endpoints });
  for (const path of ["/docs", "/openapi.json", "/asyncapi.json"]) {
    const answer = await request(`${url}${path}`);
    await answer.body.dump();
    assert.equal(answer.headers["cache-control"], "no-cache", path);
    assert.equal(answer.headers["x-content-type-options"], "nosniff", path);
  }
  const missing = await request(`${url}/docs/nothing`);
  await missing.body.dump();
  assert.equal(missing.headers["cache-control"], "no-store");
});

test("where clients come over TLS, every answer tells browsers to keep to it", async (t) => {
  const { url, release } = await startWorld(t, { tls: RSA, tlsOnly: true });
  release("");
  const dispatcher = new Agent({ connect: { ca: readFileSync(RSA.certFile) } });
  t.after(() => dispatcher.close());
  for (const [method, path, status, headers] of ANSWERS) {
    const answer = await request(`${url}${path}`, { method: method as "GET", headers, dispatcher });
    await answer.body.dump();
    assert.equal(answer.statusCode, status);
    assert.equal(answer.headers["strict-transport-security"], "max-age=31536000", `${method} ${path}`);
  }
});

test("headers stand once each", async (t) => {
  const { port } = await startWorld(t, { tlsOnly: true, endpoints: [...bind(exampleEndpoints, { wait: async () => "" })] });
  const client = await rawClient(t, port);
  client.write("GET /api/v1/T1/list HTTP/1.1\r\nHost: a\r\n\r\n");
  const [head = ""] = (await client.until("requestId")).split("\r\n\r\n");
  const names = head
    .split("\r\n")
    .slice(1)
    .map((line) => line.slice(0, line.indexOf(":")).toLowerCase());
  assert.deepEqual([...new Set(names)], names);
});

/** Cipher suites of TLS 1.2, by whether the session's key is gone with the session, and the certificate that each is for. */
const SUITES: [suite: string, offered: boolean, tls: typeof RSA][] = [
  ["ECDHE-RSA-AES128-GCM-SHA256", true, RSA],
  ["ECDHE-RSA-AES256-GCM-SHA384", true, RSA],
  ["ECDHE-RSA-CHACHA20-POLY1305", true, RSA],
  ["ECDHE-RSA-AES128-SHA", true, RSA],
  ["AES128-GCM-SHA256", false, RSA],
  ["AES256-GCM-SHA384", false, RSA],
  ["AES128-SHA", false, RSA],
  ["AES256-SHA", false, RSA],
  ["ECDHE-ECDSA-AES128-GCM-SHA256", true, ECDSA],
  ["ECDHE-ECDSA-AES256-GCM-SHA384", true, ECDSA],
  ["ECDHE-ECDSA-CHACHA20-POLY1305", true, ECDSA],
  ["ECDHE-ECDSA-AES128-SHA", true, ECDSA],
];

test("whoever gets the certificate's key later reads nothing that was recorded before", async (t) => {
  const ports = new Map([
    [RSA, (await startWorld(t, { tls: RSA })).port],
    [ECDSA, (await startWorld(t, { tls: ECDSA })).port],
  ]);
  for (const [suite, offered, tls] of SUITES) {
    const agreed = await handshake({
      port: ports.get(tls) ?? 0,
      ciphers: `${suite}:@SECLEVEL=0`,
      minVersion: "TLSv1.2",
      maxVersion: "TLSv1.2",
    });
    assert.equal(agreed, offered ? `TLSv1.2 ${suite}` : "refused", suite);
  }
  const port = ports.get(RSA) ?? 0;
  assert.match(await handshake({ port, minVersion: "TLSv1.3" }), /^TLSv1\.3 TLS_/);
  for (const version of ["TLSv1", "TLSv1.1"] as const) {
    assert.equal(await handshake({ port, ciphers: "DEFAULT:@SECLEVEL=0", minVersion: version, maxVersion: version }), "refused", version);
  }
});

/** The protocol and the suite that are agreed on. */
function handshake(options: ConnectionOptions): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", rejectUnauthorized: false, ...options }, () => {
      resolve(`${socket.getProtocol()} ${socket.getCipher().name}`);
      socket.destroy();
    });
    socket.on("error", () => resolve("refused"));
  });
}

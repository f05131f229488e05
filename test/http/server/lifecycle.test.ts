import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { Agent, request } from "undici";
import { settle } from "../../engine/world.ts";
import { eventually } from "../../support/within.ts";
import { rawClient } from "./raw-client.ts";
import { startWorld } from "./world.ts";

const CERT = fileURLToPath(new URL("./tls/test-only-cert.pem", import.meta.url));
const KEY = fileURLToPath(new URL("./tls/test-only-key.pem", import.meta.url));

test("serves TLS", async (t) => {
  const { url } = await startWorld(t, { tls: { certFile: CERT, keyFile: KEY } });
  const dispatcher = new Agent({ connect: { ca: readFileSync(CERT) } });
  t.after(() => dispatcher.close());
  const response = await request(`${url}/api/v1/app/get`, { dispatcher });
  assert.deepEqual(await response.body.json(), { text: "app" });
});

test("a certificate that cannot be read does not start", async (t) => {
  await assert.rejects(startWorld(t, { tls: { certFile: "/nowhere/cert.pem", keyFile: KEY } }));
});

test("draining takes no new connection, finishes what is under way and ends the connection", async (t) => {
  const { port, server, waiting, release } = await startWorld(t);
  const client = await rawClient(t, port);
  client.write("POST /orders HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
  await waiting;
  const drained = server.drain({ acceptMs: 0, deadlineMs: 60_000 });
  // Some turns of the loop later: who has connected by then is accepted.
  await eventually(() => assert.rejects(rawClient(t, port), /ECONNREFUSED/));
  release("");
  assert.equal(await drained, 0);
  assert.match(await client.closed(), /^HTTP\/1\.1 200 OK[\s\S]*Connection: close/);
});

/** On a thread of its own: connects and sends a request while the server's thread stands still, and tells what came of it. */
const CLIENT = `
  const { parentPort, workerData: { port, sent } } = require("node:worker_threads");
  parentPort.once("message", () => {
    let text = "";
    const socket = require("node:net").connect(port, "127.0.0.1", () => {
      socket.write("GET /api/v1/app/get HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n", () => {
        Atomics.store(sent, 0, 1);
        Atomics.notify(sent, 0);
      });
    });
    socket.on("data", (chunk) => (text += chunk)).on("error", ({ code }) => (text += code)).on("close", () => parentPort.postMessage(text));
  });
`;

test("draining answers who has connected and asked, but was not accepted yet", async (t) => {
  const { port, server } = await startWorld(t);
  const sent = new Int32Array(new SharedArrayBuffer(4));
  const client = new Worker(CLIENT, { eval: true, workerData: { port, sent } });
  await once(client, "online");
  const answered = once(client, "message");
  client.postMessage("go");
  assert.notEqual(Atomics.wait(sent, 0, 0, 10_000), "timed-out");
  assert.equal(await server.drain({ acceptMs: 0, deadlineMs: 5_000 }), 0);
  const [answer] = await answered;
  assert.match(answer, /^HTTP\/1\.1 200 OK[\s\S]*Connection: close/);
});

test("draining accepts for a while, ends each connection with its answer, and then takes none", async (t) => {
  const { url, port, server } = await startWorld(t);
  // The while is over only when the test says so, and not before its client has connected.
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let isOver = false;
  const drained = server.drain({ acceptMs: 300, deadlineMs: 5_000 }).finally(() => {
    isOver = true;
  });
  t.mock.timers.tick(299);
  await settle();
  const response = await request(`${url}/api/v1/app/get`);
  assert.deepEqual(await response.body.json(), { text: "app" });
  assert.equal(response.headers["connection"], "close");
  for (; !isOver; await new Promise((resolve) => setImmediate(resolve))) t.mock.timers.tick(1);
  assert.equal(await drained, 0);
  await assert.rejects(rawClient(t, port), /ECONNREFUSED/);
});

test("draining ends at its deadline and says what it left", async (t) => {
  const { port, server, waiting } = await startWorld(t);
  const client = await rawClient(t, port);
  client.write("POST /orders HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
  await waiting;
  assert.equal(await server.drain({ acceptMs: 0, deadlineMs: 30 }), 1);
});

test("rate limits count the client behind a trusted proxy, not the proxy", async (t) => {
  const { url } = await startWorld(t, { trustedProxies: ["127.0.0.0/8"] });
  const send = async (client: string) => {
    const headers = { "x-forwarded-for": client, "api-key": "key" };
    const response = await request(`${url}/api/v1/T1/order`, { method: "POST", body: '{"amount":1}', headers });
    await response.body.dump();
    return response.statusCode;
  };
  for (let i = 0; i < 5; i++) assert.equal(await send("198.51.100.1"), 200);
  assert.equal(await send("198.51.100.1"), 429);
  assert.equal(await send("198.51.100.2"), 200);
  const list = await request(`${url}/api/v1/T1/list`, { headers: { "x-forwarded-for": "198.51.100.9" } });
  const body = await list.body.json();
  assert.ok(typeof body === "object" && body !== null && "ip" in body);
  assert.equal(body.ip, "198.51.100.9");
});

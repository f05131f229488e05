import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Upgrade, WebSocketMount } from "../../../http/server/websocket.ts";
import { rawClient } from "./raw-client.ts";
import { startWorld } from "./world.ts";

const UPGRADE = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n";

/** A server with one mount at `/ws`; `upgrades` has who was let in there. */
async function world(t: TestContext) {
  const upgrades: Upgrade[] = [];
  const mount: WebSocketMount = {
    path: "/ws",
    protocols: [],
    messageBytesMax: 100,
    bufferedBytesMax: 1_000,
    idleSeconds: 60,
    socketsMax: 100,
    open: (_socket, upgrade) => {
      upgrades.push(upgrade);
      return { message: () => {}, pong: () => {}, closed: () => {} };
    },
  };
  return { ...(await startWorld(t, { trustedProxies: ["127.0.0.0/8"], webSockets: [mount] })), upgrades };
}

test("of several X-Forwarded-For the last tells the client, on a request and on a WebSocket's upgrade", async (t) => {
  const { port, upgrades } = await world(t);
  const lines = (...values: string[]) => values.map((value) => `X-Forwarded-For: ${value}\r\n`).join("");
  const cases: [headers: string, client: string][] = [
    [lines("203.0.113.9", "198.51.100.9"), "198.51.100.9"],
    [lines("203.0.113.9, 203.0.113.8", "198.51.100.9, 127.0.0.2"), "198.51.100.9"],
    [lines("203.0.113.9", "nonsense", "198.51.100.9"), "198.51.100.9"],
    [lines("", "198.51.100.9"), "198.51.100.9"],
    [lines("\xff", "198.51.100.9"), "198.51.100.9"],
    [lines("203.0.113.9, ".repeat(200), "198.51.100.9"), "198.51.100.9"],
    [lines("203.0.113.9", "nonsense"), "127.0.0.1"],
    [lines("203.0.113.9", ""), "127.0.0.1"],
  ];
  for (const [headers, client] of cases) {
    const asking = await rawClient(t, port);
    asking.write(`GET /api/v1/T1/list HTTP/1.1\r\nHost: a\r\n${headers}\r\n`);
    assert.match(await asking.until("requestId"), new RegExp(`"ip":"${client}"`), headers);
    const connecting = await rawClient(t, port);
    connecting.write(`GET /ws HTTP/1.1\r\nHost: a\r\n${UPGRADE}${headers}\r\n`);
    await connecting.until("101 Switching Protocols");
    assert.equal(upgrades.at(-1)?.ipAddress, client, headers);
  }
});

test("a request that can be read in two ways is refused, and nothing behind it on its connection is read", async (t) => {
  const { port, answered } = await world(t);
  const smuggled = "GET /api/v1/SMUGGLED/get HTTP/1.1\r\nHost: a\r\n\r\n";
  const body = '{"amount":1}';
  const length = `Content-Length: ${body.length}\r\n`;
  const post = "POST /orders HTTP/1.1\r\n";
  const requests: [request: string, header: string][] = [
    [`${post}Host: a\r\n${length}Content-Length: ${body.length + smuggled.length}\r\n\r\n${body}`, "Content-Length"],
    [`${post}Host: a\r\n${length}${length}\r\n${body}`, "Content-Length"],
    [`${post}Host: a\r\nContent-Length: 0\r\nCONTENT-LENGTH: ${smuggled.length}\r\n\r\n`, "Content-Length"],
    [`${post}Host: a\r\nContent-Length:\r\nContent-Length: ${smuggled.length}\r\n\r\n`, "Content-Length"],
    [`${post}Host: a\r\nContent-Length:\r\n\r\n`, "Content-Length"],
    [`${post}Host: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n`, "Transfer-Encoding"],
    [`${post}Host: a\r\nTransfer-Encoding: gzip\r\n\r\n0\r\n\r\n`, "Transfer-Encoding"],
    [`${post}Host: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`, "Transfer-Encoding"],
    [`${post}Host: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`, "Transfer-Encoding"],
    [`${post}Host: a\r\nTransfer-Encoding:\r\n\r\n`, "Transfer-Encoding"],
    [`GET /api/v1/T1/get HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: ${smuggled.length}\r\n\r\n`, "Content-Length"],
    [`DELETE /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: ${smuggled.length}\r\n\r\n`, "Content-Length"],
    ["GET /api/v1/T1/get HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "Host"],
    ["GET /api/v1/T1/get HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n", "Host"],
    ["GET /api/v1/T1/get HTTP/1.1\r\nHost:\r\nHost: a\r\n\r\n", "Host"],
    ["OPTIONS /api/v1/T1/order HTTP/1.1\r\nHost: a\r\nHost: b\r\nOrigin: https://a\r\nAccess-Control-Request-Method: POST\r\n\r\n", "Host"],
  ];
  for (const [request, header] of requests) {
    answered.length = 0;
    const client = await rawClient(t, port);
    client.write(request);
    const received = await client.closed();
    assert.match(received, /^HTTP\/1\.1 400 Bad Request\r\n/, request);
    // One of the two libraries refuses several Host by itself, and tells nobody.
    if (answered.length > 0) assert.match(received, new RegExp(`"message":"${header}: `), request);
    const smuggler = await rawClient(t, port);
    smuggler.write(request + smuggled);
    assert.doesNotMatch(await smuggler.closed(), /HTTP\/1\.1 2/, request);
    assert.ok(
      answered.every((answer) => answer === "unmatched 400"),
      `${request}: ${answered}`,
    );
  }
});

test("a WebSocket's upgrade that can be read in two ways is refused", async (t) => {
  const { port, upgrades, answered } = await world(t);
  for (const lines of ["Host: a\r\nHost: b\r\n", "Host: a\r\nContent-Length: 0\r\nContent-Length: 5\r\n"]) {
    const client = await rawClient(t, port);
    client.write(`GET /ws HTTP/1.1\r\n${UPGRADE}${lines}\r\n`);
    assert.match(await client.closed(), /^HTTP\/1\.1 400 /);
    const smuggler = await rawClient(t, port);
    smuggler.write(`GET /ws HTTP/1.1\r\n${UPGRADE}${lines}\r\nGET /api/v1/SMUGGLED/get HTTP/1.1\r\nHost: a\r\n\r\n`);
    await smuggler.closed();
  }
  assert.deepEqual(upgrades, []);
  // What the smuggler put behind it was answered by nobody.
  assert.ok(
    answered.every((answer) => answer === "unmatched 400"),
    String(answered),
  );
});

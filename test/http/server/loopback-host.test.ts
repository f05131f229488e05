import assert from "node:assert/strict";
import { test } from "node:test";
import { isLoopbackHost } from "../../../http/auth/loopback-host.ts";
import type { WebSocketMount } from "../../../http/server/websocket.ts";
import { rawClient } from "./raw-client.ts";
import { startWorld } from "./world.ts";

const HERE = [
  "localhost",
  "localhost:8080",
  "LOCALHOST:8080",
  "localhost.",
  "127.0.0.1",
  "127.0.0.1:1",
  "127.9.8.7:65535",
  "[::1]",
  "[::1]:8080",
];
const ELSEWHERE = [
  "",
  "evil.example",
  "evil.example:8080",
  "localhost.evil.example",
  "127.0.0.1.evil.example",
  "evil-localhost",
  "127.0.0.1:8080.evil.example",
  "127.0.0.1@evil.example",
  "127.evil.example",
  "0.0.0.0",
  "192.168.1.10:8080",
  "[::2]",
  "::1",
  "localhost:",
  "localhost:x",
];

const mount: WebSocketMount = {
  path: "/ws",
  protocols: [],
  messageBytesMax: 100,
  bufferedBytesMax: 1_000,
  idleSeconds: 60,
  socketsMax: 10,
  open: () => ({ message: () => {}, pong: () => {}, closed: () => {} }),
};

test("a host is of this machine by its name, with any port", () => {
  for (const host of HERE) assert.ok(isLoopbackHost(host), host);
  for (const host of ELSEWHERE) assert.ok(!isLoopbackHost(host), host);
});

test("a server for this machine only refuses other hosts in every method and at its WebSockets", async (t) => {
  const { port } = await startWorld(t, { loopbackHostsOnly: true, webSockets: [mount] });
  const upgrade =
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n";
  const answerTo = async (line: string, host: string, more = "") => {
    const client = await rawClient(t, port);
    client.write(`${line} HTTP/1.1\r\nHost: ${host}\r\n${more}\r\n`);
    const [first = ""] = (await client.until("\r\n")).split("\r\n");
    client.socket.destroy();
    return first.split(" ")[1];
  };
  for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "REPORT"]) {
    const length = method === "GET" || method === "HEAD" ? "" : "Content-Length: 0\r\n";
    for (const path of ["/api/v1/T1/get", "/nowhere"]) {
      const line = `${method} ${path}`;
      assert.equal(await answerTo(line, "evil.example", length), "403", line);
      assert.notEqual(await answerTo(line, "127.0.0.1:8080", length), "403", line);
    }
  }
  const preflight = "Origin: http://evil.example\r\nAccess-Control-Request-Method: POST\r\n";
  assert.equal(await answerTo("OPTIONS /api/v1/T1/order", "evil.example", preflight), "403");
  assert.equal(await answerTo("GET /ws", "evil.example", upgrade), "403");
  assert.equal(await answerTo("GET /ws", "localhost:8080", upgrade), "101");
});

test("any other server answers to every host", async (t) => {
  const { port } = await startWorld(t, { webSockets: [mount] });
  const client = await rawClient(t, port);
  client.write("GET /nowhere HTTP/1.1\r\nHost: relay.example\r\n\r\n");
  assert.match(await client.until("\r\n"), /^HTTP\/1.1 404/);
});

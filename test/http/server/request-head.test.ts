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

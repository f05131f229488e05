/** A request whose first line comes in several TCP segments, as a terminal that writes piece by piece sends it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { loadUws } from "../../../http/server/uws.ts";
import { HTTP_LIBRARY } from "../../support/http/http-library.ts";
import { rawClient } from "./raw-client.ts";
import { startWorld } from "./world.ts";

/** Long enough for each piece to be read by itself. */
const BETWEEN_MS = 30;

const { library, lacks } = await loadUws(HTTP_LIBRARY);

const REST = ["PO", "ST /orders HT", 'TP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{"amount":5}'];
const POLL = ["GET /api/v1/T1/get", " HTTP/1", ".1\r\nHost: a\r\n\r\n"];
const UPGRADE = [
  "GET /w",
  "s HTT",
  "P/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
];

const QUIET_MOUNT = {
  path: "/ws",
  protocols: [],
  messageBytesMax: 1_024,
  bufferedBytesMax: 1_024,
  idleSeconds: 0,
  socketsMax: 10,
  open: () => ({ message: () => undefined, pong: () => undefined, closed: () => undefined }),
};

for (const [what, pieces, status] of [
  ["a payment", REST, "200"],
  ["a poll", POLL, "204"],
  ["an upgrade to WebSocket", UPGRADE, "101"],
] as const) {
  const expected = library === "newer" ? status : "505";
  test(`${what} whose first line comes in three pieces is answered ${expected} by the ${library} library`, async (t) => {
    const { port, release } = await startWorld(t, { webSockets: [QUIET_MOUNT] });
    release("now");
    const client = await rawClient(t, port);
    client.socket.setNoDelay(true);
    for (const piece of pieces) {
      client.write(piece);
      await delay(BETWEEN_MS);
    }
    assert.match(await client.until("\r\n\r\n"), new RegExp(`^HTTP/1\\.1 ${expected} `));
    // What it cannot do is told at the start of a node.
    assert.equal(/several TCP segments may be answered 505/.test(lacks.join()), library === "older");
  });
}

import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { WebSocket } from "ws";
import { openSharedCounts, sharedCountsMemory } from "../../../engine/kernel/shared-counts.ts";
import { createSocketsPerAddress } from "../../../http/server/sockets-per-address.ts";
import type { Socket, Upgrade, WebSocketMount } from "../../../http/server/websocket.ts";
import { eventually } from "../../support/within.ts";
import { startWorld } from "./world.ts";

interface Opened {
  socket: Socket;
  upgrade: Upgrade;
}

/** A server with one mount; what happens on its sockets is recorded. */
async function world(t: { after(close: () => void): void }, limits: Partial<WebSocketMount> = {}) {
  const events: string[] = [];
  const opened: Opened[] = [];
  const watchers: (() => void)[] = [];
  const record = (event: string) => {
    events.push(event);
    for (const watcher of watchers.splice(0)) watcher();
  };
  const mount: WebSocketMount = {
    path: "/ws",
    protocols: ["v12.stomp", "v11.stomp"],
    messageBytesMax: 100,
    bufferedBytesMax: 200_000,
    idleSeconds: 60,
    socketsMax: 2,
    open: (socket, upgrade) => {
      opened.push({ socket, upgrade });
      record("open");
      return {
        message: (data, isBinary) => record(`${isBinary ? "binary" : "text"} ${Buffer.from(data).toString()}`),
        pong: () => record("pong"),
        drain: () => record("drain"),
        closed: () => record("closed"),
      };
    },
    ...limits,
  };
  const { port, server, url } = await startWorld(t, { webSockets: [mount], trustedProxies: ["127.0.0.0/8"] });
  const dial = (protocols: string[] = [], headers: Record<string, string> = {}) => {
    const client = new WebSocket(`ws://127.0.0.1:${port}/ws`, protocols, { headers });
    client.on("error", () => {});
    t.after(() => client.terminate());
    return client;
  };
  const until = async (event: string) => {
    while (!events.includes(event)) await new Promise<void>((resolve) => watchers.push(resolve));
  };
  const only = (): Opened => {
    const [first] = opened;
    assert.ok(first);
    return first;
  };
  return { dial, events, until, only, opened, server, url };
}

test("agrees on the first protocol that it prefers and tells who comes", async (t) => {
  const { dial, until, only } = await world(t);
  const client = dial(["v10.stomp", "v11.stomp", "v12.stomp"], { authorization: "Basic x", "user-agent": "till/1" });
  await until("open");
  assert.deepEqual(only().upgrade, {
    ipAddress: "127.0.0.1",
    authorization: "Basic x",
    userAgent: "till/1",
    origin: "",
    protocol: "v12.stomp",
  });
  await once(client, "open");
  assert.equal(client.protocol, "v12.stomp");
});

test("a login that a page of another origin lets a browser attach counts as none", async (t) => {
  const { dial, only, url } = await world(t);
  await once(dial([], { authorization: "Basic x", origin: "http://127.0.0.1:1" }), "open");
  assert.deepEqual([only().upgrade.authorization, only().upgrade.origin], ["", "http://127.0.0.1:1"]);
  const own = await world(t);
  await once(own.dial([], { authorization: "Basic x", origin: own.url }), "open");
  assert.equal(own.only().upgrade.authorization, "Basic x");
  assert.notEqual(own.url, url);
});

test("lets a client in that asks for no protocol", async (t) => {
  const { dial, only } = await world(t);
  await once(dial(), "open");
  assert.equal(only().upgrade.protocol, "");
});

test("carries messages, pings and the end both ways", async (t) => {
  const { dial, until, events, only } = await world(t);
  const client = dial();
  await once(client, "open");
  client.send("hello");
  client.send(Buffer.from("bytes"));
  await until("binary bytes");
  const received: string[] = [];
  client.on("message", (data, isBinary) => received.push(`${isBinary} ${data}`));
  const { socket } = only();
  assert.equal(socket.send("text"), "sent");
  assert.equal(socket.send(Buffer.from("raw")), "sent");
  socket.ping();
  await until("pong");
  assert.deepEqual(received, ["false text", "true raw"]);
  client.close();
  await until("closed");
  assert.deepEqual(events, ["open", "text hello", "binary bytes", "pong", "closed"]);
  // A closed socket takes everything without harm.
  socket.close();
  socket.ping();
  assert.deepEqual([socket.send("late"), socket.bufferedBytes()], ["dropped", 0]);
});

test("closes with the code and reason that it is given", async (t) => {
  const { dial, until, only } = await world(t);
  const client = dial();
  await until("open");
  await once(client, "open");
  only().socket.close(4_001, "not you");
  const [code, reason] = await once(client, "close");
  assert.deepEqual([code, String(reason)], [4_001, "not you"]);
});

test("a message that is too long ends the socket", async (t) => {
  const { dial, until } = await world(t);
  const client = dial();
  await once(client, "open");
  client.send("x".repeat(101));
  await until("closed");
});

test("a client that does not read is dropped and closed, never buffered without end", async (t) => {
  const { dial, until, only } = await world(t);
  const client = dial();
  await once(client, "open");
  client.pause();
  const outcomes = new Set<string>();
  for (let i = 0; i < 2_000 && !outcomes.has("dropped"); i++) outcomes.add(only().socket.send("x".repeat(10_000)));
  assert.deepEqual([...outcomes], ["sent", "buffered", "dropped"]);
  await until("closed");
});

test("one socket more than there may be is refused", async (t) => {
  const { dial, server } = await world(t);
  await once(dial(), "open");
  await once(dial(), "open");
  const [error] = await once(dial(), "error");
  assert.match(String(error), /503/);
  assert.equal(server.webSockets(), 2);
});

test("an address opens as many sockets as it may, fewer before it logs in; others have their own", async (t) => {
  const refused: string[] = [];
  const counts = () => openSharedCounts(sharedCountsMemory(7));
  const perAddress = createSocketsPerAddress({
    all: { counts: counts(), max: () => 3 },
    withoutLogin: { counts: counts(), max: () => 2 },
    refused: (bound) => refused.push(bound),
  });
  const { dial, opened } = await world(t, { socketsMax: 100, perAddress });
  const dialFrom = (address: string) => dial([], { "x-forwarded-for": address });
  const open = async (address: string) => {
    const client = dialFrom(address);
    await once(client, "open");
    return client;
  };
  const refusal = async (address: string) => {
    const response = await new Promise<IncomingMessage>((resolve) =>
      dialFrom(address).on("unexpected-response", (_request, answer) => resolve(answer)),
    );
    let body = "";
    for await (const chunk of response) body += String(chunk);
    return { status: response.statusCode, retryAfter: response.headers["retry-after"], error: JSON.parse(body).error };
  };
  const [first, second] = [await open("203.0.113.1"), await open("203.0.113.1")];
  const notLoggedIn = { status: 429, retryAfter: "2", error: "This address has too many WebSockets that have not logged in yet" };
  assert.deepEqual(await refusal("203.0.113.1"), notLoggedIn);
  await open("203.0.113.2");
  for (const { socket } of opened.slice(0, 2)) {
    socket.loggedIn();
    socket.loggedIn();
  }
  await open("203.0.113.1");
  assert.deepEqual(await refusal("203.0.113.1"), { status: 429, retryAfter: "30", error: "This address has too many open WebSockets" });
  assert.deepEqual(refused, ["without login", "all"]);

  // What closes makes room, whether it had logged in or not, once.
  first.terminate();
  second.terminate();
  await eventually(async () => {
    await open("203.0.113.1");
  });
  assert.deepEqual(await refusal("203.0.113.1"), notLoggedIn);
  // Of IPv6 the network counts.
  await open("2001:db8::1");
  await open("2001:db8::2");
  assert.equal((await refusal("2001:db8::3")).status, 429);
  await open("2001:db8:0:1::1");
});

test("draining closes the sockets with 1001", async (t) => {
  const { dial, server } = await world(t);
  const client = dial();
  await once(client, "open");
  const closed = once(client, "close");
  assert.equal(await server.drain({ acceptMs: 0, deadlineMs: 2_000 }), 0);
  assert.equal((await closed)[0], 1_001);
});

test("its path without an upgrade is 426 and says what to send; SockJS's paths below it are 404 and say what is not spoken", async (t) => {
  const { url } = await world(t);
  const plain = await fetch(`${url}/ws`);
  assert.deepEqual([plain.status, plain.headers.get("upgrade")], [426, "websocket"]);
  assert.match(
    await plain.text(),
    /"message":"This path accepts WebSocket connections only: send Connection: Upgrade and Upgrade: websocket/,
  );
  assert.deepEqual([(await fetch(`${url}/ws`, { method: "HEAD" })).status], [426]);
  const posted = await fetch(`${url}/ws`, { method: "POST", body: "{}" });
  assert.deepEqual([posted.status, posted.headers.get("allow")], [405, "GET"]);
  for (const path of ["/ws/info?t=1", "/ws/123/abcdefgh/websocket", "/ws/123/abcdefgh/xhr_streaming", "/ws/iframe.html"]) {
    const answer = await fetch(url + path);
    assert.equal(answer.status, 404);
    assert.match(await answer.text(), /SockJS is not supported. Connect a WebSocket to \/ws itself/);
  }
  assert.doesNotMatch(await (await fetch(`${url}/wsx`)).text(), /SockJS/);
});

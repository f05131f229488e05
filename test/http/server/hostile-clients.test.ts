import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { request } from "undici";
import type { Admission } from "../../../http/auth/rate-limiter.ts";
import { bind, type Input } from "../../../http/endpoint/endpoint.ts";
import { REFUSED_BYTES_MAX } from "../../../http/server/refused-body.ts";
import { settle } from "../../engine/world.ts";
import { eventually, within } from "../../support/within.ts";
import { rawClient } from "./raw-client.ts";
import { exampleEndpoints, startWorld } from "./world.ts";

const HEAD = "POST /orders HTTP/1.1\r\nHost: a\r\n";

/** Nothing is late here, however long it takes. */
const STANDING = { nowMs: () => Date.now(), monotonicMs: () => 0 };

test("a body announced as too large that does not come is refused after a second, and the connection ends", async (t) => {
  const { port } = await startWorld(t);
  const client = await rawClient(t, port);
  client.write(`${HEAD}Content-Length: 16385\r\n\r\n`);
  assert.match(await client.closed(), /^HTTP\/1\.1 413 [\s\S]*body: may have at most 16384 bytes/);
});

test("a body announced as larger than anybody reads is refused before it comes, and the connection ends", async (t) => {
  // No silence is long enough.
  const { port } = await startWorld(t, { clock: STANDING });
  const client = await rawClient(t, port);
  client.write(`${HEAD}Content-Length: ${16_384 + REFUSED_BYTES_MAX + 1}\r\n\r\n`);
  assert.match(await within("the end", client.closed()), /^HTTP\/1\.1 413 [\s\S]*body: may have at most 16384 bytes/);
});

test("a chunked body that grows too large is refused", async (t) => {
  const { port } = await startWorld(t);
  const client = await rawClient(t, port);
  client.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
  const chunk = `1000\r\n${" ".repeat(4096)}\r\n`;
  for (let i = 0; i < 5; i++) client.write(chunk);
  assert.match(await client.closed(), /^HTTP\/1\.1 413 /);
});

test("a chunked body that never ends is refused at its bound, and the connection ends", async (t) => {
  const { port } = await startWorld(t, { limits: { bodyDeadlineMs: 60_000 } });
  const client = await rawClient(t, port);
  client.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
  const chunk = `100000\r\n${" ".repeat(1_048_576)}\r\n`;
  const ended = client.closed();
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  // On a busy machine a chunk is written after the relay has ended the connection, which is an error of the socket.
  ended.then(over, over);
  let sent = 0;
  for (; !isOver && sent < 4 * (REFUSED_BYTES_MAX / 1_048_576); sent += 1) {
    client.socket.write(chunk);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.ok(isOver, "the whole of it was read");
  assert.ok(sent >= REFUSED_BYTES_MAX / 1_048_576, `${sent}`);
});

for (const [how, announced, piece, end] of [
  ["announced", `Content-Length: ${64 * 16_384}`, (text: string) => text, ""],
  ["in chunks", "Transfer-Encoding: chunked", (text: string) => `4000\r\n${text}\r\n`, "0\r\n\r\n"],
] as const) {
  test(`a client that is still writing a body that is too large (${how}) gets its answer, and its connection stays`, async (t) => {
    // The pieces may be further apart than a silence after which a client is answered.
    const { port, answered } = await startWorld(t, { clock: STANDING });
    const client = await rawClient(t, port);
    let isOver = false;
    const told = client.until("may have at most 16384 bytes").then((text) => {
      assert.ok(isOver, "the answer came before the body had");
      return text;
    });
    client.write(`${HEAD}${announced}\r\n\r\n`);
    for (let i = 0; i < 64; i++) {
      isOver = i === 63;
      client.write(piece(" ".repeat(16_384)) + (isOver ? end : ""));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    assert.match(await told, /^HTTP\/1\.1 413 /);
    client.write("GET /api/v1/app/get HTTP/1.1\r\nHost: a\r\n\r\n");
    await client.until("HTTP/1.1 200 OK");
    assert.equal(answered.at(-1), "version 200");
  });
}

test("a body in pieces and chunks is put together", async (t) => {
  const { port, release } = await startWorld(t);
  release("");
  const client = await rawClient(t, port);
  client.write(`${HEAD}Content-Length: 14\r\n\r\n{"amo`);
  await new Promise((resolve) => setImmediate(resolve));
  client.write('unt": 12}');
  assert.match(await client.until('{"amount":12}'), /^HTTP\/1\.1 200 OK/);
  client.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\n{"amo\r\n`);
  client.write('9\r\nunt": 13}\r\n0\r\n\r\n');
  await client.until('{"amount":13}');
});

test("a body that does not come in time is answered 408", async (t) => {
  const { port, server } = await startWorld(t, { limits: { bodyDeadlineMs: 50 } });
  const client = await rawClient(t, port);
  client.write(`${HEAD}Content-Length: 14\r\n\r\n{"amo`);
  assert.match(await client.closed(), /^HTTP\/1\.1 408 [\s\S]*The request body did not arrive in time/);
  assert.equal(server.pending(), 0);
});

test("a handler that does not answer in time is answered 503, and its late answer goes nowhere", async (t) => {
  const { url, release, server, answered } = await startWorld(t);
  const response = await request(`${url}/wait`);
  assert.deepEqual([response.statusCode, response.headers["retry-after"]], [503, "1"]);
  release("late");
  assert.equal((await request(`${url}/api/v1/app/get`)).statusCode, 200);
  assert.deepEqual([answered, server.pending()], [["wait 503", "version 200"], 0]);
});

test("a client of whom it is not known in time whether it may is answered all the same, and what comes late goes nowhere", async (t) => {
  let admit: (admission: Admission) => void = () => {};
  const asked = new Promise<Admission>((resolve) => {
    admit = resolve;
  });
  const rateLimit = () => ({ perSecond: 5, take: () => asked });
  const { url, server, answered } = await startWorld(t, { limits: { bodyDeadlineMs: 50 }, rateLimit });
  const post = { method: "POST", headers: { "api-key": "key", "content-type": "application/json" }, body: '{"amount":1}' } as const;
  const response = await request(`${url}/api/v1/T1/order`, post);
  assert.deepEqual([response.statusCode, response.headers["retry-after"]], [503, "1"]);
  admit(4);
  assert.equal((await request(`${url}/api/v1/app/get`)).statusCode, 200);
  assert.deepEqual([answered, server.pending()], [["order 503", "version 200"], 0]);
});

test("a client that goes away leaves nothing behind", async (t) => {
  const { port, waiting, release, aborted, server, url } = await startWorld(t);
  const client = await rawClient(t, port);
  client.write(`${HEAD}Content-Length: 0\r\n\r\n`);
  await waiting;
  client.socket.destroy();
  assert.equal(await aborted, "orderAsync");
  assert.equal(server.pending(), 0);
  release("nobody listens");
  assert.equal((await request(`${url}/api/v1/T1/get`)).statusCode, 204);
});

test("what waits for a request is told when its client has gone or its time is over, and not when it was answered", async (t) => {
  const told: string[] = [];
  const wait = () => new Promise<string>(() => {});
  const endpoints = bind(exampleEndpoints, { wait }).map((endpoint) => ({
    ...endpoint,
    run: (input: Input) => {
      input.request.gone.addEventListener("abort", () => told.push(`${endpoint.name} ${input.request.gone.reason.code}`));
      return endpoint.run(input);
    },
  }));
  const { port, url, aborted } = await startWorld(t, { endpoints });
  const client = await rawClient(t, port);
  client.write(`${HEAD}Content-Length: 0\r\n\r\n`);
  await settle();
  client.socket.destroy();
  assert.equal(await aborted, "orderAsync");
  assert.deepEqual(told, ["orderAsync request_timeout"]);
  assert.equal((await request(`${url}/wait`)).statusCode, 503);
  assert.deepEqual(told, ["orderAsync request_timeout", "wait request_timeout"]);
  assert.equal((await request(`${url}/api/v1/T1/get`)).statusCode, 204);
  await settle();
  assert.equal(told.length, 2);
});

test("a reply of which certainly nothing was written is told so: its client had gone, or was answered at its deadline", async (t) => {
  const notWritten: string[] = [];
  const replies: (() => void)[] = [];
  const wait = () => new Promise<string>((resolve) => replies.push(() => resolve("it came")));
  const endpoints = bind(exampleEndpoints, { wait }).map((endpoint) => ({
    ...endpoint,
    run: async (input: Input) => ({ ...(await endpoint.run(input)), notWritten: () => notWritten.push(endpoint.name) }),
  }));
  const { port, url, aborted } = await startWorld(t, { endpoints });
  const reply = async () => {
    await eventually(() => assert.equal(replies.length, 1));
    replies.shift()?.();
    await settle();
  };

  const answered = request(`${url}/orders`, { method: "POST" });
  await reply();
  assert.equal((await answered).statusCode, 200);
  assert.deepEqual(notWritten, []);

  const client = await rawClient(t, port);
  client.write(`${HEAD}Content-Length: 0\r\n\r\n`);
  await eventually(() => assert.equal(replies.length, 1));
  client.socket.destroy();
  assert.equal(await aborted, "orderAsync");
  await reply();
  assert.deepEqual(notWritten, ["orderAsync"]);

  assert.equal((await request(`${url}/wait`)).statusCode, 503);
  await reply();
  assert.deepEqual(notWritten, ["orderAsync", "wait"]);
});

test("beyond the requests that may wait, callers are told to come back", async (t) => {
  const { url, waiting, release } = await startWorld(t, { limits: { pendingMax: 1 } });
  const first = request(`${url}/orders`, { method: "POST" });
  await waiting;
  const second = await request(`${url}/orders`, { method: "POST" });
  assert.deepEqual([second.statusCode, second.headers["retry-after"]], [503, "1"]);
  release("");
  assert.equal((await first).statusCode, 200);
});

test("pipelined requests that are answered at once come back in order", async (t) => {
  const { port } = await startWorld(t);
  const client = await rawClient(t, port);
  const get = (id: string) => `GET /api/v1/${id}/list HTTP/1.1\r\nHost: a\r\n\r\n`;
  client.write(get("A") + get("B") + get("C"));
  const received = await client.until('"id":"C"');
  assert.deepEqual(
    [...received.matchAll(/"id":"(.)"/g)].map(([, id]) => id),
    ["A", "B", "C"],
  );
});

test("a request pipelined behind one that waits ends the connection, and nothing else", async (t) => {
  const { port, url, waiting, release, server } = await startWorld(t);
  const client = await rawClient(t, port);
  client.write(`${HEAD}Content-Length: 0\r\n\r\n`);
  await waiting;
  client.write("GET /api/v1/A/get HTTP/1.1\r\nHost: a\r\n\r\n");
  await client.closed();
  assert.equal(server.pending(), 0);
  release("");
  assert.equal((await request(`${url}/api/v1/T1/get`)).statusCode, 204);
});

test("what is not HTTP is refused without harm", async (t) => {
  const { port, url } = await startWorld(t);
  for (const nonsense of ["\x16\x03\x01\x02\x00\x01\x00", "GET\r\n\r\n", `GET /${"x".repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`]) {
    const client = await rawClient(t, port);
    client.write(nonsense);
    client.socket.end();
    await client.closed();
  }
  assert.equal((await request(`${url}/api/v1/T1/get`)).statusCode, 204);
});

test("thousands of half-open requests do not stop a good client", async (t) => {
  const { port, url, server } = await startWorld(t, { clock: STANDING });
  // Both ends are in this process, two descriptors a connection.
  const count = 4_000;
  const sockets: Socket[] = [];
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  await Promise.all(
    Array.from({ length: count }, (_, i) => {
      const socket = connect(port, "127.0.0.1");
      sockets.push(socket);
      socket.on("error", () => {});
      return new Promise<void>((resolve) =>
        socket.on("connect", () => {
          // Some never finish their headers, some never send the body.
          socket.write(i % 2 === 0 ? "GET /api/v1/T1/get HT" : `${HEAD}Content-Length: 100\r\n\r\n{`, () => resolve());
        }),
      );
    }),
  );
  for (let i = 0; i < 50; i++) assert.equal((await request(`${url}/api/v1/T${i}/get`)).statusCode, 204);
  assert.ok(server.pending() > 0);
});

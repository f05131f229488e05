import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { type TestContext, test } from "node:test";
import { createPostTarget } from "../../../http/gateway/callback-post.ts";

const target = createPostTarget({ allowedNetworks: ["127.0.0.0/8"] });

async function listener(test: TestContext, answer: (response: ServerResponse) => void) {
  const received: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    received.push(request.headers);
    request.resume().on("end", () => answer(response));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a listening server has a port");
  return { url: `http://127.0.0.1:${address.port}/`, received };
}

test("posts the headers that it is given, and tells status, answer and duration", async (t) => {
  const { url, received } = await listener(t, (response) => response.writeHead(202).end("thanks"));
  const outcome = await target.post(url, "{}", { "X-Gateway-Signature": "abc" }, 1_024);
  assert.ok(outcome.type === "answered");
  assert.deepEqual([outcome.status, outcome.answer], [202, "thanks"]);
  assert.ok(outcome.durationMs >= 0 && outcome.durationMs < 10_000);
  assert.equal(received[0]?.["x-gateway-signature"], "abc");
  assert.equal(received[0]?.["content-type"], "application/json");
});

test("reads no more of an answer than is kept, and ends with a whole character", async (t) => {
  const { url } = await listener(t, (response) => response.writeHead(500).end("é".repeat(1_000_000)));
  const outcome = await target.post(url, "{}", {}, 101);
  assert.ok(outcome.type === "answered");
  assert.equal(outcome.answer, "é".repeat(50));
});

test("an answer whose body does not end counts by its status, with what has come of it", async (t) => {
  const { url } = await listener(t, (response) => response.writeHead(200).write("part"));
  const outcome = await target.post(url, "{}", {}, 1_024);
  assert.ok(outcome.type === "answered");
  assert.deepEqual([outcome.status, outcome.answer], [200, "part"]);
});

test("an answer that breaks off after its headers counts by its status", async (t) => {
  const { url } = await listener(t, (response) => {
    response.writeHead(200, { "content-length": "100" }).write("part");
    setImmediate(() => response.destroy());
  });
  const outcome = await target.post(url, "{}", {}, 1_024);
  assert.ok(outcome.type === "answered");
  assert.equal(outcome.status, 200);
});

test("an answer whose body cannot be read counts by its status", async (t) => {
  const { url } = await listener(t, ({ socket }) =>
    socket?.end("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\npart\r\nno length\r\n"),
  );
  const outcome = await target.post(url, "{}", {}, 1_024);
  assert.ok(outcome.type === "answered", JSON.stringify(outcome));
  assert.equal(outcome.status, 200);
});

test("an address of another protocol is a failure", async () => {
  for (const url of ["ftp://shop.example/", "file:///etc/hostname", "javascript:1"]) {
    assert.equal((await target.post(url, "{}", {}, 0)).type, "failed");
  }
});

test("an address of the local network is refused with its headers unsent", async (t) => {
  const { url, received } = await listener(t, (response) => response.end());
  const guarded = createPostTarget({ allowedNetworks: [] });
  const outcome = await guarded.post(url, "{}", { secret: "1" }, 1_024);
  assert.deepEqual([outcome.type, received.length], ["failed", 0]);
});

import assert from "node:assert/strict";
import type { LookupAddress } from "node:dns";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type TestContext, test } from "node:test";
import { createCallbackTarget } from "../../../http/gateway/callback-post.ts";
import type { ResolveName } from "../../../http/gateway/resolve-name.ts";

const LOOPBACK = ["127.0.0.0/8", "::1/128"];

async function listener(test: TestContext, answer: (response: ServerResponse, path: string) => void) {
  const received: { path: string; body: string; type: string }[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      received.push({ path: request.url ?? "", body, type: String(request.headers["content-type"]) });
      answer(response, request.url ?? "");
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a listening server has a port");
  return { url: `http://127.0.0.1:${address.port}/notify?a=1`, port: address.port, received };
}

/** A name server that answers what the test says, one answer after the other. */
function names(...answers: LookupAddress[][]): ResolveName {
  let asked = 0;
  return async () => answers[Math.min(asked++, answers.length - 1)] ?? [];
}
const at = (address: string): LookupAddress => ({ address, family: address.includes(":") ? 6 : 4 });

test("posts the body and takes any 2xx for delivered", async (t) => {
  const { url, received } = await listener(t, (response) => response.writeHead(204).end());
  const target = createCallbackTarget({ allowedNetworks: LOOPBACK });
  assert.deepEqual(await target.post(url, '{"a":1}'), { type: "delivered", httpStatus: 204 });
  assert.deepEqual(received, [{ path: "/notify?a=1", body: '{"a":1}', type: "application/json" }]);
});

for (const status of [301, 307, 400, 404, 500]) {
  test(`an answer of ${status} is a failure, and leads nowhere else`, async (t) => {
    const { url, received } = await listener(t, (response) => response.writeHead(status, { location: "/elsewhere" }).end());
    const target = createCallbackTarget({ allowedNetworks: LOOPBACK });
    assert.deepEqual(await target.post(url, "{}"), { type: "failed", reason: `answered ${status}`, httpStatus: status });
    assert.equal(received.length, 1);
  });
}

test("an address that does not answer, or refuses, is a failure", async (t) => {
  const { url, port } = await listener(t, () => undefined);
  const target = createCallbackTarget({ allowedNetworks: LOOPBACK, deadlineMs: 100 });
  assert.deepEqual(await target.post(url, "{}"), { type: "failed", reason: "no answer within 100 ms" });
  assert.deepEqual(await target.post(`https://127.0.0.1:${port}/`, "{}").then(({ type }) => type), "failed");
  const patient = createCallbackTarget({ allowedNetworks: LOOPBACK });
  assert.deepEqual(await patient.post("http://127.0.0.1:1/", "{}"), { type: "failed", reason: "ECONNREFUSED" });
  assert.deepEqual(await target.post("nonsense", "{}"), { type: "failed", reason: "the address is not a URL" });
});

const LOCAL = [
  "http://127.0.0.1:PORT/",
  "http://2130706433:PORT/",
  "http://0x7f.1:PORT/",
  "http://[::1]:PORT/",
  "http://[::ffff:127.0.0.1]:PORT/",
  "http://[::127.0.0.1]:PORT/",
  "http://[64:ff9b::7f00:1]:PORT/",
  "http://[2002:7f00:1::]:PORT/",
  "http://0.0.0.0:PORT/",
  "http://10.1.2.3/",
  "http://172.16.0.1/",
  "http://192.168.1.1/",
  "http://169.254.169.254/latest/meta-data/",
  "http://100.64.0.1/",
  "http://168.63.129.16/machine",
  "http://[::ffff:168.63.129.16]/machine",
  "http://[fe80::1]/",
  "http://[fd00::1]/",
  "http://localhost:PORT/",
];
for (const address of LOCAL) {
  test(`refuses ${address}`, async (t) => {
    const { port, received } = await listener(t, (response) => response.end());
    const target = createCallbackTarget({ allowedNetworks: [] });
    const outcome = await target.post(address.replace("PORT", String(port)), "{}");
    assert.deepEqual(outcome, { type: "failed", reason: "the address belongs to a local network" });
    assert.equal(received.length, 0);
  });
}

test("a name is checked by the addresses that it has at the moment of connecting", async (t) => {
  const { port, received } = await listener(t, (response) => response.end());
  const resolve = names([at("127.0.0.1")], [at("127.0.0.2")]);
  const target = createCallbackTarget({ allowedNetworks: ["127.0.0.1/32"], resolve });
  assert.deepEqual(await target.post(`http://rebinding.example:${port}/`, "{}"), { type: "delivered", httpStatus: 200 });
  const second = await target.post(`http://rebinding.example:${port}/`, "{}");
  assert.deepEqual(second, { type: "failed", reason: "the address belongs to a local network" });
  assert.equal(received.length, 1);
});

test("of a name's addresses only those that may be called are", async (t) => {
  const { port, received } = await listener(t, (response) => response.end());
  const resolve = names([at("10.0.0.1"), at("127.0.0.1"), at("fd00::1")]);
  const target = createCallbackTarget({ allowedNetworks: LOOPBACK, resolve });
  assert.deepEqual(await target.post(`http://shop.example:${port}/`, "{}"), { type: "delivered", httpStatus: 200 });
  assert.equal(received.length, 1);
});

test("a name that is not there is a failure", async () => {
  const resolve: ResolveName = () => Promise.reject(Object.assign(new Error("not found"), { code: "ENOTFOUND" }));
  const target = createCallbackTarget({ allowedNetworks: [], resolve });
  assert.deepEqual(await target.post("http://nobody.example/", "{}"), { type: "failed", reason: "ENOTFOUND" });
});

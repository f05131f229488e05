import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { test } from "node:test";
import { startBalancer } from "../../../infra/local/balancer.ts";
import { eventually } from "../../support/within.ts";

async function nodeThatSays(word: string): Promise<{ port: number; server: Server }> {
  const server = createServer((socket) => socket.end(word));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { port: (server.address() as AddressInfo).port, server };
}

async function ask(port: number): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.on("data", (data) => {
    text += data.toString();
  });
  await once(socket, "close");
  return text;
}

test("connections go to the nodes in turn, and past one that refuses", async (t) => {
  const [one, two] = [await nodeThatSays("one"), await nodeThatSays("two")];
  const gone = await nodeThatSays("gone");
  await new Promise((done) => gone.server.close(done));
  const balancer = await startBalancer(0, [one.port, gone.port, two.port]);
  t.after(async () => {
    await balancer.stop();
    one.server.close();
    two.server.close();
  });
  const answers = [];
  for (let index = 0; index < 6; index += 1) answers.push(await ask(balancer.port));
  assert.deepEqual(new Set(answers), new Set(["one", "two"]));
});

test("a connection is closed when no node takes it", async (t) => {
  const gone = await nodeThatSays("gone");
  await new Promise((done) => gone.server.close(done));
  const balancer = await startBalancer(0, [gone.port]);
  t.after(() => balancer.stop());
  assert.equal(await ask(balancer.port), "");
});

test("a node that is not ready gets no connection while another one is", async (t) => {
  const ready = new Map([
    ["one", true],
    ["two", true],
  ]);
  const nodes = await Promise.all([...ready.keys()].map((name) => nodeOfHttp(name, () => ready.get(name) === true)));
  const balancer = await startBalancer(
    0,
    nodes.map(({ port }) => port),
  );
  t.after(async () => {
    await balancer.stop();
    for (const { server } of nodes) server.close();
  });
  const asked = async () => new Set([await askHttp(balancer.port), await askHttp(balancer.port)]);
  assert.deepEqual(await asked(), new Set(["one", "two"]));
  ready.set("one", false);
  await eventually(async () => assert.deepEqual(await asked(), new Set(["two"])));
  ready.set("two", false);
  await eventually(async () => assert.deepEqual(await asked(), new Set(["one", "two"])));
  ready.set("two", true);
  await eventually(async () => assert.deepEqual(await asked(), new Set(["two"])));
});

async function nodeOfHttp(name: string, isReady: () => boolean): Promise<{ port: number; server: Server }> {
  const server = createHttpServer((request, response) => {
    if (request.url === "/health/ready") response.writeHead(isReady() ? 200 : 503);
    response.end(name);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { port: (server.address() as AddressInfo).port, server };
}

async function askHttp(port: number): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: "close" } });
  return response.text();
}

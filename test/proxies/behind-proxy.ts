import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { startCluster, type TestCluster, watchTakeover } from "../cluster/cluster-world.ts";
import { SteadyClients } from "../cluster/steady-clients.ts";
import { rawClient } from "../http/server/raw-client.ts";
import { atEnd } from "../storage/kv/world.ts";
import { checkTour, runTour } from "../support/browser/tour.ts";
import { AdapterClient } from "../support/http/adapter-client.ts";
import { type Answer, CREDENTIALS, HttpClient } from "../support/http/http-client.ts";
import { assertMatches, listOf, member, textMember } from "../support/http/matches.ts";
import { TestGateway } from "../support/node/gateway.ts";
import { packageBytes, upload } from "../support/people/package-upload.ts";
import { eventually } from "../support/within.ts";
import { OneTimeSenders } from "./one-time-senders.ts";
import { PROXY_ADDRESS, type RunningProxy } from "./proxy.ts";

/** How long the gateway takes for a link meanwhile: of so many senders some wait at each node, whenever it dies. */
const LINK_MS = 1_000;
const SENDERS = 24;

/** Some of so many wait at each node. */
const LOOK_UPS = 9;

/** More than proxies take of a body, and than they and the kernel hold of one. */
const PACKAGE_BYTES = 20_000_000;

/** Three nodes behind one proxy, with a card gateway. */
export interface ProxiedRelay<P extends RunningProxy = RunningProxy> {
  readonly cluster: TestCluster;
  readonly gateway: TestGateway;
  readonly proxy: P;
  /** A caller of the proxy, at an address of its own. */
  caller(credential: keyof typeof CREDENTIALS): HttpClient;
}

/** Nodes that believe the proxy's address and nobody else's; they end with the test. */
export async function startNodesBehind<P extends RunningProxy>(
  test: TestContext,
  start: (test: TestContext, nodePorts: readonly number[]) => Promise<P>,
): Promise<ProxiedRelay<P>> {
  const gateway = await TestGateway.start();
  atEnd(test, () => gateway.stop());
  const environment = { RELAY_GATEWAY_URL: gateway.url, RELAY_TRUSTED_PROXIES: PROXY_ADDRESS };
  const cluster = await startCluster(test, { nodes: 3, environment });
  const proxy = await start(
    test,
    cluster.nodes.map(({ url }) => Number(new URL(url).port)),
  );
  let addresses = 0;
  const caller = (credential: keyof typeof CREDENTIALS) => {
    addresses += 1;
    return new HttpClient(() => proxy.url, CREDENTIALS[credential], `127.77.0.${addresses}`);
  };
  return { cluster, gateway, proxy, caller };
}

/** What nodes are told of a client's address, whatever the client says of it. */
export async function clientsCannotChooseTheirAddress({ caller }: ProxiedRelay): Promise<void> {
  const said = ["203.0.113.9", "203.0.113.9, 127.88.0.1", `${"203.0.113.9, ".repeat(100)}203.0.113.9`, "nonsense"];
  for (const [index, forwardedFor] of said.entries()) {
    const terminal = caller("fleet");
    const terminalId = `ADDRESS${index}`;
    const polled = await terminal.poll(terminalId, { "x-forwarded-for": forwardedFor });
    assert.equal(polled.status, 204, polled.text);
    // The node that is asked hears of the poll a moment later.
    const address = await eventually(async () => {
      const { body } = await caller("administrator").get(`/admin/terminals/${terminalId}`);
      return textMember(body, "data", "device", "ipAddress");
    });
    assert.equal(address, terminal.localAddress, forwardedFor);
  }
}

/** Each node gets some of what is asked. */
export async function everyNodeIsAsked({ cluster, caller }: ProxiedRelay): Promise<void> {
  const asked = async (url: string) =>
    /_count\{endpoint="takeCommand"[^}]*\} ([1-9]\d*)/.test(await (await fetch(`${url}/metrics`)).text());
  const terminal = caller("fleet");
  await eventually(async () => {
    await terminal.poll("ASKED");
    for (const { url } of cluster.nodes) assert.ok(await asked(url), `${url} was not asked`);
  });
}

/** Requests as a client writes them that does it piece by piece: the first line in three, on REST, a poll and `/ws`. */
export async function requestsInPiecesAreUnderstood(test: TestContext, { proxy }: ProxiedRelay): Promise<void> {
  const body = JSON.stringify({ uuid: randomUUID(), amount: 100, service: "PAYCC" });
  const key = `API-Key: ${CREDENTIALS.partner["api-key"]}\r\n`;
  const json = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  const upgrade =
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n";
  const requests: [pieces: string[], headers: string, status: number][] = [
    [["POST /api/v1/PIECES/p", "ay HTTP/", "1.1\r\n"], `${key}${json}\r\n${body}`, 200],
    [["GET /api/v1/PIE", "CES/get", " HTTP/1.1\r\n"], `Authorization: ${CREDENTIALS.fleet.authorization}\r\n\r\n`, 200],
    [["GET", " /w", "s HTTP/1.1\r\n"], `${upgrade}\r\n`, 101],
  ];
  const send = async (pieces: readonly string[], headers: string, status: number): Promise<void> => {
    const client = await rawClient(test, proxy.port);
    client.socket.setNoDelay(true);
    for (const piece of pieces) {
      client.write(piece);
      await delay(50);
    }
    client.write(`Host: localhost\r\n${headers}`);
    assert.match(await client.until("\r\n\r\n"), new RegExp(`^HTTP/1\\.1 ${status} `));
  };
  // The node that is polled at hears of the payment a moment later; the payment itself would be a duplicate.
  for (const request of requests) await eventually(() => send(...request));
}

/** What the relay itself answers with 505: HTTP/1.0, and a trailer behind a body that comes in chunks. */
export async function otherHttpIsUnderstood(test: TestContext, { proxy }: ProxiedRelay): Promise<void> {
  const older = await rawClient(test, proxy.port);
  older.write("GET /health/ready HTTP/1.0\r\nHost: localhost\r\n\r\n");
  assert.match(await older.closed(), /^HTTP\/1\.1 200 /);
  const body = JSON.stringify({ uuid: randomUUID(), amount: 100, service: "PAYCC" });
  const chunked = await rawClient(test, proxy.port);
  chunked.write(`POST /api/v1/CHUNKED/pay HTTP/1.1\r\nHost: localhost\r\nAPI-Key: ${CREDENTIALS.partner["api-key"]}\r\n`);
  chunked.write("Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nTrailer: Checked\r\n\r\n");
  chunked.write(`${body.length.toString(16)}\r\n${body}\r\n0\r\nChecked: yes\r\n\r\n`);
  assert.match(await chunked.until("\r\n\r\n"), /^HTTP\/1\.1 200 /);
}

/** A signature of the gateway protocol holds, which covers the host, the path and the query. */
export async function signaturesHold({ proxy }: ProxiedRelay): Promise<void> {
  const client = new AdapterClient(() => proxy.url);
  const answer = await client.get(`/pgw/payment/verify?merId=${client.merId}&txId=a%2Fb%20c`);
  assertMatches(answer, { status: 404, body: { txHead: { txId: "a/b c" } } }, answer.text);
}

/** A page that the proxy serves is the relay's own, at whichever scheme the proxy has; one of another port is not. */
export async function ownPagesAreKnown({ proxy, caller }: ProxiedRelay): Promise<void> {
  const { host, hostname } = new URL(proxy.url);
  for (const [origin, status] of [
    [`http://${host}`, 200],
    [`https://${host}`, 200],
    [`http://${hostname}:1`, 403],
  ] as const) {
    const answer = await caller("administrator").post("/admin/receipts/clean?days=400", undefined, { origin });
    assert.equal(answer.status, status, `${origin}: ${answer.text}`);
  }
}

/** Runs the README's tour through the proxy. */
export async function tourPasses({ proxy, cluster }: ProxiedRelay): Promise<void> {
  const cwd = resolve(import.meta.dirname, "../..");
  checkTour(await runTour({ api: proxy.url, cwd, environment: { RELAY_CLICKHOUSE_URL: cluster.clickhouse.url } }));
}

/** As clients do: a node of a busy machine may be cut off for a moment, does nothing then, and answers 503. */
function askedAgain(send: () => Promise<Answer>): Promise<Answer> {
  return eventually(async () => {
    const answer = await send();
    assert.notEqual(answer.status, 503, answer.text);
    return answer;
  });
}

/** An app package, larger than what proxies take of a body by default, goes up and down. */
export async function appPackagePasses({ caller }: ProxiedRelay): Promise<void> {
  const administrator = caller("administrator");
  const created = await askedAgain(() => administrator.post("/admin/app-versions", { versionCode: 1, versionName: "v1" }));
  assert.equal(created.status, 200, created.text);
  const id = Number(member(created.body, "data", "id"));
  const content = packageBytes(PACKAGE_BYTES);
  const uploaded = await askedAgain(() => upload(administrator, id, content));
  assert.equal(uploaded.status, 200, uploaded.text);
  const versions = await askedAgain(() => administrator.get("/admin/app-versions"));
  const version = listOf(member(versions.body, "data")).find((one) => member(one, "id") === id);
  const { pathname, search } = new URL(textMember(version, "apkUrl"));
  const downloaded = await askedAgain(() => caller("fleet").get(pathname + search));
  assert.equal(downloaded.status, 200);
  assert.ok(downloaded.bytes.equals(content), "another package came back");
  const stranger = await upload(caller("nobody"), id, content);
  assert.equal(stranger.status, 401, stranger.text);
}

/** SIGTERM to a node while clients pay, poll and post results: each request is answered. The node is started again. */
export async function nodeIsDrained(test: TestContext, { cluster, proxy }: ProxiedRelay, node: number): Promise<void> {
  const clients = new SteadyClients(proxy.url, 8, (n) => `127.77.2.${n + 1}`);
  try {
    await eventually(() => assert.ok(clients.answered > 40));
    cluster.nodes[node]?.signal("SIGTERM");
    assert.deepEqual(await cluster.nodes[node]?.exited, { code: 0, signal: null });
  } finally {
    await clients.stop();
  }
  test.diagnostic(`${clients.answered} answers, ${clients.askedAgain} of them 503`);
  assert.deepEqual(clients.errors, []);
  await cluster.start(node);
}

/**
 * kill -9 of a node while POSTs and look-ups are under way there: no POST is sent again, and each look-up is answered, by another node where it waited
 * there. Resolves when the other two have taken over.
 */
export async function nodeDies(test: TestContext, relay: ProxiedRelay, node: number): Promise<void> {
  const { cluster, gateway, proxy, caller } = relay;
  const survivors = [0, 1, 2].filter((index) => index !== node);
  const lookedUp = { uuid: randomUUID(), terminalId: terminalOf(cluster, survivors) };
  assert.equal((await caller("partner").pay(lookedUp.terminalId, lookedUp)).status, 200);
  await gateway.faults({ latencyMs: LINK_MS });
  const senders = new OneTimeSenders(proxy.url, SENDERS);
  const lookUps = Array.from({ length: LOOK_UPS }, () => caller("partner").uuid(lookedUp.uuid, 30));
  try {
    await eventually(() => assert.ok(senders.answered >= 3 * SENDERS));
    const takeover = watchTakeover(test, cluster.caller(survivors[0] ?? 0, "partner"));
    await cluster.nodes[node]?.kill();
    await eventually(async () => {
      for (const survivor of survivors) {
        const url = cluster.nodes[survivor]?.url ?? "";
        assert.match(await (await fetch(`${url}/metrics`)).text(), /^relay_cluster_nodes 2$/m);
      }
    });
    await takeover.assertInTime();
  } finally {
    await senders.stop();
    await gateway.faults({ latencyMs: 0 });
  }
  await senders.assertNothingTwice(test, gateway);
  assertMatches((await caller("fleet").poll(lookedUp.terminalId)).body, { uuid: lookedUp.uuid });
  await caller("fleet").receipt(lookedUp.terminalId, { uuid: lookedUp.uuid, result: "OK", amount: 1_050 });
  for (const answer of await Promise.all(lookUps)) assertMatches(answer, { status: 200, body: { data: { status: "OK" } } }, answer.text);
}

/** One whose home is among these nodes. */
function terminalOf(cluster: TestCluster, nodes: readonly number[]): string {
  for (let n = 0; ; n += 1) if (nodes.includes(cluster.homeOf(`LOOKED-UP-${n}`))) return `LOOKED-UP-${n}`;
}

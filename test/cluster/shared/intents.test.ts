import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { describe, it, type TestContext } from "node:test";
import { hashOf } from "../../../engine/kernel/hash.ts";
import { SANDBOX_MERCHANT, SANDBOX_PARTNER_API } from "../../../infra/node/boot/sandbox-names.ts";
import { LIFETIME_MS } from "../../../storage/bus/cluster/membership.ts";
import { atEnd } from "../../storage/kv/world.ts";
import { type Answer, HttpClient } from "../../support/http/http-client.ts";
import { assertMatches, listOf, member, textMember } from "../../support/http/matches.ts";
import { TestGateway } from "../../support/node/gateway.ts";
import { kafkaMissing } from "../../support/node/kafka.ts";
import { redisMissing } from "../../support/node/redis.ts";
import { PARTNER_API } from "../../support/people/new-partner-api.ts";
import { eventually } from "../../support/within.ts";
import { startCluster, type TestCluster } from "../cluster-world.ts";

const missing = (await redisMissing()) || (await kafkaMissing());

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const GOOD_CARD = "4242424242424242";
const AMOUNT = 1_099;
const CALLS_MAX = 10_000;

/** Longer than the lease of a delivery, after which another node takes over, and than what is paid without a word of the gateway's goes unseen. */
const TAKEN_OVER_MS = 120_000;

/** A node that sleeps is still a member after this time, however long ago it had renewed its membership. */
const ASLEEP_MEMBER_MS = LIFETIME_MS - 2_500;

/** Three nodes, a gateway at which buyers pay, and the sandbox's shop, which asks whichever node is named. */
class Shop {
  readonly cluster: TestCluster;
  readonly gateway: TestGateway;

  private constructor(cluster: TestCluster, gateway: TestGateway) {
    this.cluster = cluster;
    this.gateway = gateway;
  }

  static async open(test: TestContext, isPublic: boolean): Promise<Shop> {
    const gateway = await TestGateway.start();
    atEnd(test, () => gateway.stop());
    const cluster = await startCluster(test, {
      ...{ nodes: 3, proxiedNode: null, isPublic },
      environment: { RELAY_GATEWAY_URL: gateway.url },
    });
    const path = `/admin/api/merchants/${SANDBOX_MERCHANT.merchantId}`;
    const permitted = await cluster
      .caller(0, "administrator")
      .send(path, { method: "PATCH", body: { compatRequestsPerMinute: CALLS_MAX } });
    assert.equal(permitted.status, 200, permitted.text);
    return new Shop(cluster, gateway);
  }

  /** A caller of a node by a bearer key. */
  at(node: number, key: string = SANDBOX_MERCHANT.keys.secret): HttpClient {
    return new HttpClient(() => this.cluster.nodes[node]?.url ?? "", { authorization: `Bearer ${key}` }, `127.8.0.${node + 1}`);
  }

  post(node: number, path: string, form = "", key: string = randomUUID()): Promise<Answer> {
    return this.at(node).post(`/v1${path}`, form, { ...FORM, "idempotency-key": key });
  }

  async read(node: number, id: string): Promise<unknown> {
    const { status, body, text } = await this.at(node).get(`/v1/payment_intents/${id}`);
    assert.equal(status, 200, text);
    return body;
  }

  async becomes(node: number, id: string, expected: object, deadlineMs?: number): Promise<void> {
    await eventually(async () => assertMatches(await this.read(node, id), expected), deadlineMs);
  }

  /** An intent that was created only. */
  async create(node: number): Promise<string> {
    const created = await this.post(node, "/payment_intents", `amount=${AMOUNT}&currency=eur`);
    assert.equal(created.status, 200, created.text);
    return textMember(created.body, "id");
  }

  /** An intent that waits for its buyer. */
  async open(node: number): Promise<string> {
    const id = await this.create(node);
    assertMatches(await this.confirm(node, id), { status: 200, body: { status: "requires_action" } });
    return id;
  }

  confirm(node: number, id: string): Promise<Answer> {
    return this.post(node, `/payment_intents/${id}/confirm`, "return_url=https://shop.example/return");
  }

  async pay(id: string): Promise<void> {
    await this.gateway.act(`${id}.1`, "pay", { card: GOOD_CARD });
  }

  /** An intent that was paid, and that the node knows to be. */
  async paid(node: number): Promise<string> {
    const id = await this.open(node);
    await this.pay(id);
    await this.becomes(node, id, { status: "succeeded" });
    return id;
  }

  /** Registers an endpoint at a node for what the sandbox's shop is told. */
  async register(node: number, url: string): Promise<string> {
    const form = `url=${encodeURIComponent(url)}&enabled_events[]=payment_intent.succeeded`;
    const { status, body, text } = await this.post(node, "/webhook_endpoints", form);
    assert.equal(status, 200, text);
    return textMember(body, "id");
  }

  /** The node that is home to a partition of webhooks: of an endpoint, or of the fan-out. */
  homeOf(name: string): number {
    return this.cluster.homeOf(`webhooks/${hashOf(name) % 64}`);
  }

  signal(node: number, signal: NodeJS.Signals): void {
    this.cluster.nodes[node]?.signal(signal);
  }
}

/** Receives webhooks: of each intent how often it was told. While it is held, nothing is answered. */
class Receiver {
  readonly #told = new Map<string, number>();
  readonly #held: (() => void)[] = [];
  url = "";
  status = 200;
  isHeld = false;

  static async start(test: TestContext): Promise<Receiver> {
    const receiver = new Receiver();
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const id = textMember(JSON.parse(Buffer.concat(chunks).toString("utf8")), "data", "object", "id");
      receiver.#told.set(id, receiver.timesOf(id) + 1);
      if (receiver.isHeld) await new Promise<void>((resolve) => receiver.#held.push(resolve));
      response.writeHead(receiver.status).end();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    atEnd(test, () => {
      server.closeAllConnections();
      server.close();
    });
    const address = server.address();
    assert.ok(address !== null && typeof address === "object");
    receiver.url = `http://127.0.0.1:${address.port}/hooks`;
    return receiver;
  }

  timesOf(id: string): number {
    return this.#told.get(id) ?? 0;
  }

  get underWay(): number {
    return this.#held.length;
  }

  letGo(): void {
    this.isHeld = false;
    for (const answer of this.#held.splice(0)) answer();
  }
}

/** The nodes but these. */
const others = (...taken: number[]): number[] => [0, 1, 2].filter((node) => !taken.includes(node));

function otherThan(...taken: number[]): number {
  const [node] = others(...taken);
  assert.ok(node !== undefined);
  return node;
}

describe("the compatible API over three nodes", { skip: missing }, () => {
  it("is one API, whichever node a merchant, a buyer and the gateway come to", { timeout: 300_000 }, async (test) => {
    const shop = await Shop.open(test, true);
    const { gateway } = shop;

    await test.test("the limit of a minute is one limit", async () => {
      const merchantId = "LIMITED-001";
      const partner = shop.at(0, SANDBOX_PARTNER_API.apiKey);
      const created = await partner.post(`${PARTNER_API}/merchants`, { merchantId });
      assert.equal(created.status, 201, created.text);
      const enabled = await partner.post(`${PARTNER_API}/merchants/${merchantId}/services/IGFS/enable`);
      assert.equal(enabled.status, 200, enabled.text);
      const limited = await partner.send(`${PARTNER_API}/merchants/${merchantId}`, {
        ...{ method: "PATCH", body: { compatRequestsPerMinute: 20 } },
      });
      assert.equal(limited.status, 200, limited.text);
      const key = textMember(created.body, "keys", "secretKey");
      const ask = (node: number) => shop.at(node, key).get("/v1/payment_intents?limit=1");
      const answers = await Promise.all(Array.from({ length: 45 }, (_, n) => ask(n % 3)));
      const statuses = answers.map(({ status }) => status);
      assert.equal(statuses.filter((status) => status === 200).length, 20, statuses.join());
      assert.equal(statuses.filter((status) => status === 429).length, 25, statuses.join());
    });

    await test.test("a create that is repeated at another node is the same intent", async () => {
      const key = randomUUID();
      const form = `amount=${AMOUNT}&currency=eur`;
      const first = await shop.post(0, "/payment_intents", form, key);
      assert.equal(first.status, 200, first.text);
      assert.equal(first.headers["idempotent-replayed"], undefined);
      for (const node of [1, 2]) {
        const again = await shop.post(node, "/payment_intents", form, key);
        assertMatches(again, { status: 200, text: first.text, headers: { "idempotent-replayed": "true", "idempotency-key": key } });
        assert.equal(again.headers["original-request"], first.headers["request-id"]);
      }
      const other = await shop.post(1, "/payment_intents", `amount=${AMOUNT + 1}&currency=eur`, key);
      assertMatches(other, { status: 400, body: { error: { type: "idempotency_error" } } });
    });

    await test.test("a create that is repeated while it is under way is one intent", async () => {
      const key = randomUUID();
      const form = `amount=${AMOUNT}&currency=eur&metadata[once]=${key}`;
      const answers = await Promise.all([0, 1, 2].map((node) => shop.post(node, "/payment_intents", form, key)));
      const created = answers.filter(({ status }) => status === 200);
      assert.ok(created.length >= 1, answers.map(({ text }) => text).join("\n"));
      for (const { status, text } of answers) assert.ok(status === 200 || status === 409, text);
      assert.equal(new Set(created.map(({ body }) => textMember(body, "id"))).size, 1);
      const listed = listOf(member((await shop.at(1).get("/v1/payment_intents?limit=100")).body, "data"));
      assert.equal(listed.filter((intent) => JSON.stringify(intent).includes(key)).length, 1);
    });

    await test.test("confirmed at two nodes at once it has one link, at one address", async () => {
      await gateway.faults({ latencyMs: 100 });
      for (let round = 0; round < 5; round += 1) {
        const id = await shop.create(0);
        const answers = await Promise.all([0, 1, 2].map((node) => shop.confirm(node, id)));
        const urls = answers.flatMap(({ status, body }) =>
          status === 200 ? [textMember(body, "next_action", "redirect_to_url", "url")] : [],
        );
        assert.ok(urls.length >= 1, answers.map(({ text }) => text).join("\n"));
        assert.equal(new Set(urls).size, 1, urls.join());
        // What was refused was so because another confirmation was under way.
        for (const { status, text } of answers) assert.ok(status === 200 || status === 409 || status === 400, text);
        const links = (await gateway.payments()).filter((payment) => textMember(payment, "txId").startsWith(`${id}.`));
        assert.equal(links.length, 1);
        for (const node of [0, 1, 2]) {
          assertMatches(await shop.read(node, id), { status: "requires_action", next_action: { redirect_to_url: { url: urls[0] } } });
        }
      }
      await gateway.faults({ latencyMs: 0 });
    });

    await test.test("canceled at one node while its buyer pays, it has succeeded, or it is canceled and nothing is kept", async () => {
      const race = async (round: number) => {
        const id = await shop.open(round % 3);
        const canceling = shop.post((round + 1) % 3, `/payment_intents/${id}/cancel`);
        // The buyer pays at the same time, or once the node that cancels was told that nothing is paid.
        if (round % 2 === 1) await eventually(() => assert.ok(gateway.verifies(`${id}.1`) > 0));
        // The notification comes to the balancer, which leads to the nodes in turn.
        await shop.pay(id);
        const canceled = await canceling;
        assert.ok(canceled.status === 200 || canceled.status === 400, canceled.text);
        await shop.becomes((round + 2) % 3, id, { status: canceled.status === 200 ? "canceled" : "succeeded" });
        return { id, isCanceled: canceled.status === 200 };
      };
      const races = await Promise.all(Array.from({ length: 12 }, (_, round) => race(round)));
      await eventually(async () => {
        const payments = new Map((await gateway.payments()).map((payment) => [textMember(payment, "txId"), payment]));
        for (const { id, isCanceled } of races) {
          // The money of a canceled one is given back, the other's is kept.
          assertMatches(payments.get(`${id}.1`), { reversedValue: isCanceled ? AMOUNT : 0, refundedValue: 0 });
        }
      }, TAKEN_OVER_MS);
      for (const { id, isCanceled } of races) assertMatches(await shop.read(0, id), { status: isCanceled ? "canceled" : "succeeded" });
      test.diagnostic(`${races.filter(({ isCanceled }) => isCanceled).length} of ${races.length} were canceled`);
    });

    await test.test("refunded at two nodes at once under two keys, it is refunded once", async () => {
      await gateway.faults({ latencyMs: 200 });
      for (let round = 0; round < 3; round += 1) {
        const id = await shop.paid(round % 3);
        const before = gateway.answers("refund");
        const answers = await Promise.all([0, 1].map((node) => shop.post(node, "/refunds", `payment_intent=${id}`)));
        const refunded = answers.filter(({ status }) => status === 200);
        assert.ok(refunded.length >= 1, answers.map(({ text }) => text).join("\n"));
        for (const { status, text } of answers) assert.ok(status === 200 || status === 400 || status === 409, text);
        await eventually(async () => assertMatches(await gateway.payment(`${id}.1`), { refundedValue: AMOUNT, reversedValue: 0 }));
        assert.equal(gateway.answers("refund") - before, 1);
        const { body } = await shop.at(2).get(`/v1/refunds?payment_intent=${id}`);
        assertMatches(body, { data: [{ status: "succeeded", amount: AMOUNT }] });
      }
      await gateway.faults({ latencyMs: 0 });
    });

    await test.test("an endpoint that was disabled at one node gets nothing from another", async () => {
      const [stopped, going] = [await Receiver.start(test), await Receiver.start(test)];
      const endpoint = await shop.register(0, stopped.url);
      const kept = await shop.register(1, going.url);
      // What it has not taken waits, and is not sent any more either.
      stopped.status = 500;
      const waiting = await shop.paid(0);
      await eventually(() => assert.equal(stopped.timesOf(waiting), 1));
      assert.equal((await shop.post(otherThan(shop.homeOf(endpoint)), `/webhook_endpoints/${endpoint}`, "disabled=true")).status, 200);
      stopped.status = 200;
      const ids = await Promise.all([0, 1, 2].map((node) => shop.paid(node)));
      for (const id of ids) await eventually(() => assert.equal(going.timesOf(id), 1));
      await eventually(async () => {
        const { body } = await shop.cluster.caller(2, "administrator").get("/admin/webhooks/deliveries?state=canceled&limit=500");
        const own = listOf(member(body, "data")).filter((delivery) => member(delivery, "endpointId") === endpoint);
        assert.equal(own.length, 1);
      });
      for (const id of ids) assert.equal(stopped.timesOf(id), 0);
      assert.equal(stopped.timesOf(waiting), 1);
      for (const id of [endpoint, kept])
        assert.equal((await shop.at(1).send(`/v1/webhook_endpoints/${id}`, { method: "DELETE" })).status, 200);
    });

    await test.test("with three senders each event is delivered once", async () => {
      const receivers = await Promise.all(Array.from({ length: 4 }, () => Receiver.start(test)));
      for (const [n, { url }] of receivers.entries()) await shop.register(n % 3, url);
      const ids = await Promise.all(Array.from({ length: 12 }, (_, n) => shop.paid(n % 3)));
      for (const receiver of receivers) {
        for (const id of ids) await eventually(() => assert.ok(receiver.timesOf(id) >= 1));
      }
      // Whoever would send one again has seen it by then: it is no longer waiting.
      await eventually(async () => {
        const { body } = await shop.cluster.caller(0, "administrator").get("/admin/webhooks/deliveries?state=waiting&limit=500");
        assert.deepEqual(member(body, "data"), []);
      });
      for (const receiver of receivers) for (const id of ids) assert.equal(receiver.timesOf(id), 1);
    });
  });

  it("loses no webhook with the node that had to tell it", { timeout: 400_000 }, async (test) => {
    const shop = await Shop.open(test, false);

    await test.test("one that sleeps repeats at most what was under way", async () => {
      const receiver = await Receiver.start(test);
      const endpoint = await shop.register(0, receiver.url);
      const sender = shop.homeOf(endpoint);
      receiver.isHeld = true;
      const ids: string[] = [];
      // One after the other at another node, which the gateway notifies too.
      for (let n = 0; n < 6; n += 1) ids.push(await shop.paid(otherThan(sender)));
      await eventually(() => assert.equal(receiver.underWay, ids.length));
      shop.signal(sender, "SIGSTOP");
      receiver.letGo();
      for (let n = 0; n < 6; n += 1) ids.push(await shop.paid(otherThan(sender)));
      // What waited is sent by another node as soon as that is the home, what was under way once its lease is over.
      await eventually(() => {
        for (const id of ids.slice(6)) assert.ok(receiver.timesOf(id) >= 1);
      }, TAKEN_OVER_MS);
      await eventually(() => {
        for (const id of ids.slice(0, 6)) assert.equal(receiver.timesOf(id), 2);
      }, TAKEN_OVER_MS);
      shop.signal(sender, "SIGCONT");
      await eventually(async () => assert.equal((await shop.at(sender).get("/health/ready")).status, 200));
      // What it tells now is told by it, too.
      const last = await shop.paid(sender);
      await eventually(() => assert.equal(receiver.timesOf(last), 1));
      const times = ids.map((id) => receiver.timesOf(id));
      assert.deepEqual(times.slice(6), Array(6).fill(1));
      assert.deepEqual(times.slice(0, 6), Array(6).fill(2));
      assert.equal((await shop.at(sender).send(`/v1/webhook_endpoints/${endpoint}`, { method: "DELETE" })).status, 200);
    });

    await test.test("one that is killed between an intent's end and its webhook has it told by another", async () => {
      const receiver = await Receiver.start(test);
      const endpoint = await shop.register(0, receiver.url);
      const fanOut = shop.homeOf("fan-out");
      const [first = 0] = others(fanOut);
      const id = await shop.open(first);
      // It is between the two for as long as it sleeps.
      shop.signal(fanOut, "SIGSTOP");
      const sinceMs = performance.now();
      await shop.pay(id);
      await shop.becomes(first, id, { status: "succeeded" });
      // Another one is the home only once its membership has ended.
      if (performance.now() - sinceMs < ASLEEP_MEMBER_MS) assert.equal(receiver.timesOf(id), 0);
      await shop.cluster.nodes[fanOut]?.kill();
      await eventually(() => assert.equal(receiver.timesOf(id), 1));
      assertMatches(await shop.read(first, id), { status: "succeeded" });
      await eventually(async () => {
        const { body } = await shop.cluster.caller(first, "administrator").get("/admin/webhooks/deliveries?state=delivered&limit=500");
        const own = listOf(member(body, "data")).filter((delivery) => member(delivery, "endpointId") === endpoint);
        assert.equal(own.length, 1);
      });
      assert.equal(receiver.timesOf(id), 1);
    });
  });
});

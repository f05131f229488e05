import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { SANDBOX_MERCHANT } from "../../infra/node/boot/sandbox-names.ts";
import { atEnd } from "../storage/kv/world.ts";
import { TestGateway } from "../support/gateway.ts";
import { type Answer, HttpClient } from "../support/http-client.ts";
import { kafkaMissing } from "../support/kafka.ts";
import { assertMatches, textMember } from "../support/matches.ts";
import { redisMissing } from "../support/redis.ts";
import { startCluster, type TestCluster } from "./cluster-world.ts";

const missing = (await redisMissing()) || (await kafkaMissing());

const AMOUNT = 1_099;
const CALLS_MAX = 10_000;

/** Looked at so seldom that many at once are within the limit on requests of an address. */
const LOOK_MS = 500;
const BECOMES_MS = 60_000;

/** Two nodes on one Redis, a gateway, and the sandbox's shop, which asks whichever node is named. */
class Shop {
  readonly cluster: TestCluster;
  readonly gateway: TestGateway;
  #keys = 0;

  private constructor(cluster: TestCluster, gateway: TestGateway) {
    this.cluster = cluster;
    this.gateway = gateway;
  }

  static async open(test: TestContext): Promise<Shop> {
    const gateway = await TestGateway.start();
    atEnd(test, () => gateway.stop());
    const cluster = await startCluster(test, {
      ...{ nodes: 2, proxiedNode: null, isPublic: false },
      environment: { RELAY_GATEWAY_URL: gateway.url },
    });
    const path = `/admin/api/merchants/${SANDBOX_MERCHANT.merchantId}`;
    const permitted = await cluster
      .caller(0, "administrator")
      .send(path, { method: "PATCH", body: { compatRequestsPerMinute: CALLS_MAX } });
    assert.equal(permitted.status, 200, permitted.text);
    return new Shop(cluster, gateway);
  }

  at(node: number): HttpClient {
    return new HttpClient(
      () => this.cluster.nodes[node]?.url ?? "",
      { authorization: `Bearer ${SANDBOX_MERCHANT.keys.secret}` },
      `127.8.0.${node + 1}`,
    );
  }

  post(node: number, path: string, body: object = {}): Promise<Answer> {
    this.#keys += 1;
    return this.at(node).post(`/api/merchant${path}`, JSON.stringify(body), {
      ...{ "content-type": "application/json", "idempotency-key": `key-${this.#keys}` },
    });
  }

  async create(node: number): Promise<{ id: string; token: string }> {
    const created = await this.post(node, "/payment-links", { amountMinor: AMOUNT, currency: "EUR", description: "Two nights" });
    assert.ok(created.status === 200 || created.status === 201, created.text);
    const address = textMember(created.body, "data", "url");
    return { id: textMember(created.body, "data", "id"), token: address.slice(address.lastIndexOf("/") + 1) };
  }

  /** Presses Pay at a node: where the browser is sent, or null. */
  async press(node: number, token: string): Promise<string | null> {
    const { status, headers } = await this.at(node).post(`/l/${token}/pay`, "", { "content-type": "application/x-www-form-urlencoded" });
    return status === 303 ? (headers["location"] ?? null) : null;
  }

  async show(node: number, id: string): Promise<unknown> {
    const { status, body, text } = await this.at(node).get(`/api/merchant/payment-links/${id}`);
    assert.equal(status, 200, text);
    return body;
  }

  async becomes(node: number, id: string, expected: object): Promise<void> {
    const giveUpAt = performance.now() + BECOMES_MS;
    for (;;) {
      const found = await this.show(node, id);
      try {
        return assertMatches(found, { data: expected });
      } catch (error) {
        if (performance.now() > giveUpAt) throw error;
      }
      await delay(LOOK_MS);
    }
  }

  async paid(node: number): Promise<{ id: string; token: string }> {
    const link = await this.create(node);
    const giveUpAt = performance.now() + BECOMES_MS;
    // A gateway that is slow may not have answered in time: whoever presses again gets the same payment.
    while ((await this.press(node, link.token)) === null) {
      assert.ok(performance.now() < giveUpAt);
      await delay(LOOK_MS);
    }
    await this.gateway.act(`${link.id}.1`, "pay");
    await this.becomes(1 - node, link.id, { state: "PAID" });
    return link;
  }
}

describe("payment links of the portal over two nodes", { skip: missing }, () => {
  it("are one link, whichever node a merchant, a customer and the gateway come to", { timeout: 600_000 }, async (test) => {
    const shop = await Shop.open(test);
    const { gateway } = shop;

    await test.test("pressed in two browsers at once on two nodes, it has one attempt, at one address", async () => {
      await gateway.faults({ latencyMs: 100 });
      for (let round = 0; round < 5; round += 1) {
        const { id, token } = await shop.create(round % 2);
        const addresses = (await Promise.all([0, 1, 0, 1].map((node) => shop.press(node, token)))).filter((address) => address !== null);
        assert.ok(addresses.length >= 1);
        assert.equal(new Set(addresses).size, 1, addresses.join());
        const attempts = (await gateway.payments()).filter((payment) => textMember(payment, "txId").startsWith(`${id}.`));
        assert.equal(attempts.length, 1);
        for (const node of [0, 1]) assert.equal(await shop.press(node, token), addresses[0]);
        await gateway.act(`${id}.1`, "pay");
        for (const node of [0, 1]) await shop.becomes(node, id, { state: "PAID", late: false, attempts: [{ state: "paid" }] });
      }
      await gateway.faults({ latencyMs: 0 });
    });

    await test.test("cancelled at one node while it is paid at the other, it is paid, and says whether late", async () => {
      const race = async (round: number) => {
        const { id, token } = await shop.create(round % 2);
        assert.notEqual(await shop.press(round % 2, token), null);
        const [cancelled] = await Promise.all([shop.post(1 - (round % 2), `/payment-links/${id}/cancel`), gateway.act(`${id}.1`, "pay")]);
        assert.ok(cancelled.status === 200 || cancelled.status === 409, cancelled.text);
        await shop.becomes(round % 2, id, { state: "PAID", late: cancelled.status === 200 });
        assert.equal(await shop.press(1 - (round % 2), token), null);
      };
      await Promise.all(Array.from({ length: 6 }, (_, round) => race(round)));
    });

    await test.test("refunded at both nodes at once under two keys, it is refunded once", async () => {
      await gateway.faults({ latencyMs: 200 });
      for (let round = 0; round < 3; round += 1) {
        const { id } = await shop.paid(round % 2);
        const before = gateway.answers("refund");
        const answers = await Promise.all([0, 1].map((node) => shop.post(node, `/transactions/${id}.1/refund`)));
        assert.equal(answers.filter(({ status }) => status === 200).length, 1, answers.map(({ text }) => text).join("\n"));
        for (const { status, text } of answers) assert.ok(status === 200 || status === 409, text);
        assertMatches(await gateway.payment(`${id}.1`), { refundedValue: AMOUNT, reversedValue: 0 });
        assert.equal(gateway.answers("refund") - before, 1);
        for (const node of [0, 1]) await shop.becomes(node, id, { state: "PAID", attempts: [{ refund: "done" }] });
      }
      await gateway.faults({ latencyMs: 0 });
    });
  });
});

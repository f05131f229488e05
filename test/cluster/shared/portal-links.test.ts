import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { SANDBOX_MERCHANT } from "../../../infra/node/boot/sandbox-names.ts";
import { atEnd } from "../../storage/kv/world.ts";
import { type Answer, HttpClient } from "../../support/http/http-client.ts";
import { assertMatches, textMember } from "../../support/http/matches.ts";
import { TestGateway } from "../../support/node/gateway.ts";
import { kafkaMissing } from "../../support/node/kafka.ts";
import { redisMissing } from "../../support/node/redis.ts";
import { startCluster, type TestCluster } from "../cluster-world.ts";
import { callerOf } from "../portal-world.ts";

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

  /** Somebody at an address of their own presses Pay at a node: where the browser is sent, or the title of the page that says why it is not. */
  async press(node: number, token: string): Promise<Pressed> {
    const customer = callerOf(this.cluster, () => node, {});
    const { status, headers, text } = await customer.post(`/l/${token}/pay`, "", { "content-type": "application/x-www-form-urlencoded" });
    if (status === 303) return { to: headers["location"] ?? "" };
    assert.equal(status, 200, text);
    return { told: /<h1[^>]*>([^<]*)<\/h1>/.exec(text)?.[1] ?? text };
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
    assertPayable(await this.press(node, link.token));
    await this.gateway.act(`${link.id}.1`, "pay");
    await this.becomes(1 - node, link.id, { state: "PAID" });
    return link;
  }
}

type Pressed = { to: string } | { told: string };

function assertPayable(pressed: Pressed): void {
  assert.ok("to" in pressed, JSON.stringify(pressed));
}

describe("payment links of the portal over two nodes", { skip: missing }, () => {
  it("are one link, whichever node a merchant, a customer and the gateway come to", { timeout: 600_000 }, async (test) => {
    const shop = await Shop.open(test);
    const { gateway } = shop;

    await test.test("pressed in two browsers at once on two nodes, it has one attempt, at one address", async () => {
      await gateway.faults({ latencyMs: 100 });
      for (let round = 0; round < 5; round += 1) {
        const { id, token } = await shop.create(round % 2);
        const pressed = await Promise.all([0, 1, 0, 1].map((node) => shop.press(node, token)));
        // Who comes while another one opens it may be told to try again.
        for (const one of pressed) if (!("to" in one)) assert.equal(one.told, "One moment");
        const addresses = pressed.flatMap((one) => ("to" in one ? [one.to] : []));
        assert.ok(addresses.length >= 1);
        assert.equal(new Set(addresses).size, 1, addresses.join());
        const attempts = (await gateway.payments()).filter((payment) => textMember(payment, "txId").startsWith(`${id}.`));
        assert.equal(attempts.length, 1);
        for (const node of [0, 1]) assert.deepEqual(await shop.press(node, token), { to: addresses[0] });
        await gateway.act(`${id}.1`, "pay");
        for (const node of [0, 1]) await shop.becomes(node, id, { state: "PAID", late: false, attempts: [{ state: "paid" }] });
      }
      await gateway.faults({ latencyMs: 0 });
    });

    await test.test("cancelled at one node while it is paid at the other, it is paid, and says whether late", async () => {
      const race = async (round: number) => {
        const { id, token } = await shop.create(round % 2);
        assertPayable(await shop.press(round % 2, token));
        const [cancelled] = await Promise.all([shop.post(1 - (round % 2), `/payment-links/${id}/cancel`), gateway.act(`${id}.1`, "pay")]);
        assert.ok(cancelled.status === 200 || cancelled.status === 409, cancelled.text);
        await shop.becomes(round % 2, id, { state: "PAID", late: cancelled.status === 200 });
        assert.deepEqual(await shop.press(1 - (round % 2), token), { told: "Paid" });
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

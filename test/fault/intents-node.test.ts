import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { SANDBOX_MERCHANT } from "../../infra/node/boot/sandbox-names.ts";
import { atEnd } from "../storage/kv/world.ts";
import { assertMatches, listOf, member, textMember } from "../support/http/matches.ts";
import { TestGateway } from "../support/node/gateway.ts";
import { startBetween } from "./gateway-between.ts";
import { NO_CLICKHOUSE, type NodeProcess, placeOf, startNodeProcess } from "./node-process.ts";
import { ADMINISTRATOR } from "./relay-caller.ts";

/** A killed attempt keeps its key for half a minute, and a busy machine takes its time. */
const FOUND_WITHIN_MS = 90_000;

/** Asks every second, within the limit on a merchant's calls. */
async function becomes(check: () => Promise<void>): Promise<void> {
  const giveUpAt = performance.now() + FOUND_WITHIN_MS;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > giveUpAt) throw error;
    }
    await delay(1_000);
  }
}

async function world(test: TestContext) {
  const gateway = await TestGateway.start();
  atEnd(test, () => gateway.stop());
  await gateway.faults({ notify: "never" });
  const between = await startBetween(test, gateway.url);
  const place = await placeOf(test);
  const url = `http://127.0.0.1:${place.port}`;

  async function start(): Promise<NodeProcess> {
    const node = startNodeProcess(test, { ...place, environment: { RELAY_SHARDS: "2", RELAY_GATEWAY_URL: between.url, ...NO_CLICKHOUSE } });
    await node.ready();
    return node;
  }

  /** Null where the node died before it answered. */
  async function call(path: string, form?: string, key?: string): Promise<{ status: number; body: unknown } | null> {
    try {
      const answer = await fetch(url + path, {
        method: form === undefined ? "GET" : "POST",
        headers: {
          authorization: `Bearer ${SANDBOX_MERCHANT.keys.secret}`,
          "content-type": "application/x-www-form-urlencoded",
          ...(key === undefined ? {} : { "idempotency-key": key }),
        },
        ...(form === undefined ? {} : { body: form }),
      });
      return { status: answer.status, body: JSON.parse(await answer.text()) };
    } catch {
      return null;
    }
  }

  async function create(): Promise<string> {
    const created = await call("/v1/payment_intents", "amount=1099&currency=eur&return_url=https://shop.example/b");
    return textMember(created?.body, "id");
  }

  async function told(id: string): Promise<string[]> {
    const events = listOf(member((await call("/v1/events?limit=100"))?.body, "data"));
    return events.filter((event) => JSON.stringify(event).includes(id)).map((event) => textMember(event, "type"));
  }

  async function attention(): Promise<unknown[]> {
    const answer = await fetch(`${url}/admin/attention`, { headers: ADMINISTRATOR });
    return listOf(member(JSON.parse(await answer.text()), "data"));
  }

  return { gateway, between, start, call, create, told, attention };
}

describe("a node that is killed in the middle of a payment intent", () => {
  it("between the gateway's init and its answer: the same confirm goes on with the same payment", { timeout: 600_000 }, async (test) => {
    const { gateway, between, start, call, create, told } = await world(test);
    const first = await start();
    const id = await create();
    between.answered = async (operation) => {
      if (operation === "init") await first.kill();
    };
    assert.equal(await call(`/v1/payment_intents/${id}/confirm`, "", "k1"), null, "the node should have died");
    between.answered = async () => {};
    await start();
    await becomes(async () => {
      const again = await call(`/v1/payment_intents/${id}/confirm`, "", "k1");
      assertMatches(again, { status: 200, body: { status: "requires_action" } });
    });
    assert.equal((await gateway.payments()).length, 1);
    await gateway.act(`${id}.1`, "pay");
    assertMatches(await call(`/v1/payment_intents/${id}/cancel`, ""), { status: 400 }, "it is paid");
    assertMatches(await call(`/v1/payment_intents/${id}`), { body: { status: "succeeded", amount_received: 1_099 } });
    assert.equal((await told(id)).filter((type) => type === "payment_intent.succeeded").length, 1);
  });

  it("while it gives back what was paid after a cancel: it is given back once", { timeout: 600_000 }, async (test) => {
    const { gateway, between, start, call, create, told, attention } = await world(test);
    const first = await start();
    const id = await create();
    await call(`/v1/payment_intents/${id}/confirm`, "", "k1");
    assertMatches(await call(`/v1/payment_intents/${id}/cancel`, "", "k2"), { status: 200, body: { status: "canceled" } });
    const killed = new Promise<void>((resolve) => {
      between.answered = async (operation) => {
        if (operation === "reversal") await first.kill().then(() => resolve());
      };
    });
    await gateway.act(`${id}.1`, "pay");
    await killed;
    between.answered = async () => {};
    assertMatches(await gateway.payment(`${id}.1`), { reversedValue: 1_099 });
    await start();
    await becomes(async () => {
      const [item] = (await attention()).filter((one) => member(one, "kind") === "link_reversal");
      assertMatches(item, { detail: /was reversed/ });
    });
    assertMatches(await gateway.payment(`${id}.1`), { reversedValue: 1_099 });
    assertMatches(await call(`/v1/payment_intents/${id}`), { body: { status: "canceled" } });
    assert.deepEqual(
      (await told(id)).filter((type) => type === "payment_intent.succeeded" || type === "charge.succeeded"),
      [],
    );
  });
});

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

/** A killed request keeps its key for half a minute, and a busy machine takes its time. */
const FOUND_WITHIN_MS = 90_000;

const LOOK_MS = 1_000;

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
  async function call(path: string, body?: object, key?: string): Promise<{ status: number; body: unknown } | null> {
    try {
      const answer = await fetch(`${url}/api/merchant${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: {
          authorization: `Bearer ${SANDBOX_MERCHANT.keys.secret}`,
          "content-type": "application/json",
          ...(key === undefined ? {} : { "idempotency-key": key }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: JSON.parse(await answer.text()) };
    } catch {
      return null;
    }
  }

  async function create(): Promise<{ id: string; token: string }> {
    const created = await call("/payment-links", { amountMinor: 1_099, currency: "EUR", description: "Two nights" }, "create");
    const address = textMember(created?.body, "data", "url");
    return { id: textMember(created?.body, "data", "id"), token: address.slice(address.lastIndexOf("/") + 1) };
  }

  /** Presses Pay: the gateway's address, or null. */
  async function press(token: string): Promise<string | null> {
    try {
      // The gateway's pages are elsewhere than its interface here, so that the answer is a page that leads there.
      const page = await (await fetch(`${url}/l/${token}/pay`, { method: "POST", redirect: "manual" })).text();
      const at = page.indexOf(gateway.url);
      return at === -1 ? null : page.slice(at, page.indexOf('"', at));
    } catch {
      return null;
    }
  }

  /** Comes back from the gateway, by which it is asked. */
  async function comesBack(token: string): Promise<void> {
    await fetch(`${url}/l/${token}/return`).then(
      (answer) => answer.arrayBuffer(),
      () => undefined,
    );
  }

  async function show(id: string): Promise<unknown> {
    return member((await call(`/payment-links/${id}`))?.body, "data");
  }

  async function attention(): Promise<string[]> {
    const answer = await fetch(`${url}/admin/attention`, { headers: ADMINISTRATOR });
    return listOf(member(JSON.parse(await answer.text()), "data")).map((item) => textMember(item, "kind"));
  }

  /** Kills the node when the gateway has answered this operation and the node does not know yet. */
  function killedAt(node: NodeProcess, operation: string): Promise<void> {
    return new Promise((resolve) => {
      between.answered = async (answered) => {
        if (answered !== operation) return;
        between.answered = async () => {};
        await node.kill();
        resolve();
      };
    });
  }

  return { gateway, start, call, create, press, comesBack, show, attention, killedAt };
}

describe("a node that is killed in the middle of a payment link of the portal", () => {
  it("between the gateway's init and its answer: whoever presses Pay again gets the same payment", { timeout: 600_000 }, async (test) => {
    const { gateway, start, create, press, comesBack, show, killedAt } = await world(test);
    const first = await start();
    const { id, token } = await create();
    const killed = killedAt(first, "init");
    assert.equal(await press(token), null, "the node should have died");
    await killed;
    await start();
    await becomes(async () => assert.notEqual(await press(token), null));
    assert.equal((await gateway.payments()).length, 1);
    await gateway.act(`${id}.1`, "pay");
    await becomes(async () => {
      await comesBack(token);
      assertMatches(await show(id), { state: "PAID", late: false, attempts: [{ state: "paid", paidMinor: 1_099 }] });
    });
    assert.equal(await press(token), null);
  });

  it("while it hears that a cancelled link was paid: it is PAID late, and refunded once", { timeout: 600_000 }, async (test) => {
    const { gateway, start, call, create, press, comesBack, show, attention, killedAt } = await world(test);
    const first = await start();
    const { id, token } = await create();
    assert.notEqual(await press(token), null);
    assertMatches(await call(`/payment-links/${id}/cancel`, {}, "cancel"), { status: 200, body: { data: { state: "CANCELLED" } } });
    await gateway.act(`${id}.1`, "pay");
    const killed = killedAt(first, "verify");
    // Who comes back has the gateway asked, at which the node dies; not by the first look, where it was asked for the cancellation just now. The page looks every two seconds.
    const isDead = killed.then(() => true);
    while (!(await Promise.race([isDead, comesBack(token).then(() => delay(LOOK_MS, false))])));
    const second = await start();
    await becomes(async () => {
      await comesBack(token);
      assertMatches(await show(id), { state: "PAID", late: true });
    });
    assert.deepEqual(await attention(), ["link_late"]);

    const refunding = killedAt(second, "refund");
    assert.equal(await call(`/transactions/${id}.1/refund`, {}, "refund"), null, "the node should have died");
    await refunding;
    assertMatches(await gateway.payment(`${id}.1`), { refundedValue: 1_099 });
    await start();
    await becomes(async () => {
      await call(`/transactions/${id}.1/refund`, {}, "refund");
      assertMatches(await show(id), { attempts: [{ refund: "done" }] });
    });
    assertMatches(await call(`/transactions/${id}.1/refund`, {}, "another"), { status: 409 });
    // Asked for again under the id that the dead node had stored, which the gateway executes once; never under another one.
    assert.equal(gateway.returns().size, 1, [...gateway.returns()].join());
    assertMatches(await gateway.payment(`${id}.1`), { refundedValue: 1_099, reversedValue: 0 });
  });
});

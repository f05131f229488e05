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

/** An attempt is looked at a minute after it was stored; a busy machine takes its time. */
const FOUND_WITHIN_MS = 180_000;

/** From the beginning of a request that makes a subscription and its link until the node is killed. */
const KILLED_AFTER_MS = [2, 5, 9, 14, 20, 30, 45];

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

  async function plan(): Promise<string> {
    const made = await call("/plans", { name: "Gym", amountMinor: 2_900, interval: "MONTH" }, "plan");
    return textMember(made?.body, "data", "id");
  }

  async function subscriptions(): Promise<string[]> {
    const page = await call("/subscriptions?limit=200");
    return listOf(member(page?.body, "data", "items")).map((item) => textMember(item, "id"));
  }

  async function show(id: string): Promise<unknown> {
    return member((await call(`/subscriptions/${id}`))?.body, "data");
  }

  async function ofOperators(path: string): Promise<unknown> {
    const answer = await fetch(`${url}/admin/${path}`, { headers: ADMINISTRATOR });
    return JSON.parse(await answer.text());
  }

  /** Kills the node when a charge has come to the gateway, or when it has been answered there; the node does not know yet. */
  function killedAt(node: NodeProcess, moment: "asked" | "answered"): Promise<void> {
    return new Promise((resolve) => {
      between[moment] = async (operation) => {
        if (operation !== "charges") return true;
        between[moment] = async () => true;
        await node.kill();
        resolve();
        return false;
      };
    });
  }

  return { gateway, url, start, call, plan, subscriptions, show, ofOperators, killedAt };
}

const CUSTOMER = { name: "Ada Rossi", email: "ada@example.org" };

describe("a node that is killed in the middle of a charge", () => {
  for (const moment of ["asked", "answered"] as const) {
    const what = moment === "asked" ? "stored and on its way, and never received" : "done, and its answer lost";
    it(`${what}: the customer is charged once`, { timeout: 600_000 }, async (test) => {
      const { gateway, start, call, plan, subscriptions, show, ofOperators, killedAt } = await world(test);
      const first = await start();
      const order = { planId: await plan(), customer: CUSTOMER, collection: "CARD", methodId: "card_sandbox_ok" };
      const killed = killedAt(first, moment);
      assert.equal(await call("/subscriptions", order, "create"), null, "the node should have died");
      await killed;
      await start();
      const [id = ""] = await subscriptions();
      assertMatches(await show(id), { state: "INCOMPLETE", charges: [{ attempts: [{ state: "asked" }] }] });
      await becomes(async () => assertMatches(await show(id), { state: "ACTIVE", unpaid: null }));
      const attempts = listOf(member(await show(id), "charges")).flatMap((charge) => listOf(member(charge, "attempts")));
      const states = attempts.map((attempt) => textMember(attempt, "state"));
      assert.deepEqual(states, moment === "asked" ? ["failed", "done"] : ["done"]);
      const charges = await gateway.charges();
      assert.deepEqual(
        charges.map(({ type }) => type),
        moment === "asked" ? ["absent", "done"] : ["done"],
      );
      if (moment === "asked") {
        // The request that was on its way comes after all.
        const late = {
          id: charges[0]?.id,
          merchantId: SANDBOX_MERCHANT.merchantId,
          methodId: "card_sandbox_ok",
          amountMinor: 2_900,
          currency: "EUR",
        };
        const answer = await fetch(`${gateway.url}/sandbox/charges`, {
          ...{ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(late) },
        });
        assertMatches(await answer.json(), { type: "failed", code: "too_late" });
      }
      // Whoever repeats the request has that subscription.
      assertMatches(await call("/subscriptions", order, "create"), { status: 201, body: { data: { id } } });
      assert.deepEqual(await subscriptions(), [id]);
      assert.deepEqual(member(await ofOperators("attention"), "data"), []);
      assertMatches(await ofOperators(`search?uuid=${id}`), { data: { items: [{ kind: "subscription", id, state: "ACTIVE" }] } });
    });
  }

  it("by link, at whatever moment: each subscription has one link, its customer one mail, and is paid by it", {
    timeout: 900_000,
  }, async (test) => {
    const { gateway, url, start, call, plan, subscriptions, show, ofOperators } = await world(test);
    let node = await start();
    const planId = await plan();
    const order = { planId, customer: CUSTOMER };
    // Once before, so that the first one does not take its time.
    assertMatches(await call("/subscriptions", order, "warm"), { status: 201 });
    for (const afterMs of KILLED_AFTER_MS) {
      const asked = call("/subscriptions", order, `create-${afterMs}`);
      await delay(afterMs);
      await node.kill();
      await asked;
      node = await start();
    }
    for (const afterMs of KILLED_AFTER_MS) {
      await becomes(async () => assertMatches(await call("/subscriptions", order, `create-${afterMs}`), { status: 201 }));
    }
    const ids = await subscriptions();
    assert.equal(ids.length, 1 + KILLED_AFTER_MS.length);
    for (const id of ids) {
      await becomes(async () =>
        assertMatches(await show(id), { state: "INCOMPLETE", charges: [{ attempts: [{ means: "LINK", state: "open" }] }] }),
      );
    }
    const links = listOf(member((await call("/payment-links?limit=200"))?.body, "data", "items"));
    assert.deepEqual(links.map((link) => textMember(link, "reference")).toSorted(), ids.map((id) => `sub-${id}-1-1`).toSorted());
    const mails = listOf(member(await ofOperators("mails?limit=200"), "data"));
    assert.equal(mails.filter((mail) => member(mail, "kind") === "subscription-payment").length, ids.length);
    const [mail] = mails;
    assertMatches(await ofOperators(`mails/${textMember(mail, "id")}`), {
      data: { to: CUSTOMER.email, text: /Buongiorno Ada Rossi,[\s\S]*"Gym"[\s\S]*\/s\/[A-Za-z0-9]{22}\n/ },
    });
    // The customer presses Pay on the page, and on the link's.
    const [id = ""] = ids;
    const page = new URL(textMember(await show(id), "url")).pathname;
    const sent = await fetch(`${url}${page}/pay`, { method: "POST", redirect: "manual" });
    assert.equal(sent.status, 303);
    await (await fetch(`${url}${sent.headers.get("location")}/pay`, { method: "POST", redirect: "manual" })).arrayBuffer();
    const [attempt] = listOf(member(listOf(member(await show(id), "charges"))[0], "attempts"));
    const linkId = textMember(attempt, "paymentLinkId");
    await gateway.act(`${linkId}.1`, "pay");
    await becomes(async () =>
      assertMatches(await show(id), { state: "ACTIVE", charges: [{ state: "PAID", attempts: [{ state: "done" }] }] }),
    );
    assert.equal((await gateway.payments()).length, 1);
  });
});

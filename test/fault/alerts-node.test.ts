import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { SANDBOX_MERCHANT } from "../../infra/node/boot/sandbox-names.ts";
import { atEnd } from "../storage/kv/world.ts";
import { assertMatches, textMember } from "../support/http/matches.ts";
import { TestGateway } from "../support/node/gateway.ts";
import { startBetween } from "./gateway-between.ts";
import { NO_CLICKHOUSE, type NodeProcess, placeOf, startNodeProcess } from "./node-process.ts";
import { ADMINISTRATOR } from "./relay-caller.ts";

/** What a dead node was at is looked into after a minute, and a follow-up that it had begun is repeated after half of one; a busy machine takes its time. */
const FOUND_WITHIN_MS = 180_000;

const RULES = {
  ...{ enabled: true, currency: "EUR", dailyCountMax: 100, dailyAmountMaxMinor: 1_000_000, seen: 0 },
  rules: [{ id: "all", amountMaxMinor: 10_000, sources: null, categories: null, methods: null }],
};

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

  async function call(method: string, path: string, body?: object): Promise<{ status: number; body: unknown }> {
    const isAdministrator = path.startsWith("/admin/");
    const answer = await fetch(url + path, {
      method,
      headers: {
        ...(isAdministrator ? ADMINISTRATOR : { authorization: `Bearer ${SANDBOX_MERCHANT.keys.secret}` }),
        "content-type": "application/json",
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: JSON.parse(await answer.text()) };
  }

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

  /** A payment by link of the merchant's that is paid; its uuid. */
  async function paid(): Promise<string> {
    const made = await call("POST", "/api/merchant/payment-links", { amountMinor: 1_099, description: "Two nights" });
    const [id, address] = [textMember(made.body, "data", "id"), textMember(made.body, "data", "url")];
    await (await fetch(`${url}${new URL(address).pathname}/pay`, { method: "POST", redirect: "manual" })).text();
    await gateway.act(`${id}.1`, "pay");
    await becomes(async () => assertMatches(await call("GET", `/api/merchant/payment-links/${id}`), { body: { data: { state: "PAID" } } }));
    return `${id}.1`;
  }

  async function alerted(uuid: string): Promise<string> {
    const facts = { merchantId: SANDBOX_MERCHANT.merchantId, source: "ETHOCA", category: "FRAUD", amountMinor: 1_099, currency: "EUR" };
    const fed = await call("POST", "/admin/alerts", { ...facts, networkRef: uuid, uuid });
    assert.equal(fed.status, 201, JSON.stringify(fed.body));
    return textMember(fed.body, "data", "id");
  }

  /** Kills the node where its refund is at a place, once; `asked`: before the gateway hears of it, `answered`: before the node hears of its answer. */
  function killedWhen(place: "asked" | "answered", node: NodeProcess): Promise<void> {
    return new Promise((resolve) => {
      const once = async (operation: string): Promise<boolean> => {
        if (operation !== "refund") return true;
        between.asked = async () => true;
        between.answered = async () => {};
        await node.kill();
        resolve();
        return false;
      };
      if (place === "asked") between.asked = once;
      else between.answered = async (operation) => void (await once(operation));
    });
  }

  return { gateway, start, call, becomes, paid, alerted, killedWhen };
}

it("a node that is killed in the middle of an automatic refund has it made once", { timeout: 900_000 }, async (test) => {
  const { gateway, start, call, becomes, paid, alerted, killedWhen } = await world(test);
  let node = await start();
  assert.equal((await call("PUT", "/api/merchant/alert-rules", RULES)).status, 200);
  const uuids = [await paid(), await paid(), await paid()];
  const [stored = "", asked = "", answered = ""] = uuids;
  const ids: string[] = [];

  // As soon as the alert is stored, wherever its refund is by then.
  ids.push(await alerted(stored));
  await node.kill();
  node = await start();
  for (const [place, uuid] of [
    ["asked", asked],
    ["answered", answered],
  ] as const) {
    const killed = killedWhen(place, node);
    ids.push(await alerted(uuid));
    await killed;
    assertMatches(await gateway.payment(uuid), { refundedValue: place === "asked" ? 0 : 1_099 });
    node = await start();
  }
  for (const [index, id] of ids.entries()) {
    const expected = { state: "REFUNDED", rule: "all", uuid: uuids[index], refund: { state: "done", moved: true } };
    await becomes(async () => assertMatches(await call("GET", `/admin/alerts/${id}`), { body: { data: expected } }));
  }
  for (const uuid of uuids) assertMatches(await gateway.payment(uuid), { refundedValue: 1_099, reversedValue: 0 });
  // However often each was asked for, it was under one id.
  assert.equal(gateway.returns().size, uuids.length, [...gateway.returns()].join());
  assert.deepEqual((await call("GET", "/admin/attention")).body, { status: "ok", data: [] });
});

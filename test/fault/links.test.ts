import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { LINK_INIT_CHECK_MS } from "../../engine/kernel/limits.ts";
import { openEmbeddedKv } from "../../storage/kv/embedded.ts";
import { atEnd } from "../storage/kv/world.ts";
import { assertMatches, textMember } from "../support/http/matches.ts";
import { TestGateway } from "../support/node/gateway.ts";
import { outboxRows } from "../support/outbox.ts";
import { startBetween } from "./gateway-between.ts";
import { NO_CLICKHOUSE, type NodeProcess, placeOf, startNodeProcess } from "./node-process.ts";
import { ADMINISTRATOR, PARTNER } from "./relay-caller.ts";

/** A link whose init has no answer is looked for after twenty seconds; the rest is for a busy machine. */
const FOUND_WITHIN_MS = 60_000;

/** An attempt whose end nobody knows keeps its idempotency key for so long; a node that takes longer to start cannot show it. */
const CLAIMED_MS = 30_000;

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
  async function call(path: string, init: { method?: string; headers?: { [name: string]: string }; body?: object } = {}) {
    const { method = "GET", headers = PARTNER, body } = init;
    try {
      const answer = await fetch(url + path, {
        method,
        headers: { "content-type": "application/json", ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      return { status: answer.status, text, body: text.startsWith("{") ? JSON.parse(text) : null };
    } catch {
      return null;
    }
  }

  async function becomes(txId: string, expected: object): Promise<void> {
    const giveUpAt = performance.now() + FOUND_WITHIN_MS;
    for (;;) {
      const found = await call(`/api/v1/payment/status/${txId}`);
      try {
        assertMatches(found?.body, expected);
        return;
      } catch (error) {
        if (performance.now() > giveUpAt) throw error;
      }
      await delay(200);
    }
  }

  /** Rows on their way to ClickHouse, of a node that has ended. */
  async function rows(): Promise<{ uuid: string; status: string }[]> {
    const kv = await openEmbeddedKv({
      directory: `${place.dataDirectory}/state`,
      nowMs: Date.now,
      mostlyAbsentPrefix: "c/",
      onFailure: () => {},
    });
    const found: { uuid: string; status: string }[] = [];
    for await (const { row } of outboxRows(kv)) {
      if (row?.type === "transaction") found.push({ uuid: row.transaction.uuid, status: row.transaction.status });
    }
    await kv.close();
    return found;
  }

  return { gateway, between, start, call, becomes, rows };
}

describe("a node that is killed in the middle of a payment link", () => {
  it("between the gateway's init and its answer: the link is found, and what was paid is seen", { timeout: 600_000 }, async (test) => {
    const { gateway, between, start, call, becomes, rows } = await world(test);
    const first = await start();
    between.answered = async (operation) => {
      if (operation === "init") await first.kill();
    };
    const creation = { method: "POST", headers: { ...PARTNER, "idempotency-key": "k1" }, body: { amount: "12.34" } };
    const claimedMs = performance.now();
    assert.equal(await call("/api/v1/paybylink", creation), null, "the node should have died");
    between.answered = async () => {};
    const [payment] = await gateway.payments();
    const txId = textMember(payment, "txId");
    await gateway.act(txId, "pay");

    const second = await start();
    const status = await call(`/api/v1/payment/status/${txId}`);
    const unseen = performance.now() - claimedMs < LINK_INIT_CHECK_MS;
    if (unseen) assertMatches(status?.body, { status: "PENDING", amount: "12.34" });
    else test.diagnostic("the restart took longer than it takes until the link is looked for");
    const repeated = await call("/api/v1/paybylink", creation);
    const claimed = performance.now() - claimedMs < CLAIMED_MS;
    if (claimed) assertMatches(repeated, { status: 409 }, "the first attempt's claim holds for half a minute");
    else test.diagnostic("the restart took longer than the first attempt's claim holds");
    await becomes(txId, { status: "SUCCESS", resultCode: "GW_000" });
    const giveUpAt = performance.now() + FOUND_WITHIN_MS;
    let again = await call("/api/v1/paybylink", creation);
    while (again?.status === 409 && performance.now() < giveUpAt) {
      await delay(500);
      again = await call("/api/v1/paybylink", creation);
    }
    assertMatches(again, { status: 200, body: { txId, status: "ok" } });
    assert.equal((await gateway.payments()).length, 1);
    await second.kill();
    assert.deepEqual(await rows(), [{ uuid: txId, status: "OK" }]);
  });

  it("between a verify and its record, at five moments: recorded once after the restart", { timeout: 600_000 }, async (test) => {
    const { gateway, between, start, call, becomes, rows } = await world(test);
    const paid: string[] = [];
    let node = await start();
    for (const afterAnswerMs of [null, 0, 1, 3, 8]) {
      const created = await call("/api/v1/paybylink", { method: "POST", body: { amount: 5 } });
      const txId = textMember(created?.body, "txId");
      await gateway.act(txId, "pay");
      const killed = new Promise<void>((resolve) => {
        between.answered = async (operation) => {
          if (operation !== "verify") return;
          const kill = node.kill().then(() => resolve());
          // Null: the relay never gets the answer. Else it gets it, and dies around the time when it would record it.
          if (afterAnswerMs === null) await kill;
        };
        const delayed = between.answered;
        if (afterAnswerMs !== null) {
          between.answered = async (operation) => {
            if (operation === "verify") setTimeout(() => void delayed(operation), afterAnswerMs);
          };
        }
      });
      assertMatches(await call(`/api/v1/gw/notify?txId=${txId}`, { method: "POST" }), { status: 200 });
      await killed;
      between.answered = async () => {};
      node = await start();
      await becomes(txId, { status: "SUCCESS" });
      paid.push(txId);
    }
    const attention = await call("/admin/attention", { headers: ADMINISTRATOR });
    assertMatches(attention?.body, { data: [] });
    await node.kill();
    const recorded = await rows();
    assert.deepEqual(recorded.map(({ uuid }) => uuid).sort(), [...paid].sort());
    assert.equal(
      recorded.every(({ status }) => status === "OK"),
      true,
    );
  });
});

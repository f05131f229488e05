import assert from "node:assert/strict";
import { before } from "node:test";
import { SANDBOX_MERCHANT, SIMULATED_TERMINAL_ID } from "../../../infra/node/boot/sandbox-names.ts";
import type { Answer, HttpClient } from "../../support/http/http-client.ts";
import { assertMatches, listOf, member } from "../../support/http/matches.ts";
import { Relay, type RelayOptions } from "../../support/node/relay.ts";
import { eventually } from "../../support/within.ts";
import { test, testOnNodes } from "../layouts.ts";

const BASE = "/api/merchant";

/** The sandbox's shop, and whoever asks with its secret key. */
export function sandboxShop(relay: Relay): HttpClient {
  return relay.client({ authorization: `Bearer ${SANDBOX_MERCHANT.keys.secret}` });
}

function data(answer: Answer, ...path: string[]): unknown {
  assert.equal(answer.status, 200, answer.text);
  return member(answer.body, "data", ...path);
}

/** What a merchant reads with its key: its own payments at once, and its terminals. */
export function merchantReads(relay: Relay): void {
  before(async () => {
    await relay.clickhouse();
    // More than a shop usually makes in a minute.
    const limit = { compatRequestsPerMinute: 10_000 };
    const answer = await relay
      .administrator()
      .send(`/admin/api/merchants/${SANDBOX_MERCHANT.merchantId}`, { method: "PATCH", body: limit });
    assert.equal(answer.status, 200, answer.text);
  });

  /** A payment of the shop's terminal; answers with its uuid. */
  async function paid(result: object = {}, request: object = {}): Promise<string> {
    const [uuid, fleet] = [relay.uuid(), relay.fleet()];
    assert.equal((await fleet.pay(SIMULATED_TERMINAL_ID, { uuid, ...request })).status, 200);
    assert.equal((await fleet.take(SIMULATED_TERMINAL_ID)).status, 200);
    assert.equal((await fleet.receipt(SIMULATED_TERMINAL_ID, { uuid, result: "OK", ...result })).status, 200);
    return uuid;
  }

  test("a payment of the shop's terminal is listed at once, with its history and its receipt", async () => {
    const shop = sandboxShop(relay);
    const uuid = await paid({ authCode: "A1B2C3", pan: "4111111111110042", brand: "VISA" }, { amount: 1_234 });
    const [newest] = listOf(data(await shop.get(`${BASE}/transactions?limit=1`), "items"));
    assertMatches(newest, {
      ...{ uuid, terminalId: SIMULATED_TERMINAL_ID, method: "CARD", status: "OK", amountMinor: 1_234, currency: "EUR", brand: "VISA" },
      ...{ last4: "0042", authCode: "A1B2C3" },
    });
    for (const filter of [
      "last4=0042",
      `q=${uuid.slice(0, 8)}`,
      "authCode=A1B2C3",
      `terminalId=${SIMULATED_TERMINAL_ID}&amountMin=1234&amountMax=1234`,
    ]) {
      const found = listOf(data(await shop.get(`${BASE}/transactions?${filter}`), "items"));
      assert.ok(
        found.some((item) => member(item, "uuid") === uuid),
        filter,
      );
    }
    const detail = await shop.get(`${BASE}/transactions/${uuid.toUpperCase()}`);
    assert.deepEqual(
      listOf(data(detail, "timeline")).map((event) => member(event, "what")),
      ["accepted", "sent", "result"],
    );
    assertMatches(data(detail), { hasReceipt: false, unsolicited: false, amountDiffers: false, refund: { possible: false } });
    assertMatches(data(await shop.get(`${BASE}/transactions/${uuid}/receipt`)), { merchantName: "Demo shop", text: null });
    const printed = await paid({ service: "RECEIPT", receipt: "THANK YOU" });
    assertMatches(data(await shop.get(`${BASE}/transactions/${printed}`)), { method: "RECEIPT", hasReceipt: true });
    assertMatches(data(await shop.get(`${BASE}/transactions/${printed}/receipt`)), { text: "THANK YOU" });
  });

  test("pages go on where the last one ended, and each row is on one of them", async () => {
    const shop = sandboxShop(relay);
    const made: string[] = [];
    for (let count = 0; count < 5; count += 1) made.unshift(await paid());
    const found: unknown[] = [];
    for (let next: unknown = ""; next !== null; ) {
      const page = await shop.get(`${BASE}/transactions?limit=2${next === "" ? "" : `&cursor=${next}`}`);
      found.push(...listOf(data(page, "items")).map((item) => member(item, "uuid")));
      next = member(page.body, "data", "next");
    }
    assert.equal(new Set(found).size, found.length);
    assert.deepEqual(found.slice(0, made.length), made);
  });

  test("a file has the rows of the list, as many and with the same sum", async () => {
    const shop = sandboxShop(relay);
    const message = "=cmd|' /C calc'!A0";
    const uuid = await paid({ message }, { amount: 4_321 });
    const listed = listOf(data(await shop.get(`${BASE}/transactions?limit=200&status=OK`), "items"));
    assert.ok(listed.length < 200, "the list goes on");
    const file = await shop.get(`${BASE}/transactions.csv?lang=en&status=OK`);
    assert.equal(file.status, 200, file.text);
    const [, ...lines] = file.text.trimEnd().split("\r\n");
    assert.deepEqual(
      lines.map((line) => line.split(",")[1]),
      listed.map((item) => member(item, "uuid")),
    );
    const sum = lines.reduce((total, line) => total + Math.round(Number(line.split(",")[5]) * 100), 0);
    assert.equal(
      sum,
      listed.reduce((total: number, item) => total + Number(member(item, "amountMinor")), 0),
    );
    assert.ok(lines[0]?.includes(uuid) === true && lines[0].includes(`,'${message},`), lines[0]);
  });

  testOnNodes("a terminal shows when it comes and goes, and nothing where nothing has changed", async () => {
    const shop = sandboxShop(relay);
    const uuid = await paid();
    const status = async (path = "/terminals") => {
      // A list is shared for two seconds, what was taken last for five.
      relay.advance(5_001);
      const answer = await shop.get(BASE + path);
      const items = path === "/terminals" ? listOf(data(answer, "items")) : [data(answer)];
      const item = items.find((one) => member(one, "terminalId") === SIMULATED_TERMINAL_ID);
      return { item, etag: String(answer.headers["etag"]) };
    };
    const terminal = await relay.online(SIMULATED_TERMINAL_ID);
    await eventually(async () => assertMatches((await status()).item, { connectionStatus: "ONLINE", connectionType: "WEBSOCKET" }));
    const one = await status(`/terminals/${SIMULATED_TERMINAL_ID}`);
    assertMatches(one.item, { connectionStatus: "ONLINE" });
    await eventually(async () => assertMatches((await status()).item, { lastResult: { uuid } }));
    const { etag } = await status();
    const again = await shop.get(`${BASE}/terminals`, { "if-none-match": etag });
    assert.deepEqual([again.status, again.text], [304, ""]);
    await terminal.client.deactivate();
    await relay.fleet().post(`/api/v1/${SIMULATED_TERMINAL_ID}/disconnect`, {});
    await eventually(async () => assertMatches((await status()).item, { connectionStatus: "OFFLINE" }));
    assert.notEqual((await status()).etag, etag);
  });

  test("a terminal that is nobody's is not the shop's, nor what it takes, whatever it says of itself", async () => {
    const shop = sandboxShop(relay);
    const [terminalId, uuid, fleet] = [relay.terminalId(), relay.uuid(), relay.fleet()];
    await fleet.pay(terminalId, { uuid });
    await fleet.take(terminalId);
    assert.equal((await fleet.receipt(terminalId, { uuid, result: "OK", merchantId: SANDBOX_MERCHANT.merchantId })).status, 200);
    for (const path of [`/transactions/${uuid}`, `/transactions/${uuid}/receipt`, `/terminals/${terminalId}`]) {
      assert.equal((await shop.get(BASE + path)).status, 404, path);
    }
    assert.deepEqual(data(await shop.get(`${BASE}/transactions?q=${uuid}`), "items"), []);
  });

  test("the overview counts what was paid today, and names what the shop has to look at", async () => {
    const shop = sandboxShop(relay);
    relay.advance(15_000);
    const before = await shop.get(`${BASE}/overview`);
    const volumeIn = (answer: Answer) =>
      listOf(data(answer, "today")).reduce((sum: number, one) => sum + Number(member(one, "volumeMinor")), 0);
    const uuid = await paid({ amount: 2_000 }, { amount: 1_999 });
    await paid({ result: "KO" });
    relay.advance(15_001);
    await eventually(
      async () => {
        const now = await shop.get(`${BASE}/overview`);
        assert.equal(volumeIn(now) - volumeIn(before), 2_000);
        assertMatches(data(now), { complete: false });
        assert.ok(Number(data(now, "terminals", "total")) >= 1);
        const tasks = listOf(data(now, "tasks"));
        assert.ok(
          tasks.some((task) => member(task, "kind") === "amount_differs" && member(task, "subject") === uuid),
          now.text,
        );
      },
      30_000,
      100,
    );
  });
}

/** The same where ClickHouse is away: what needs it says so within the time of a query, and terminals are told all the same. */
export function merchantReadsWithoutClickHouse(startable: RelayOptions): void {
  test("without ClickHouse the panels that need it answer 503, and terminals are listed without what they took last", async () => {
    const relay = new Relay({
      ...startable,
      environment: { ...startable.environment, RELAY_CLICKHOUSE_URL: "http://127.0.0.1:9", RELAY_LOG_LEVEL: "fatal" },
    });
    await relay.start();
    try {
      const shop = sandboxShop(relay);
      for (const path of ["/transactions", `/transactions/${relay.uuid()}`, `/transactions/${relay.uuid()}/receipt`, "/transactions.csv"]) {
        const begunAt = performance.now();
        assertMatches(await shop.get(BASE + path), { status: 503, body: { status: "error", code: "unavailable" } });
        assert.ok(performance.now() - begunAt < 4_000, path);
      }
      assertMatches(data(await shop.get(`${BASE}/overview`)), { figuresAvailable: false });
      const terminals = await shop.get(`${BASE}/terminals`);
      assertMatches(data(terminals), { resultsAway: true });
      const own = listOf(data(terminals, "items")).find((item) => member(item, "terminalId") === SIMULATED_TERMINAL_ID);
      assertMatches(own, { lastResult: null });
      assertMatches(data(await shop.get(`${BASE}/terminals/${SIMULATED_TERMINAL_ID}`)), { lastResult: null });
    } finally {
      await relay.stop();
    }
  });
}

import assert from "node:assert/strict";
import { before } from "node:test";
import type { Answer, HttpClient } from "../../support/http/http-client.ts";
import { assertMatches, listOf, member, textMember } from "../../support/http/matches.ts";
import { Relay, type RelayOptions } from "../../support/node/relay.ts";
import { eventually } from "../../support/within.ts";
import { test, testOnNodes } from "../layouts.ts";

const DAY_MS = 86_400_000;

function list(caller: HttpClient, terminalId: string, query = ""): Promise<Answer> {
  return caller.get(`/api/v1/${terminalId}/transactions${query}`);
}

async function listedUuids(caller: HttpClient, terminalId: string, query = ""): Promise<unknown[]> {
  const answer = await list(caller, terminalId, query);
  assert.equal(answer.status, 200, answer.text);
  return listOf(member(answer.body, "data")).map((item) => member(item, "uuid"));
}

/** One query of an analyst, by ClickHouse's own HTTP interface. */
async function sql(relay: Relay, query: string): Promise<string> {
  const { url, username, password } = await relay.analyst();
  const headers = { "x-clickhouse-user": username, "x-clickhouse-key": password };
  const response = await fetch(url, { method: "POST", headers, body: query });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return text.trim();
}

export function transactions(relay: Relay): void {
  before(() => relay.clickhouse());

  /** A payment that was executed; answers with its uuid. */
  async function executed(terminalId: string, request: object, result: object): Promise<string> {
    const [uuid, fleet] = [relay.uuid(), relay.fleet()];
    assert.equal((await fleet.pay(terminalId, { uuid, ...request })).status, 200);
    assert.equal((await fleet.take(terminalId)).status, 200);
    assert.equal((await fleet.receipt(terminalId, { uuid, result: "OK", ...result })).status, 200);
    return uuid;
  }

  testOnNodes("a stored result is listed at once, and stays listed once when ClickHouse has it, also after a restart", async () => {
    const [terminalId, fleet] = [relay.terminalId(), relay.fleet()];
    const uuids: string[] = [];
    for (let amount = 1; amount <= 5; amount += 1) {
      uuids.unshift(await executed(terminalId, { amount }, { authCode: String(amount), pan: "4111111111111111" }));
      assert.deepEqual(await listedUuids(fleet, terminalId), uuids);
    }
    const [newest] = listOf(member((await list(fleet, terminalId)).body, "data"));
    assert.deepEqual(newest, member((await fleet.uuid(uuids[0] ?? "")).body, "data"));
    const counted = `select count(), uniqExact(uuid), sum(amount_cents) from relay.transactions_final where terminal_id = '${terminalId}'`;
    await eventually(async () => assert.equal(await sql(relay, counted), "5\t5\t15"));
    assert.deepEqual(await listedUuids(fleet, terminalId), uuids);
    assert.deepEqual(listOf(member((await list(fleet, terminalId)).body, "data"))[0], newest);
    await relay.restart();
    await relay.clickhouse();
    await eventually(async () => assert.deepEqual(await listedUuids(fleet, terminalId), uuids));
    assert.equal(await sql(relay, counted), "5\t5\t15");
  });

  test("declined ones are listed when they are asked for, scans and prints never", async () => {
    const [terminalId, fleet] = [relay.terminalId(), relay.fleet()];
    const ok = await executed(terminalId, {}, {});
    const ko = await executed(terminalId, {}, { result: "KO" });
    for (const service of ["scan", "print"]) {
      const uuid = relay.uuid();
      await fleet.post(`/api/v1/${terminalId}/${service}`, { uuid, text: "x" });
      await fleet.take(terminalId);
      await fleet.receipt(terminalId, { uuid, service: service.toUpperCase(), result: "OK" });
    }
    assert.deepEqual(await listedUuids(fleet, terminalId), [ok]);
    assert.deepEqual(await listedUuids(fleet, terminalId, "?status=ALL&type=ALL"), [ok]);
    assert.deepEqual(await listedUuids(fleet, terminalId, "?status=OK"), [ok]);
    assert.deepEqual(await listedUuids(fleet, terminalId, "?status=KO"), [ko]);
  });

  test("types are told apart", async () => {
    const [terminalId, fleet] = [relay.terminalId(), relay.fleet()];
    const uuids = {
      CARD: await executed(terminalId, {}, {}),
      SATISPAY: await executed(terminalId, { service: "PAYSAT" }, {}),
      VOUCHER: await executed(terminalId, { service: "PAYBP" }, {}),
      RECEIPT: await executed(terminalId, { type: "RECEIPT" }, { receipt: { number: 1 } }),
    };
    for (const [type, uuid] of Object.entries(uuids)) assert.deepEqual(await listedUuids(fleet, terminalId, `?type=${type}`), [uuid]);
    assert.deepEqual(await listedUuids(fleet, terminalId, "?type=ALL"), Object.values(uuids).reverse());
    assertMatches((await list(fleet, terminalId, "?type=PAYBYLINK")).body, {
      status: "ok",
      data: [],
      error: null,
      message: "no_content",
    });
  });

  test("pages hold each transaction once, whether ClickHouse has it or not", async () => {
    const terminalId = relay.terminalId();
    const uuids: string[] = [];
    for (let count = 0; count < 12; count += 1) uuids.unshift(await executed(terminalId, {}, {}));
    const fleet = relay.fleet();
    const paged: unknown[] = [];
    for (let offset = 0; offset < 15; offset += 5) {
      paged.push(...(await listedUuids(fleet, terminalId, `?limit=5&offset=${offset}`)));
    }
    assert.deepEqual(paged, uuids);
  });

  test("partners list what they sent, terminals what is theirs, and of a terminal never seen nothing is known", async () => {
    const [terminalId, uuid, partner, fleet] = [relay.terminalId(), relay.uuid(), relay.partner(), relay.fleet()];
    const foreign = await executed(terminalId, {}, {});
    await partner.pay(terminalId, { uuid });
    await fleet.take(terminalId);
    await fleet.receipt(terminalId, { uuid, result: "OK" });
    assert.deepEqual(await listedUuids(partner, terminalId), [uuid]);
    assert.deepEqual(await listedUuids(await relay.terminal(terminalId), terminalId), [uuid, foreign]);
    const unknown = { status: 200, body: { status: "error", data: null, message: "Transaction not found" } };
    assertMatches(await list(await relay.terminal(relay.terminalId()), terminalId), unknown);
    assertMatches(await list(fleet, relay.terminalId()), unknown);
    assert.equal((await list(relay.nobody(), terminalId)).status, 401);
  });

  testOnNodes("what came twice, in conflict, unasked or late is listed once, as it stands", async () => {
    const [terminalId, fleet, partner] = [relay.terminalId(), relay.fleet(), relay.partner()];
    const twice = await executed(terminalId, {}, { authCode: "1" });
    await fleet.receipt(terminalId, { uuid: twice, result: "OK", authCode: "1" });
    await fleet.receipt(terminalId, { uuid: twice, result: "KO" });
    const unasked = relay.uuid();
    await fleet.receipt(terminalId, { uuid: unasked, result: "OK", amount: 3 });
    const late = relay.uuid();
    await partner.pay(terminalId, { uuid: late });
    relay.advance(60_000);
    await relay.lifeBecomes(late, { state: "expired" });
    await fleet.receipt(terminalId, { uuid: late, result: "OK" });
    assert.deepEqual(await listedUuids(fleet, terminalId), [late, unasked, twice]);
    assert.deepEqual(await listedUuids(fleet, terminalId, "?status=KO"), []);
    const states = `select uuid, state from relay.command_lives_final where terminal_id = '${terminalId}' order by accepted_at`;
    const expected = `${twice}\tdone\n${late}\tdone`;
    await eventually(async () => assert.equal(await sql(relay, states), expected));
  });

  test("days are local ones, and both ends of a range belong to it", async () => {
    const [terminalId, fleet] = [relay.terminalId(), relay.fleet()];
    const uuids: string[] = [];
    const days: string[] = [];
    for (let day = 0; day < 3; day += 1) {
      const uuid = await executed(terminalId, {}, {});
      uuids.push(uuid);
      days.push(textMember((await fleet.uuid(uuid)).body, "data", "createdAt").slice(0, 10));
      relay.advance(DAY_MS);
    }
    const [first, second, third] = uuids;
    const cases: [query: string, expected: unknown[]][] = [
      [`?date=${days[1]}`, [second]],
      [`?from=${days[1]}`, [third, second]],
      [`?to=${days[1]}`, [second, first]],
      [`?from=${days[0]}&to=${days[2]}`, [third, second, first]],
      [`?from=${days[2]}&to=${days[2]}`, [third]],
      ["?date=2020-02-29", []],
      ["?from=1900-01-01", [third, second, first]],
      ["?from=1970-01-01&to=2200-01-01", [third, second, first]],
      ["?to=9999-12-31", [third, second, first]],
      ["?from=2200-01-01", []],
      ["?to=1969-12-31", []],
    ];
    for (const [query, expected] of cases) assert.deepEqual(await listedUuids(fleet, terminalId, query), expected, query);
    const counted = `select count() from relay.transactions_final where terminal_id = '${terminalId}'`;
    await eventually(async () => assert.equal(await sql(relay, counted), "3"));
    for (const [query, expected] of cases) assert.deepEqual(await listedUuids(fleet, terminalId, query), expected, query);
  });
}

/** A node whose ClickHouse cannot be reached. */
export function withoutClickHouse(startable: RelayOptions): void {
  test("without ClickHouse the list answers 503, and everything else goes on", async () => {
    const relay = new Relay({
      ...startable,
      environment: { ...startable.environment, RELAY_CLICKHOUSE_URL: "http://127.0.0.1:9", RELAY_LOG_LEVEL: "fatal" },
    });
    await relay.start();
    try {
      const [terminalId, uuid, partner, fleet] = [relay.terminalId(), relay.uuid(), relay.partner(), relay.fleet()];
      await partner.pay(terminalId, { uuid });
      await fleet.take(terminalId);
      assert.equal((await fleet.receipt(terminalId, { uuid, result: "OK" })).status, 200);
      assertMatches((await partner.status(terminalId)).body, { data: { uuid, status: "OK" } });
      assertMatches(await list(fleet, terminalId), { status: 503, body: { status: "error", error: /./, message: /./ } });
      assert.equal((await relay.nobody().get("/health/ready")).status, 200);
    } finally {
      await relay.stop();
    }
  });
}

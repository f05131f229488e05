import assert from "node:assert/strict";
import { join } from "node:path";
import { before } from "node:test";
import { loadShopsSince } from "../../../storage/feed/shops-since.ts";
import { openEmbeddedKv } from "../../../storage/kv/embedded.ts";
import type { Relay } from "../../support/node/relay.ts";
import { newMerchant } from "../../support/people/new-merchant.ts";
import { eventually } from "../../support/within.ts";
import { test, testOnNodes } from "../layouts.ts";

/** Whose a payment is: what the merchants' table of ClickHouse has. */
export function shops(relay: Relay): void {
  before(() => relay.clickhouse());

  async function rows(query: string): Promise<string[]> {
    const { url, username, password } = await relay.analyst();
    const headers = { "x-clickhouse-user": username, "x-clickhouse-key": password };
    const response = await fetch(url, { method: "POST", headers, body: query });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return text.split("\n").filter((line) => line !== "");
  }

  const listed = (merchantId: string) =>
    rows(`SELECT uuid FROM relay.merchant_transactions FINAL WHERE merchant_id = '${merchantId}' ORDER BY created_at, uuid`);

  const configure = (terminalId: string, merchantId: string | null) =>
    relay.administrator().post("/admin/cloud-configs", { terminalId, merchantId });

  /** Until everything that was posted for the terminal is in ClickHouse. */
  async function fed(terminalId: string, count: number): Promise<void> {
    const counted = `SELECT count() FROM relay.transactions FINAL WHERE terminal_id = '${terminalId}'`;
    await eventually(async () => assert.deepEqual(await rows(counted), [String(count)]));
  }

  async function taken(terminalId: string): Promise<string> {
    const uuid = relay.uuid();
    assert.equal((await relay.partner().pay(terminalId, { uuid })).status, 200);
    assert.equal((await relay.fleet().take(terminalId)).status, 200);
    return uuid;
  }

  async function posted(terminalId: string, uuid: string, members: object = {}): Promise<void> {
    const answer = await relay.fleet().receipt(terminalId, { uuid, result: "OK", ...members });
    assert.equal(answer.status, 200, answer.text);
  }

  test("what a terminal says of itself shows in nobody's list: neither of one that is assigned to nobody, nor of a result that nobody asked for", async () => {
    const { merchantId } = await newMerchant(relay);
    const terminalId = relay.terminalId();
    for (const uuid of [await taken(terminalId), relay.uuid()]) await posted(terminalId, uuid, { merchantId });
    await fed(terminalId, 2);
    const said = await rows(`SELECT merchant_id FROM relay.transactions FINAL WHERE terminal_id = '${terminalId}'`);
    assert.deepEqual(said, [merchantId, merchantId]);
    assert.deepEqual(await listed(merchantId), []);
    // Nor later, when it gets the terminal.
    assert.equal((await configure(terminalId, merchantId)).status, 200);
    const own = await taken(terminalId);
    await posted(terminalId, own);
    await fed(terminalId, 3);
    await eventually(async () => assert.deepEqual(await listed(merchantId), [own]));
  });

  testOnNodes("a payment belongs to its terminal's merchant of when it was accepted, an unsolicited result of when it came", async () => {
    const [one, other] = [await newMerchant(relay), await newMerchant(relay)];
    const terminalId = relay.terminalId();
    const nobodys = await taken(terminalId);
    assert.equal((await configure(terminalId, one.merchantId)).status, 200);
    const ones = await taken(terminalId);
    assert.equal((await configure(terminalId, other.merchantId)).status, 200);
    const others = await taken(terminalId);
    const unsolicited = relay.uuid();
    for (const uuid of [nobodys, ones, others, unsolicited]) await posted(terminalId, uuid, { merchantId: one.merchantId });
    assert.equal((await other.partner.call("DELETE", `/merchants/${other.merchantId}`)).status, 200);
    const afterwards = await taken(terminalId);
    await posted(terminalId, afterwards);
    await fed(terminalId, 5);
    // ClickHouse shows a row in the table of all a moment before it has it in that of merchants.
    await eventually(async () => assert.deepEqual(await listed(one.merchantId), [ones]));
    const ofOther = [others, unsolicited, afterwards].sort();
    await eventually(async () => assert.deepEqual((await listed(other.merchantId)).sort(), ofOther));
  });

  test("rows of before this was kept are found by the next start, for terminals that their merchant has today", async (test) => {
    if (relay.clustered) return test.skip("the store is looked into while its only node is stopped");
    const { merchantId } = await newMerchant(relay);
    const [terminalId, elsewhere] = [relay.terminalId(), relay.terminalId()];
    const uuid = await taken(terminalId);
    await posted(terminalId, uuid, { merchantId });
    await posted(elsewhere, relay.uuid(), { merchantId });
    await fed(terminalId, 1);
    await fed(elsewhere, 1);
    assert.equal((await configure(terminalId, merchantId)).status, 200);
    await relay.restart(async (dataDirectory) => {
      // As the store of a version that kept none of it.
      const kv = await openEmbeddedKv({ directory: join(dataDirectory, "state"), nowMs: () => Date.now() });
      const noted = await loadShopsSince(kv);
      assert.ok(noted !== null);
      await kv.commit({ checks: [], operations: [{ type: "delete", key: "shop/since" }] });
      await kv.close();
    });
    await relay.clickhouse();
    await eventually(async () => assert.deepEqual(await listed(merchantId), [uuid]));
    assert.match(
      JSON.stringify(await rows(`SELECT merchant_id FROM relay.transactions WHERE terminal_id = '${elsewhere}'`)),
      new RegExp(merchantId),
    );
  });
}

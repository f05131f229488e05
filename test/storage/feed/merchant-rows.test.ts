import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { FeedRow, TransactionRow } from "../../../engine/payments/feed-row.ts";
import { connectClickHouse } from "../../../storage/clickhouse/client.ts";
import { migrate } from "../../../storage/clickhouse/migrate.ts";
import { clickHouseSink } from "../../../storage/feed/clickhouse-sink.ts";
import { decodeFeedMessage, encodeFeedMessage } from "../../../storage/feed/kafka/kafka-message.ts";
import { ADMIN, ask, sharedClickHouse } from "../clickhouse/clickhouse-world.ts";
import { START_MS, type TransactionMembers, transactionRow } from "./feed-world.ts";

function rowOf(members: TransactionMembers & { shop?: string; told?: string; kind?: TransactionRow["kind"] }): TransactionRow {
  const { shop, told, kind = "payment" } = members;
  const row = transactionRow(members);
  const transaction = told === undefined ? row.transaction : { ...row.transaction, merchantId: told };
  return { ...row, transaction, kind, unsolicited: kind === null, ...(shop === undefined ? {} : { shop }) };
}

describe("the merchants' table", async () => {
  const world = await sharedClickHouse();
  const client = connectClickHouse({ url: world.clickhouse.url, ...ADMIN });
  before(() => migrate(client));

  async function insert(...rows: FeedRow[]): Promise<void> {
    const insert = clickHouseSink(client).begin();
    for (const row of rows) insert.add(row);
    await insert.send();
  }

  async function listed(merchantId: string, columns = "uuid, amount_cents, status"): Promise<string> {
    const sql = `SELECT ${columns} FROM relay.merchant_transactions FINAL WHERE merchant_id = '${merchantId}' ORDER BY created_at, uuid`;
    return (await ask(world, sql, {}, ADMIN)).text;
  }

  it("has the rows that are a merchant's, as they are in the table of all", async () => {
    await insert(
      rowOf({ uuid: "a", terminalId: "OWN-1", shop: "SHOP-OWN", told: "ELSE" }),
      rowOf({ uuid: "b", terminalId: "OWN-2", shop: "SHOP-OWN", createdAtMs: START_MS + 1_000, kind: null }),
      rowOf({ uuid: "c", terminalId: "OWN-2", shop: "SHOP-ELSE" }),
    );
    assert.equal(
      await listed("SHOP-OWN", "uuid, terminal_id, unsolicited, command_kind, last4"),
      "a\tOWN-1\tfalse\tpayment\t1234\nb\tOWN-2\ttrue\t\t1234\n",
    );
    const columns = "day, created_at, uuid, terminal_id, version, method, status, amount_cents, currency, message, brand, entry, item";
    const all = await ask(world, `SELECT ${columns} FROM relay.transactions FINAL WHERE shop = 'SHOP-OWN' ORDER BY created_at`, {}, ADMIN);
    assert.equal(await listed("SHOP-OWN", columns), all.text);
    assert.match(await listed("SHOP-ELSE"), /^c\t/);
  });

  it("has none of what a terminal says of itself: neither of one that is assigned to nobody, nor of a result that nobody asked for", async () => {
    await insert(
      rowOf({ uuid: "unassigned", terminalId: "SAYS-1", told: "SHOP-SAID" }),
      rowOf({ uuid: "unsolicited", terminalId: "SAYS-2", told: "SHOP-SAID", kind: null }),
    );
    assert.equal(await listed("SHOP-SAID"), "");
    const { text } = await ask(world, "SELECT count() FROM relay.transactions WHERE merchant_id = 'SHOP-SAID'", {}, ADMIN);
    assert.equal(text, "2\n");
  });

  it("counts a row that comes again once, and a newer version in its place, in whatever order they come", async () => {
    const first = rowOf({ uuid: "v", terminalId: "VERSION", shop: "SHOP-V", status: "KO" });
    const second = rowOf({ uuid: "v", terminalId: "VERSION", shop: "SHOP-V", revision: 2, amountCents: 700 });
    await insert(second, first);
    assert.equal(await listed("SHOP-V"), "v\t700\tOK\n");
    await insert(first);
    await insert(first, second);
    assert.equal(await listed("SHOP-V"), "v\t700\tOK\n");
    await client.command({ query: "OPTIMIZE TABLE relay.merchant_transactions FINAL" });
    const { text } = await ask(world, "SELECT count() FROM relay.merchant_transactions WHERE merchant_id = 'SHOP-V'", {}, ADMIN);
    assert.equal(text, "1\n");
  });

  it("has no answers to SCAN, PRINT, CANCEL and administrators' commands", async () => {
    const kinds = ["scan", "print", "cancel", "administrative"] as const;
    await insert(...kinds.map((kind) => rowOf({ uuid: kind, terminalId: "KINDS", shop: "SHOP-KINDS", kind })));
    assert.equal(await listed("SHOP-KINDS"), "");
  });

  it("is filled by messages of Kafka too, of which those of the former version name nobody", async () => {
    const rows = [
      rowOf({ uuid: "new", terminalId: "KAFKA", shop: "SHOP-KAFKA" }),
      rowOf({ uuid: "former", terminalId: "KAFKA", told: "SHOP-KAFKA" }),
    ];
    for (const row of rows) {
      const read = decodeFeedMessage(encodeFeedMessage("o/1-w-1", JSON.stringify(row), 7));
      assert.ok(read.type === "row");
      await insert(read.row);
    }
    assert.equal(await listed("SHOP-KAFKA", "uuid"), "new\n");
  });

  it("has its name on lives too, where analysts see them as before", async () => {
    await insert({
      ...{
        type: "life",
        version: 1,
        uuid: "a",
        terminalId: "LIFE",
        kind: "payment",
        service: "PAYCC",
        amountCents: 1,
        sender: "partner:1",
      },
      ...{
        state: "unknown",
        acceptedAtMs: START_MS,
        sentAtMs: START_MS,
        finishedAtMs: START_MS,
        channel: "poll",
        attempt: 1,
        shop: "SHOP-L",
      },
    });
    assert.equal((await ask(world, "SELECT shop FROM relay.command_lives WHERE terminal_id = 'LIFE'", {}, ADMIN)).text, "SHOP-L\n");
    assert.equal((await ask(world, "SELECT count() FROM command_lives_final WHERE terminal_id = 'LIFE'")).text, "1\n");
  });
});

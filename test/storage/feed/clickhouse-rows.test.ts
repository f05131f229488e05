import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import fc from "fast-check";
import { wellFormedValue } from "../../../engine/kernel/well-formed.ts";
import type { ConflictRow, FeedRow, LifeRow, TransactionRow } from "../../../engine/payments/feed-row.ts";
import type { ObjectRow } from "../../../engine/payments/object-row.ts";
import { connectClickHouse } from "../../../storage/clickhouse/client.ts";
import { migrate } from "../../../storage/clickhouse/migrate.ts";
import { CONFLICTS, LIVES, OBJECTS, TRANSACTIONS } from "../../../storage/feed/clickhouse-rows.ts";
import { clickHouseSink, insertLines } from "../../../storage/feed/clickhouse-sink.ts";
import { deliver, RowsRefused } from "../../../storage/feed/feed-sink.ts";
import { LATEST_MS } from "../../../storage/feed/row-binary.ts";
import { ADMIN, sharedClickHouse } from "../clickhouse/clickhouse-world.ts";
import { refuseTransactions, START_MS, transactionRow } from "./feed-world.ts";

const SEED = Number(process.env["SEED"] ?? Date.now() % 1_000_000);

/** Rows of each type and run. */
const ROWS = 150;

const text = fc.oneof(
  fc.constantFrom(
    "",
    "\n\n",
    "\0",
    "'\"`\\",
    "\t\\N",
    "null",
    "€",
    "😀".repeat(60),
    "è".repeat(100),
    "x".repeat(127),
    "x".repeat(128),
    "\ud83d",
  ),
  fc.constantFrom("a\n\n; DROP TABLE relay.transactions; ", "x".repeat(32_768), '{"a":"\\n"}'),
  fc.string({ unit: "binary", maxLength: 50 }),
  fc.string({ maxLength: 200 }),
);
const optional = fc.option(text, { nil: undefined });
const orNull = fc.option(text, { nil: null });
const time = fc.oneof(fc.constantFrom(0, 1, LATEST_MS - 1, START_MS), fc.integer({ min: 0, max: LATEST_MS - 1 }));
const amount = fc.oneof(fc.constantFrom(0, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER), fc.maxSafeInteger());
const count = fc.oneof(fc.constantFrom(0, Number.MAX_SAFE_INTEGER), fc.maxSafeNat());
const words = <W extends string>(...all: W[]) => fc.constantFrom(...all);
const absent = fc.constant(undefined);
const freeForm = fc.option(fc.dictionary(text, fc.oneof(text, fc.constant([{ a: 1.5, b: null }])), { maxKeys: 4 }), { nil: undefined });

const transaction: fc.Arbitrary<TransactionRow> = fc
  .record({
    version: count,
    storeVersion: fc.oneof(count, absent),
    kind: fc.constantFrom("payment", "scan", null),
    sender: text,
    unsolicited: fc.boolean(),
    amountDiffers: fc.boolean(),
    shop: optional,
    transaction: fc.record({
      uuid: text,
      createdAtMs: time,
      method: words("CARD", "SATISPAY", "SCAN", "PRINT", "UNKNOWN"),
      status: words("OK", "KO"),
      amountCents: amount,
      currency: text,
      terminalId: text,
      merchantId: optional,
      message: optional,
      auth: fc.oneof(absent, fc.record({ authCode: optional, stan: optional, actionCode: optional })),
      card: fc.oneof(absent, fc.record({ brand: optional, maskedPan: optional, entry: words("MAN", "ICC", "NFC") })),
      satispay: fc.oneof(
        absent,
        fc.record({ paymentId: optional, status: optional, outcome: optional, store: optional, codeIdentifier: optional }),
      ),
      provider: fc.oneof(absent, fc.record({ name: optional, model: optional, clientVersion: optional })),
      voucher: freeForm,
      receipt: freeForm,
      scan: fc.oneof(absent, fc.record({ scannedValue: orNull, barcodeFormat: orNull, scanResult: words("OK", "ERROR") })),
      print: fc.oneof(absent, fc.record({ printResult: words("OK", "KO"), errorDescription: orNull })),
    }),
  })
  .map((row) => stored<TransactionRow>({ type: "transaction", ...row }));

const life: fc.Arbitrary<LifeRow> = fc
  .record({
    version: count,
    storeVersion: fc.oneof(count, absent),
    uuid: text,
    terminalId: text,
    kind: words("payment", "print"),
    service: text,
    amountCents: amount,
    sender: text,
    state: words("done", "unknown", "expired", "cancelled"),
    acceptedAtMs: time,
    sentAtMs: fc.oneof(fc.constant(null), time),
    finishedAtMs: time,
    channel: fc.constantFrom("websocket", "poll", null),
    attempt: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    shop: optional,
  })
  .map((row) => stored<LifeRow>({ type: "life", ...row }));

const conflict: fc.Arbitrary<ConflictRow> = fc
  .record({ id: text, uuid: text, terminalId: text, postedBy: text, atMs: time, raw: text })
  .map((row) => ({ type: "conflict", ...row }));

const nullableTime = fc.oneof(fc.constant(null), time);

const object: fc.Arbitrary<ObjectRow> = fc
  .record({
    version: count,
    storeVersion: fc.oneof(count, absent),
    ...{
      merchantId: text,
      livemode: fc.boolean(),
      object: words("link", "refund", "dispute", "alert", "subscription", "charge"),
      id: text,
    },
    ...{ createdAtMs: time, state: text, category: text, reason: text, amountMinor: amount, currency: text, uuid: text, parent: text },
    ...{ attempt: fc.integer({ min: 0, max: 2 ** 32 - 1 }), dueAtMs: nullableTime, activeAtMs: nullableTime, endedAtMs: nullableTime },
    monthlyMinor: amount,
  })
  .map((row) => stored<ObjectRow>({ type: "object", ...row }));

/** As it is read from the store: what is undefined is not there. */
function stored<Row extends FeedRow>(row: object): Row {
  return JSON.parse(JSON.stringify(row));
}

/** `YYYY-MM-DD hh:mm:ss.mmm` */
function shown(ms: number): string {
  return new Date(ms).toISOString().slice(0, 23).replace("T", " ");
}

/** The same columns, as ClickHouse reads them from JSON. */
function jsonRow(row: FeedRow): { [column: string]: unknown } {
  if (row.type === "conflict") {
    const { terminalId, id, uuid, atMs, postedBy, raw } = row;
    return { terminal_id: terminalId, day: shown(atMs).slice(0, 10), id, uuid, at: shown(atMs), posted_by: postedBy, raw };
  }
  if (row.type === "object") {
    const { version, merchantId, livemode, id, createdAtMs, state, category, reason, amountMinor, currency, uuid, parent, attempt } = row;
    const at = (ms: number | null) => (ms === null ? null : shown(ms));
    return {
      ...{ version, merchant_id: merchantId, livemode, object: row.object, id, day: shown(createdAtMs).slice(0, 10) },
      ...{ created_at: shown(createdAtMs), state, category, reason, amount_minor: amountMinor, currency, uuid, parent, attempt },
      ...{ due_at: at(row.dueAtMs), active_at: at(row.activeAtMs), ended_at: at(row.endedAtMs), monthly_minor: row.monthlyMinor },
      store_version: row.storeVersion,
    };
  }
  const shared = { version: row.version, sender: row.sender, shop: row.shop, store_version: row.storeVersion };
  if (row.type === "life") {
    const { terminalId, uuid, kind, service, amountCents, state, acceptedAtMs, sentAtMs, finishedAtMs, channel, attempt } = row;
    const times = {
      accepted_at: shown(acceptedAtMs),
      sent_at: sentAtMs === null ? null : shown(sentAtMs),
      finished_at: shown(finishedAtMs),
    };
    const day = shown(acceptedAtMs).slice(0, 10);
    return { ...shared, ...times, day, terminal_id: terminalId, uuid, kind, service, amount_cents: amountCents, state, channel, attempt };
  }
  const { auth, card, satispay, provider, scan, print, ...plain } = row.transaction;
  return {
    ...shared,
    ...{
      terminal_id: plain.terminalId,
      uuid: plain.uuid,
      created_at: shown(plain.createdAtMs),
      day: shown(plain.createdAtMs).slice(0, 10),
    },
    ...{ method: plain.method, status: plain.status, amount_cents: plain.amountCents, currency: plain.currency },
    ...{ merchant_id: plain.merchantId, message: plain.message, command_kind: row.kind },
    ...{ unsolicited: row.unsolicited, amount_differs: row.amountDiffers },
    ...{ auth_code: auth?.authCode, stan: auth?.stan, action_code: auth?.actionCode },
    ...{ brand: card?.brand, masked_pan: card?.maskedPan, entry: card?.entry },
    ...{ satispay_payment_id: satispay?.paymentId, satispay_status: satispay?.status, satispay_outcome: satispay?.outcome },
    ...{ satispay_store: satispay?.store, satispay_code_identifier: satispay?.codeIdentifier },
    ...{ provider_name: provider?.name, provider_model: provider?.model, provider_client_version: provider?.clientVersion },
    ...{ voucher: plain.voucher && JSON.stringify(plain.voucher), receipt: plain.receipt && JSON.stringify(plain.receipt) },
    ...{ scanned_value: scan?.scannedValue, barcode_format: scan?.barcodeFormat, scan_result: scan?.scanResult },
    ...{ print_result: print?.printResult, print_error: print?.errorDescription, item: JSON.stringify(row.transaction) },
  };
}

describe("rows as they are inserted", async () => {
  const world = await sharedClickHouse();
  const client = connectClickHouse({ url: world.clickhouse.url, ...ADMIN });
  const tables = [TRANSACTIONS, LIVES, CONFLICTS, OBJECTS].map(({ table }) => table);

  before(async () => {
    await migrate(client);
    for (const table of tables) await client.command({ query: `CREATE TABLE relay.${table}_json AS relay.${table}` });
  });

  async function lines(query: string): Promise<string[]> {
    const result = await client.query({ query, format: "JSONCompactEachRow" });
    return (await result.text()).split("\n").filter((line) => line !== "");
  }

  it(`are in ClickHouse what JSON of them would be (seed ${SEED})`, async () => {
    for (const [index, rows] of [
      fc.sample<FeedRow>(transaction, { seed: SEED, numRuns: ROWS }),
      fc.sample<FeedRow>(life, { seed: SEED, numRuns: ROWS }),
      fc.sample<FeedRow>(conflict, { seed: SEED, numRuns: ROWS }),
      fc.sample<FeedRow>(object, { seed: SEED, numRuns: ROWS }),
    ].entries()) {
      const table = tables[index];
      await deliver(clickHouseSink(client), rows);
      const json = rows.map((row) => `${JSON.stringify(jsonRow(wellFormedValue(row)))}\n`);
      await insertLines(client, `${table}_json`, [Buffer.from(json.join(""))]);
      const columns = "* EXCEPT (fed_at)";
      const binary = await lines(`SELECT ${columns} FROM relay.${table} ORDER BY ALL`);
      assert.ok(binary.length > ROWS / 2, "most rows have a key of their own");
      assert.deepEqual(binary, await lines(`SELECT ${columns} FROM relay.${table}_json ORDER BY ALL`));
      // Of these nobody asks when they came.
      if (table === OBJECTS.table) continue;
      const [fed] = await lines(`SELECT min(fed_at) > now() - 60 FROM relay.${table}`);
      assert.equal(fed, "[1]");
    }
  });

  it("name every column of their table but aliases and the one that says when they came", async () => {
    for (const { table, columns } of [TRANSACTIONS, LIVES, CONFLICTS, OBJECTS]) {
      const found = await lines(
        `SELECT name FROM system.columns WHERE database = 'relay' AND table = '${table}' AND name != 'fed_at' AND default_kind != 'ALIAS' ORDER BY name`,
      );
      assert.deepEqual(
        [...columns].sort(),
        found.flatMap((line) => JSON.parse(line)),
        table,
      );
    }
  });

  it("are refused before they are sent where a value is not as its column wants it, and the others go", async () => {
    const good = transactionRow({ uuid: "good", terminalId: "WRONG" });
    const lifeRow = stored<LifeRow>({
      ...{
        type: "life",
        version: 1,
        uuid: "good",
        terminalId: "WRONG",
        kind: "payment",
        service: "",
        amountCents: 1,
        sender: "",
        state: "done",
      },
      ...{ acceptedAtMs: START_MS, sentAtMs: null, finishedAtMs: START_MS, channel: null, attempt: 0 },
    });
    const wrong: object[] = [
      { ...good, transaction: { ...good.transaction, amountCents: 2 ** 53 } },
      { ...good, transaction: { ...good.transaction, amountCents: null } },
      { ...good, transaction: { ...good.transaction, message: 5 } },
      { ...good, transaction: { ...good.transaction, createdAtMs: -1 } },
      { ...good, transaction: { ...good.transaction, auth: { stan: {} } } },
      { ...good, transaction: undefined },
      { ...good, unsolicited: "false" },
      { ...good, version: -1 },
      { ...good, storeVersion: 1.5 },
      { ...lifeRow, attempt: 2 ** 32 },
      { ...lifeRow, attempt: undefined },
      { ...lifeRow, sentAtMs: undefined },
      { type: "conflict", id: "a" },
      { type: "object", version: 1, merchantId: "WRONG" },
      { type: "receipt" },
    ];
    const insert = clickHouseSink(client).begin();
    for (const [index, row] of wrong.entries()) {
      assert.throws(() => Reflect.apply(insert.add, insert, [row]), RowsRefused, JSON.stringify(row));
      if (index === 3) insert.add(good);
    }
    insert.add(lifeRow);
    await insert.send();
    for (const table of ["transactions", "command_lives"]) {
      assert.deepEqual(await lines(`SELECT uuid FROM relay.${table} WHERE terminal_id = 'WRONG'`), ['["good"]'], table);
    }
    assert.deepEqual(await lines("SELECT uuid FROM relay.conflicts WHERE terminal_id = 'WRONG'"), []);
    assert.deepEqual(await lines("SELECT id FROM relay.merchant_objects WHERE merchant_id = 'WRONG'"), []);
  });

  it("are refused where ClickHouse does not accept one of them, without a word of it", async () => {
    await refuseTransactions(client);
    const rows = ["partner:1", "refused"].map((sender, index) => transactionRow({ uuid: `v${index}`, terminalId: "VIEW", sender }));
    await assert.rejects(deliver(clickHouseSink(client), rows), (error) => {
      assert.ok(error instanceof RowsRefused);
      assert.match(error.message, /^ClickHouse refused the row for transactions: code 6 \(\w+\)$/);
      return true;
    });
    await deliver(clickHouseSink(client), rows.slice(0, 1));
    assert.deepEqual(await lines("SELECT uuid FROM relay.transactions WHERE terminal_id = 'VIEW'"), ['["v0"]']);
  });
});

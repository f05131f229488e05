import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { connectClickHouse } from "../../../storage/clickhouse/client.ts";
import { migrate, readMigrations, SchemaTooNew } from "../../../storage/clickhouse/migrate.ts";
import { ADMIN, ask, startClickHouse } from "./clickhouse-world.ts";

describe("the schema", () => {
  it("is made once, is kept, and is refused when it is newer than the program", async (test) => {
    const world = await startClickHouse();
    test.after(() => world.stop());
    const client = connectClickHouse({ url: world.clickhouse.url, ...ADMIN });
    test.after(() => client.close());
    const known = await readMigrations();

    assert.deepEqual(
      await migrate(client),
      known.map(({ version }) => version),
    );
    assert.deepEqual(await migrate(client), []);
    assert.equal((await ask(world, "SHOW TABLES")).text.split("\n").filter((name) => name !== "").length, 19);
    assert.equal((await ask(world, "SELECT count() FROM transactions_daily")).text, "0\n");

    const later = {
      version: known.length + 1,
      name: "later",
      statements: ["CREATE TABLE IF NOT EXISTS relay.later (a Int8) ENGINE = Memory"],
    };
    assert.deepEqual(await migrate(client, [...known, later]), [later.version]);
    await assert.rejects(migrate(client), SchemaTooNew);
  });

  it("syncs what is inserted, and what merges make of it", async (test) => {
    const world = await startClickHouse();
    test.after(() => world.stop());
    const client = connectClickHouse({ url: world.clickhouse.url, ...ADMIN });
    test.after(() => client.close());
    await migrate(client);
    for (const table of ["transactions", "command_lives", "conflicts", "merchant_transactions", "merchant_objects"]) {
      const { text } = await ask(world, `SHOW CREATE TABLE ${table} FORMAT TSVRaw`);
      assert.match(text, /fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1/);
    }
  });

  it("keeps what the views show, and makes no view anew that shows more", async (test) => {
    const world = await startClickHouse();
    test.after(() => world.stop());
    const client = connectClickHouse({ url: world.clickhouse.url, ...ADMIN });
    test.after(() => client.close());
    const columns = async (view: string) =>
      (await ask(world, `SELECT name FROM system.columns WHERE table = '${view}' ORDER BY position`)).text;
    await migrate(client, (await readMigrations()).slice(0, 2));
    const before = await columns("command_lives_final");
    await migrate(client);
    assert.match(before, /took_ms/);
    // Amounts have one more name.
    const after = (await columns("command_lives_final")).split("\n");
    assert.deepEqual(
      after.filter((name) => name !== "amount_minor"),
      before.split("\n"),
    );
  });

  it("has a comment on every table, view and column", async (test) => {
    const world = await startClickHouse();
    test.after(() => world.stop());
    const client = connectClickHouse({ url: world.clickhouse.url, ...ADMIN });
    test.after(() => client.close());
    await migrate(client);
    const without = await ask(world, "SELECT table, name FROM system.columns WHERE database = 'relay' AND comment = ''");
    assert.equal(without.text, "");
    assert.equal((await ask(world, "SELECT name FROM system.tables WHERE database = 'relay' AND comment = ''")).text, "");
    const [comment] = (
      await ask(world, "SELECT comment FROM system.columns WHERE table = 'transactions_final' AND name = 'merchant_id'")
    ).text.split("\n");
    assert.match(comment ?? "", /what the terminal said/i);
  });

  it("can be selected from, every table and view with all of its columns", async (test) => {
    const world = await startClickHouse();
    test.after(() => world.stop());
    const client = connectClickHouse({ url: world.clickhouse.url, ...ADMIN });
    test.after(() => client.close());
    await migrate(client);
    const names = (await ask(world, "SELECT name FROM system.tables WHERE database = 'relay' AND name != 'reconciliation_in'")).text;
    const tables = names.trim().split("\n");
    assert.ok(tables.includes("reconciliation") && tables.includes("payments_final"), names);
    for (const table of tables) {
      const { status, text } = await ask(world, `SELECT * FROM ${table} LIMIT 1`);
      assert.equal(status, 200, `${table}: ${text}`);
    }
  });

  it("says of rows of before by the lives of their commands whether they are payments, in both tables", async (test) => {
    const world = await startClickHouse();
    test.after(() => world.stop());
    const client = connectClickHouse({ url: world.clickhouse.url, ...ADMIN });
    test.after(() => client.close());
    await migrate(client, (await readMigrations()).slice(0, 8));
    const at = "'2026-10-24', '2026-10-24 10:00:00'";
    const result = (uuid: string, method: string, kind: string, shop: string, status = "OK") =>
      `('T1', ${at}, '${uuid}', 5, '${method}', '${status}', 700, 'EUR', '${kind}', '${shop}')`;
    await client.command({
      query: `INSERT INTO relay.transactions (terminal_id, day, created_at, uuid, version, method, status, amount_cents, currency, command_kind, shop) VALUES
        ${result("paid", "CARD", "payment", "SHOP")}, ${result("as-receipt", "RECEIPT", "payment", "SHOP")}, ${result("check", "CARD", "payment", "SHOP")},
        ${result("check-of-before", "CARD", "payment", "")}, ${result("unasked", "SATISPAY", "", "SHOP")}, ${result("receipt", "RECEIPT", "", "SHOP")},
        ${result("cancel", "UNKNOWN", "cancel", "SHOP")}, ${result("scan", "SCAN", "scan", "SHOP")}`,
    });
    // A row that was copied to its merchant later.
    await client.command({
      query: `INSERT INTO relay.merchant_transactions (merchant_id, day, created_at, uuid, terminal_id, version, method, status, amount_cents, currency, command_kind)
        VALUES ('SHOP', ${at}, 'check-of-before', 'T1', 5, 'CARD', 'OK', 700, 'EUR', 'payment')`,
    });
    const life = (uuid: string, service: string, terminal = "T1") =>
      `('${terminal}', '2026-10-23', '${uuid}', 5, '${service}', 'payment', 'done')`;
    await client.command({
      query: `INSERT INTO relay.command_lives (terminal_id, day, uuid, version, service, kind, state) VALUES
        ${life("paid", "PAYCC")}, ${life("as-receipt", "PAYTAG")}, ${life("check", "VERIFYTAG")}, ${life("check-of-before", "VERIFYTAG")},
        ${life("paid", "VERIFYTAG", "T2")}`,
    });
    await migrate(client);
    const payments = ["as-receipt", "paid", "unasked"].join("\n");
    assert.equal((await ask(world, "SELECT uuid FROM payments_final ORDER BY uuid")).text.trim(), payments);
    assert.equal((await ask(world, "SELECT uuid FROM merchant_transactions FINAL WHERE is_payment ORDER BY uuid")).text.trim(), payments);
    assert.equal(
      (await ask(world, "SELECT uuid FROM transactions_final WHERE service = 'VERIFYTAG' ORDER BY uuid")).text.trim(),
      "check\ncheck-of-before",
    );
    assert.equal((await ask(world, "SELECT count() FROM merchant_transactions FINAL")).text.trim(), "6");
    // Both names of an amount, old and new.
    const sums = "SELECT sum(amount_minor) = sum(amount_cents), sum(amount_minor) FROM transactions_final";
    assert.equal((await ask(world, sums)).text.trim(), "1\t5600");
    // A crash in its middle changes nothing when it is run again.
    for (const query of (await readMigrations()).slice(8).flatMap(({ statements }) => statements)) await client.command({ query });
    assert.equal((await ask(world, "SELECT uuid FROM payments_final ORDER BY uuid")).text.trim(), payments);
  });

  it("goes on where a crash left a step half done", async (test) => {
    const world = await startClickHouse();
    test.after(() => world.stop());
    const client = connectClickHouse({ url: world.clickhouse.url, ...ADMIN });
    test.after(() => client.close());
    const [first] = await readMigrations();
    await client.command({ query: first?.statements[0] ?? "" });
    assert.equal((await migrate(client)).length, (await readMigrations()).length);
  });
});

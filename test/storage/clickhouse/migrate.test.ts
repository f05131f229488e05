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
    assert.equal((await ask(world, "SHOW TABLES")).text.split("\n").filter((name) => name !== "").length, 15);
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
    assert.equal(await columns("command_lives_final"), before);
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

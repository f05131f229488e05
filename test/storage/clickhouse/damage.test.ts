import assert from "node:assert/strict";
import { readdir, truncate } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { ClickHouseError } from "@clickhouse/client";
import { connectClickHouse } from "../../../storage/clickhouse/client.ts";
import { createDamageWatch, type Damage } from "../../../storage/clickhouse/damage.ts";
import { ManualClock } from "../../engine/world.ts";
import { eventually } from "../../support/within.ts";
import { ADMIN, ask, type ClickHouseWorld, startClickHouse } from "./clickhouse-world.ts";

function watchOf(clock = new ManualClock(), tell: (damage: Damage) => Promise<void> = async () => undefined) {
  const told: Damage[] = [];
  const watch = createDamageWatch({
    clock,
    client: () => null,
    tell: async (damage) => {
      told.push(damage);
      await tell(damage);
    },
  });
  return { watch, told, clock };
}

const failure = (code: string, message: string) => new ClickHouseError({ code, message, type: "" });

const PART_OF_TABLE =
  "Cannot read all data: (while reading from part <data>/data/store/ca8/ca8be691/202611_1_1_0/ in table relay.transactions (ca8be691) located on disk default)";

/** Makes the files with the columns of a table's parts empty. */
async function emptyParts(world: ClickHouseWorld): Promise<void> {
  const store = join(world.directory, "data", "store");
  const files = (await readdir(store, { recursive: true })).filter((file) => /all_\d+_\d+_\d+[^/]*\/[^/]*\.bin$/.test(file));
  assert.ok(files.length > 0);
  for (const file of files) await truncate(join(store, file), 0);
}

describe("what ClickHouse cannot read", () => {
  it("is told once for each part, by the failures of statements that are about its files", async () => {
    const { watch, told } = watchOf();
    for (const other of [
      new Error("reset"),
      failure("62", "Syntax error"),
      failure("159", "Timeout exceeded"),
      failure("33", "Cannot read all data"),
    ]) {
      watch.note(other);
    }
    assert.equal(watch.canRead(), true);
    watch.note(failure("33", PART_OF_TABLE));
    watch.note(failure("40", PART_OF_TABLE));
    watch.note(failure("243", "Not enough space"));
    assert.deepEqual(told, [
      { table: "transactions", part: "202611_1_1_0", code: "33" },
      { table: null, part: null, code: "243" },
    ]);
    assert.deepEqual([watch.canRead(), watch.count()], [false, 2]);
  });

  it("is told again when it is met again, where it could not be told", async () => {
    let fails = true;
    const { watch, told } = watchOf(new ManualClock(), async () => {
      if (fails) throw new Error("the store is away");
    });
    watch.note(failure("33", PART_OF_TABLE));
    await new Promise((resolve) => setImmediate(resolve));
    fails = false;
    watch.note(failure("33", PART_OF_TABLE));
    watch.note(failure("33", PART_OF_TABLE));
    assert.equal(told.length, 2);
  });

  it("is remembered up to a bound", () => {
    const { watch } = watchOf();
    for (let part = 0; part < 500; part += 1) watch.note(failure("33", PART_OF_TABLE.replace("_1_1_0", `_${part}_${part}_0`)));
    assert.equal(watch.count(), 20);
  });

  it("is over when the part was dropped, and a failure without a part when nothing has failed for a while", async (test) => {
    const world = await startClickHouse();
    test.after(() => world.stop());
    const clock = new ManualClock();
    const told: Damage[] = [];
    const watch = createDamageWatch({ clock, client: () => client, tell: async (damage) => void told.push(damage) });
    const client = connectClickHouse({ url: world.clickhouse.url, ...ADMIN }, { onFailure: watch.note });
    test.after(() => client.close());
    const run = async (sql: string) => {
      const { status, text } = await ask(world, sql, {}, ADMIN);
      assert.equal(status, 200, text);
    };
    await run("CREATE TABLE relay.t (a UInt64, b String) ENGINE = ReplacingMergeTree ORDER BY a");
    await run("INSERT INTO relay.t SELECT number, toString(number) FROM numbers(1000)");
    await run("SYSTEM STOP MERGES relay.t");
    await run("INSERT INTO relay.t SELECT number, toString(number) FROM numbers(1000, 1000)");
    await emptyParts(world);
    await assert.rejects(client.query({ query: "SELECT sum(a), max(b) FROM relay.t" }));
    assert.equal(watch.canRead(), false);
    const [damage] = told;
    assert.ok(damage?.table === "t" && /^all_/.test(damage.part ?? ""), JSON.stringify(told));
    // As long as it is there it stays so, however often it is looked at.
    const looks = async () => {
      clock.advance(10_000);
      watch.canRead();
      await client.ping();
      return watch.canRead();
    };
    assert.equal(await looks(), false);
    const parts = (await ask(world, "SELECT name FROM system.parts WHERE table = 't' AND active", {}, ADMIN)).text.trim().split("\n");
    for (const part of parts) await run(`ALTER TABLE relay.t DROP PART '${part}'`);
    watch.note(failure("243", "Not enough space"));
    clock.advance(300_001);
    await eventually(async () => assert.equal(await looks(), true));
    assert.equal(watch.count(), 0);
  });
});

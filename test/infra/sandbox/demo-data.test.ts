import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { demoMonth } from "../../../infra/sandbox/demo-data/month.ts";
import { startTestNode } from "../../support/node/node.ts";

const run = promisify(execFile);

const OPTIONS = {
  seed: 1,
  fromMs: Date.UTC(2026, 9, 1),
  untilMs: Date.UTC(2026, 9, 31),
  timeZone: "Europe/Rome",
  terminalIds: ["A", "B"] as const,
};

test("a month is the same for the same seed, in order, within its days and the shop's hours, and closed on Mondays", () => {
  const month = demoMonth(OPTIONS);
  assert.deepEqual(demoMonth(OPTIONS), month);
  assert.notDeepEqual(demoMonth({ ...OPTIONS, seed: 2 }), month);
  assert.ok(month.length > 1_000 && month.length < 4_000, String(month.length));
  const local = new Intl.DateTimeFormat("en-GB", { timeZone: OPTIONS.timeZone, weekday: "short", hour: "2-digit", hourCycle: "h23" });
  for (const [index, { atMs, amountCents, terminalId }] of month.entries()) {
    assert.ok(atMs >= OPTIONS.fromMs && atMs < OPTIONS.untilMs);
    assert.ok(atMs >= (month[index - 1]?.atMs ?? 0), "in order");
    assert.ok(amountCents >= 100 && amountCents < 20_000);
    const [day, hour] = local.format(atMs).split(/[^A-Za-z0-9]+/);
    assert.notEqual(day, "Mon");
    assert.ok(Number(hour) >= (terminalId === "B" ? 12 : 7) && Number(hour) < 22, `${hour} on ${terminalId}`);
  }
});

test("demo data is paid through the relay, belongs to the shop, and is refused where there is data", async () => {
  const folder = await mkdtemp(join(tmpdir(), "relay-demo-"));
  const env = { ...process.env, RELAY_DATA_DIR: join(folder, "data"), RELAY_SHARDS: "1" };
  const fill = () => run(process.execPath, ["--import", "tsx", "infra/cli/demo-data.ts", "--days", "3", "--seed", "7"], { env });
  try {
    const { stdout } = await fill();
    const paid = Number(/(\d+) payments of 3 days/.exec(stdout)?.[1]);
    assert.ok(paid > 0, stdout);
    await assert.rejects(fill(), /has data already/);
    const node = await startTestNode({}, env.RELAY_DATA_DIR);
    try {
      const url = await node.clickhouse;
      assert.ok(url !== null);
      const { stdout: rows } = await run(
        process.execPath,
        [
          "--import",
          "tsx",
          "infra/cli/sql.ts",
          "--format",
          "TSV",
          "select merchant_id, count() from relay.merchant_transactions group by merchant_id",
        ],
        { env },
      );
      assert.equal(rows.trim(), `SHOP-001\t${paid}`);
    } finally {
      await node.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { describe, it, type TestContext } from "node:test";
import type { Operation } from "../../engine/kernel/kv.ts";
import { outboxOperation } from "../../engine/payments/outbox.ts";
import { readAnalystAccess } from "../../storage/clickhouse/analyst-access.ts";
import { setAsideOperations } from "../../storage/feed/set-aside.ts";
import { openKv, transactionRow } from "../storage/feed/feed-world.ts";
import { atEnd } from "../storage/kv/world.ts";
import { eventually } from "../support/within.ts";
import { type NodeProcess, placeOf, startNodeProcess } from "./node-process.ts";
import { ADMINISTRATOR, member, RelayCaller } from "./relay-caller.ts";

const TERMINAL = "REFUSED1";
const ROOT = resolve(import.meta.dirname, "../..");

/** What operators are told of the terminal's rows, by uuid, and how many rows the dashboard says are set aside. */
async function shown(caller: RelayCaller): Promise<{ told: unknown[]; setAside: unknown }> {
  const attention = await caller.get("/admin/attention?limit=500", ADMINISTRATOR);
  const items: unknown = member(attention?.body, "data");
  assert.ok(Array.isArray(items), attention?.text);
  const told = items.filter((item) => member(item, "kind") === "feed_refused" && member(item, "terminalId") === TERMINAL);
  const dashboard = await caller.get("/admin/dashboard", ADMINISTRATOR);
  return { told: told.map((item) => member(item, "uuid")), setAside: member(dashboard?.body, "data", "outbox", "setAside") };
}

/** Puts into the store of a stopped node what another version, or a fault, would have left there. */
async function commit(dataDirectory: string, operations: readonly Operation[]): Promise<void> {
  const kv = await openKv(join(dataDirectory, "state"));
  for (const operation of operations) await kv.commit({ checks: [], operations: [operation] });
  await kv.close();
}

async function stop(node: NodeProcess): Promise<void> {
  node.signal("SIGTERM");
  assert.equal((await node.exited).code, 0, node.output());
}

async function startedNode(test: TestContext, place: { port: number; dataDirectory: string }): Promise<NodeProcess> {
  const node = startNodeProcess(test, { ...place, environment: { RELAY_SHARDS: "1" } });
  await node.ready();
  return node;
}

describe("a row that ClickHouse refuses", { skip: missingClickHouse() }, () => {
  it("is an error in the log, in attention and on the dashboard, until the rebuild has sent it again", {
    timeout: 240_000,
  }, async (test) => {
    const place = await placeOf(test);
    const caller = new RelayCaller(`http://127.0.0.1:${place.port}`);
    atEnd(test, () => caller.close());
    await stop(await startedNode(test, place));

    const half = transactionRow({ uuid: "half", terminalId: TERMINAL });
    const value = JSON.stringify({ ...half, transaction: { ...half.transaction, message: "ok \ud83d" } });
    await commit(place.dataDirectory, [
      outboxOperation(transactionRow({ uuid: "beyond", terminalId: TERMINAL, amountCents: 1e30 }), Date.now(), "w1-1"),
      outboxOperation(transactionRow({ uuid: "good", terminalId: TERMINAL }), Date.now(), "w1-2"),
      ...setAsideOperations({ key: "o/1778050000000-w1-1", value }, "ClickHouse refused the row for transactions: code 26", Date.now()),
    ]);

    const node = await startedNode(test, place);
    await eventually(async () => assert.deepEqual(await shown(caller), { told: ["beyond", "half"], setAside: 2 }), 60_000);
    const line = await eventually(() => {
      const lines = node.output().split("\n");
      return lines.find((each) => each.includes("feed row refused")) ?? assert.fail("the log says nothing of it");
    });
    const { level, uuid, terminalId, rowType, reason } = JSON.parse(line);
    assert.deepEqual([level, uuid, terminalId, rowType], [50, "beyond", TERMINAL, "transaction"]);
    assert.equal(reason, "the column amount_cents cannot hold its value");
    assert.ok(!node.output().includes("1e+30"), "the log quotes the row");
    await stop(node);

    const program = ["--import", "tsx", "infra/cli/rebuild-analytics.ts", "--data-dir", place.dataDirectory];
    const child = spawn(process.execPath, program, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"], env: { PATH: process.env["PATH"] } });
    const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
    assert.match(output, /^Done: .*\(1 had been set aside\), 1 refused\.\n$/);
    assert.match(errors, /^left out beyond: the column amount_cents cannot hold its value/m);
    assert.equal(code, 1);

    await startedNode(test, place);
    await eventually(async () => assert.deepEqual(await shown(caller), { told: ["beyond"], setAside: 1 }), 60_000);
    const found = await eventually(async () => {
      // Until its ClickHouse has started, the folder names that of the node before.
      const access = (await readAnalystAccess(place.dataDirectory)) ?? assert.fail("no ClickHouse yet");
      const headers = { "x-clickhouse-user": access.username, "x-clickhouse-key": access.password };
      const query = `SELECT uuid, message FROM relay.transactions_final WHERE terminal_id = '${TERMINAL}' AND uuid != 'good'`;
      const response = await fetch(access.url, { method: "POST", headers, body: query });
      const answer = await response.text();
      assert.equal(response.status, 200, answer);
      return answer;
    });
    assert.equal(found, "half\tok \ufffd\n");
  });
});

function missingClickHouse(): string | false {
  try {
    createRequire(import.meta.url).resolve("chdb");
    return false;
  } catch {
    return "chdb, an optional dependency, is not installed";
  }
}

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readdir, truncate } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { describe, it, type TestContext } from "node:test";
import { atEnd } from "../storage/kv/world.ts";
import { CREDENTIALS, HttpClient } from "../support/http/http-client.ts";
import { eventually } from "../support/within.ts";
import { type NodeProcess, placeOf, startNodeProcess } from "./node-process.ts";
import { ADMINISTRATOR, member, PARTNER, RelayCaller } from "./relay-caller.ts";

const TERMINAL = "DAMAGED1";
const ROOT = resolve(import.meta.dirname, "../..");

interface Place {
  port: number;
  dataDirectory: string;
}

async function startedNode(test: TestContext, place: Place): Promise<NodeProcess> {
  const node = startNodeProcess(test, { ...place, environment: { RELAY_SHARDS: "1" } });
  await node.ready();
  return node;
}

async function stop(node: NodeProcess): Promise<void> {
  node.signal("SIGTERM");
  assert.equal((await node.exited).code, 0, node.output());
}

/** The value of a metric of the node. */
async function metric({ url }: NodeProcess, name: string): Promise<number> {
  const scraped = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(scraped)?.[1]);
}

/** Tables of whose parts operators are told. */
async function damagedTables(caller: RelayCaller): Promise<string[]> {
  const attention = await caller.get("/admin/attention?limit=500", ADMINISTRATOR);
  const items: unknown = member(attention?.body, "data");
  assert.ok(Array.isArray(items), attention?.text);
  const told = items.filter((item) => member(item, "kind") === "clickhouse_damaged");
  return [...new Set(told.map((item) => String(member(item, "uuid")).split(".")[0] ?? ""))].sort();
}

/** As a full disk leaves them: the files with the columns of all parts of the relay's tables have no bytes. */
async function emptyParts(dataDirectory: string): Promise<void> {
  const store = join(dataDirectory, "clickhouse", "data", "store");
  const files = await readdir(store, { recursive: true });
  const columns = files.filter((file) => /_\d+_\d+_\d+[^/]*\/[^/]*\.bin$/.test(file));
  assert.ok(columns.length > 0, files.join("\n"));
  for (const file of columns) await truncate(join(store, file), 0);
}

describe("a ClickHouse whose files are empty", { skip: missingClickHouse() }, () => {
  it("is not up, is told to operators, and has all rows again after its parts were set aside and rebuilt", {
    timeout: 400_000,
  }, async (test) => {
    const place = await placeOf(test);
    const caller = new RelayCaller(`http://127.0.0.1:${place.port}`);
    atEnd(test, () => caller.close());
    const clientOf = (credentials: (typeof CREDENTIALS)["fleet" | "partner"]) =>
      new HttpClient(() => `http://127.0.0.1:${place.port}`, credentials, "127.8.9.1");
    const [fleet, partner] = [clientOf(CREDENTIALS.fleet), clientOf(CREDENTIALS.partner)];
    const uuid = randomUUID();
    const listed = () => caller.get(`/api/v1/${TERMINAL}/transactions`, PARTNER);

    const node = await startedNode(test, place);
    assert.equal((await partner.pay(TERMINAL, { uuid, amount: 700 })).status, 200);
    assert.equal((await fleet.poll(TERMINAL)).status, 200);
    assert.equal((await fleet.receipt(TERMINAL, { uuid, result: "OK", amount: 700 })).status, 200);
    await eventually(async () => assert.equal(await metric(node, "relay_clickhouse_up"), 1), 60_000);
    await eventually(async () => assert.equal(await metric(node, "relay_outbox_depth"), 0), 60_000);
    assert.equal(await metric(node, "relay_clickhouse_damaged_parts"), 0);
    await eventually(async () => assert.ok((await listed())?.text.includes(uuid)), 60_000);
    await emptyParts(place.dataDirectory);
    await eventually(async () => assert.equal((await listed())?.status, 503), 60_000);
    await eventually(async () => assert.equal(await metric(node, "relay_clickhouse_up"), 0), 60_000);
    assert.ok((await metric(node, "relay_clickhouse_damaged_parts")) > 0);
    await eventually(async () => assert.ok((await damagedTables(caller)).includes("transactions")), 60_000);
    await stop(node);

    // It starts without them, and says so: nothing else would tell that rows are missing.
    const again = await startedNode(test, place);
    await eventually(async () => assert.equal(await metric(again, "relay_clickhouse_up"), 1), 60_000);
    assert.ok((await metric(again, "relay_clickhouse_damaged_parts")) > 0);
    assert.ok((await damagedTables(caller)).includes("transactions"));
    await stop(again);

    const program = ["--import", "tsx", "infra/cli/rebuild-analytics.ts", "--data-dir", place.dataDirectory];
    const child = spawn(process.execPath, program, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"], env: { PATH: process.env["PATH"] } });
    const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
    assert.equal(code, 0, output + errors);

    await startedNode(test, place);
    await eventually(async () => {
      const answer = await listed();
      assert.equal(answer?.status, 200, answer?.text);
      assert.ok(answer?.text.includes(uuid), answer?.text);
    }, 60_000);
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

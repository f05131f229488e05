import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { FeedRow, LifeRow } from "../../../engine/payments/feed-row.ts";
import { rowVersion } from "../../../engine/payments/row-version.ts";
import type { FedCommand } from "../../../engine/terminals/fed-command.ts";
import { connectClickHouse } from "../../../storage/clickhouse/client.ts";
import { migrate } from "../../../storage/clickhouse/migrate.ts";
import { clickHouseSink } from "../../../storage/feed/clickhouse-sink.ts";
import { deliver } from "../../../storage/feed/feed-sink.ts";
import { fromStore } from "../../../storage/feed/outbox.ts";
import { createFedRows } from "../../../storage/transactions/fed-commands.ts";
import { ADMIN, sharedClickHouse } from "../clickhouse/clickhouse-world.ts";
import { endedRow, objectRow, START_MS, transactionRow } from "../feed/feed-world.ts";

const DAY_MS = 86_400_000;
/** Versions of the store. Here they are only numbers. */
const THEN = 1_000_000;
const SINCE = { storeVersion: THEN, atMs: START_MS, keptSinceMs: START_MS - 10 * DAY_MS };

function lifeRow(uuid: string, members: Partial<LifeRow> = {}): LifeRow {
  return {
    type: "life",
    version: rowVersion(members.state ?? "done", 1),
    uuid,
    terminalId: "T1",
    kind: "payment",
    service: "PAYCC",
    amountCents: 1_234,
    sender: "partner:1",
    state: "done",
    acceptedAtMs: START_MS - 1_000,
    sentAtMs: START_MS - 500,
    finishedAtMs: START_MS,
    channel: "poll",
    attempt: 1,
    ...members,
  };
}

describe("the data in ClickHouse that a restored store lacks", async () => {
  const world = await sharedClickHouse();
  const client = connectClickHouse({ url: world.clickhouse.url, ...ADMIN });
  const fedRows = createFedRows(client);
  const feed = (rows: readonly FeedRow[]) => deliver(clickHouseSink(client), rows);
  before(() => migrate(client));

  async function held(): Promise<Map<string, FedCommand>> {
    const byUuid = new Map<string, FedCommand>();
    for await (const page of fedRows.commands(SINCE)) for (const one of page) if (!byUuid.has(one.uuid)) byUuid.set(one.uuid, one);
    return byUuid;
  }

  it("is empty without rows", async () => {
    assert.deepEqual(await fedRows.until(0), { storeVersion: 0, formerMs: 0 });
    assert.equal((await held()).size, 0);
  });

  it("contains everything with later versions of the store, with all members of the rows", async () => {
    const result = fromStore(transactionRow({ uuid: "paid" }), THEN + 5);
    const life = fromStore(lifeRow("paid", { acceptedAtMs: START_MS - 5 * DAY_MS }), THEN + 4);
    const unknown = fromStore(lifeRow("unknown", { state: "unknown", channel: null, sentAtMs: null }), THEN + 9);
    await feed([
      result,
      life,
      unknown,
      fromStore(transactionRow({ uuid: "kept" }), THEN),
      fromStore(lifeRow("kept"), THEN),
      fromStore(
        { ...transactionRow({ uuid: "link" }), transaction: { ...result.transaction, uuid: "link", method: "PAYBYLINK" } },
        THEN + 6,
      ),
      fromStore(transactionRow({ uuid: "unasked", createdAtMs: START_MS - 11 * DAY_MS }), THEN + 7),
      fromStore({ ...transactionRow({ uuid: "unasked now" }), kind: null, sender: "", unsolicited: true }, THEN + 8),
    ]);
    const found = await held();
    assert.deepEqual([...found.keys()].sort(), ["paid", "unasked now", "unknown"]);
    const without = ({ storeVersion: _, ...row }: LifeRow) => row;
    const { storeVersion: _, ...told } = result;
    assert.deepEqual(found.get("paid"), { uuid: "paid", terminalId: "T1", result: told, life: without(life) });
    assert.deepEqual(found.get("unknown"), { uuid: "unknown", terminalId: "T1", result: null, life: without(unknown) });
    assert.deepEqual(found.get("unasked now")?.result?.kind, null);
    assert.deepEqual(await fedRows.until(START_MS), { storeVersion: THEN + 9, formerMs: 0 });
  });

  it("includes versions of merchants' objects of any age, but not the objects", async () => {
    const id = "long before";
    await feed([fromStore(objectRow({ id, createdAtMs: START_MS - 300 * DAY_MS }), THEN + 20)]);
    assert.deepEqual(await fedRows.until(START_MS), { storeVersion: THEN + 20, formerMs: 0 });
    assert.equal((await held()).has(id), false);
  });

  it("combines the two halves of a row with a result and the end of its command", async () => {
    await feed([fromStore(endedRow({ uuid: "ended" }), THEN + 2)]);
    const { life, ...result } = endedRow({ uuid: "ended" });
    const { kind, sender, version } = result;
    assert.deepEqual((await held()).get("ended"), {
      ...{ uuid: "ended", terminalId: "T1", result },
      life: { ...life, type: "life", uuid: "ended", terminalId: "T1", version, kind, sender },
    });
  });

  it("includes later rows of an earlier release, ranked like current rows", async () => {
    await feed([
      { ...transactionRow({ uuid: "former", createdAtMs: START_MS + 1 }), version: 2 },
      { ...transactionRow({ uuid: "long ago", createdAtMs: START_MS - 1 }), version: 2 },
    ]);
    const found = await held();
    assert.equal(found.get("former")?.result?.version, rowVersion("done", 2));
    assert.equal(found.has("long ago"), false);
    assert.equal((await fedRows.until(START_MS)).formerMs, START_MS + 1);
  });

  it("returns every row in its pages", async () => {
    const rows = Array.from({ length: 1_203 }, (_, n) =>
      fromStore(
        transactionRow({ uuid: `many-${"x".repeat(55)}${n}`, terminalId: `M${n % 7}`, createdAtMs: START_MS + (n % 3) * DAY_MS }),
        THEN + 10,
      ),
    );
    await feed([
      ...rows,
      ...rows.map(({ transaction }) => fromStore(lifeRow(transaction.uuid, { terminalId: transaction.terminalId }), THEN + 10)),
    ]);
    const found = await held();
    assert.equal([...found.keys()].filter((uuid) => uuid.startsWith("many-")).length, 1_203);
    assert.ok([...found.values()].every(({ uuid, life }) => !uuid.startsWith("many-") || life !== null));
  });
});

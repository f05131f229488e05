import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Kv } from "../../../engine/kernel/kv.ts";
import type { TerminalRow } from "../../../engine/payments/feed-row.ts";
import { createTerminalStore } from "../../../engine/terminals/terminal-store.ts";
import { openEmbeddedKv } from "../../../storage/kv/embedded.ts";
import { onEachEngine } from "../../contract/engines.ts";
import { testTerminalStore } from "../../contract/terminal-store.ts";
import { atEnd, directoryOf, ManualTime } from "../../storage/kv/world.ts";
import { outboxRows } from "../../support/outbox.ts";

const RETENTION_MS = 400 * 86_400_000;

async function rowsIn(kv: Kv): Promise<TerminalRow[]> {
  const rows: TerminalRow[] = [];
  for await (const { row } of outboxRows(kv)) if (row !== null && row.type !== "object") rows.push(row);
  return rows;
}

await onEachEngine(testTerminalStore, ({ kv, ...opened }) => {
  let writers = 0;
  const another = () => {
    writers += 1;
    return createTerminalStore({ kv, nowMs: opened.nowMs, retentionMs: RETENTION_MS, writer: `w${writers}` });
  };
  return { ...opened, store: another(), retentionMs: RETENTION_MS, rows: () => rowsIn(kv), another };
});

describe("terminals in the embedded store", () => {
  it("are there after it was closed and opened again", async (test) => {
    const time = new ManualTime();
    const directory = await directoryOf(test);
    const options = { nowMs: time.nowMs, retentionMs: RETENTION_MS, writer: "w" };
    const record = { terminalId: "T1", queue: [], sent: [], latest: [{ sender: "p", uuid: "a", answered: true }] };
    const first = await openEmbeddedKv({ directory, nowMs: time.nowMs });
    const outcome = await createTerminalStore({ kv: first, ...options }).commit({
      terminalId: "T1",
      terminal: { record, version: 0, workBefore: "idle" },
      decidedBy: null,
      claims: [],
      commands: [],
      rows: [],
      attention: [],
      settled: [],
      atMs: time.nowMs(),
    });
    await first.close();
    const second = await openEmbeddedKv({ directory, nowMs: time.nowMs });
    atEnd(test, () => second.close());
    assert.ok(outcome.type === "committed");
    assert.deepEqual(await createTerminalStore({ kv: second, ...options }).loadTerminal("T1"), {
      record,
      version: outcome.version,
      historyLost: false,
    });
  });

  it("refuse with `unavailable` when the store cannot answer, and clearly when a record is of another schema", async (test) => {
    const time = new ManualTime();
    const kv = await openEmbeddedKv({ directory: await directoryOf(test), nowMs: time.nowMs });
    const store = createTerminalStore({ kv, nowMs: time.nowMs, retentionMs: RETENTION_MS, writer: "w" });
    await kv.commit({ checks: [], operations: [{ type: "put", key: "t/T1", value: "[99]" }] });
    await assert.rejects(store.loadTerminal("T1"), /schema 99/);
    await kv.close();
    await assert.rejects(store.loadTerminal("T1"), { code: "unavailable", retryAfterSeconds: 1 });
  });
});

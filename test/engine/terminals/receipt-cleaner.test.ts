import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createReceiptCleaner } from "../../../engine/terminals/receipt-cleaner.ts";
import type { CommandRecord } from "../../../engine/terminals/terminal-record.ts";
import { readCommand, writeCommand } from "../../../engine/terminals/terminal-records.ts";
import { readCommandEntry } from "../../../engine/terminals/terminal-store.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { commandRecord, storedResult } from "./store-world.ts";

const DAY_MS = 86_400_000;

function world() {
  const kv = new MemoryKv();
  const clock = { ms: 0 };
  const failures: string[] = [];
  const failed = (_what: string, error: unknown) => failures.push(String(error));
  const cleaner = createReceiptCleaner({ kv, monotonicMs: () => clock.ms, retentionMs: 400 * DAY_MS, failed });
  const put = async (uuid: string, finishedAtMs: number | null) => {
    const ended: Partial<CommandRecord> =
      finishedAtMs === null
        ? {}
        : {
            life: { state: "done", sentAtMs: 1, finishedAtMs, channel: "poll", attempts: 1 },
            result: storedResult(uuid, `posted ${uuid}`),
          };
    const record = commandRecord(uuid, ended);
    await kv.commit({ checks: [], operations: [{ type: "put", key: `c/${uuid}`, value: writeCommand(record) }] });
  };
  const read = async (uuid: string) => {
    const entry = await kv.get(`c/${uuid}`);
    assert.ok(entry !== null);
    return readCommand(uuid, entry.value);
  };
  return { kv, clock, cleaner, put, read, failures };
}

describe("cleaning receipts", () => {
  it("takes bodies from what ended before the time, once, and leaves the rest as it is", async () => {
    const { kv, cleaner, put, read } = world();
    await put("old", 10);
    await put("young", 20);
    await put("pending", null);
    await kv.commit({ checks: [], operations: [{ type: "put", key: "o/1", value: '{"life":{"finishedAtMs":1},"raw":"feed"}' }] });
    const [young, pending] = [await read("young"), await read("pending")];
    const old = await read("old");
    assert.deepEqual(await cleaner.clean(20, 1_000), { deleted: 1, complete: true });
    assert.ok(old.command !== null && old.result !== null);
    assert.deepEqual(await read("old"), { ...old, command: { ...old.command, payload: "" }, result: { ...old.result, raw: null } });
    assert.deepEqual([await read("young"), await read("pending")], [young, pending]);
    assert.equal((await kv.get("o/1"))?.value, '{"life":{"finishedAtMs":1},"raw":"feed"}');
    assert.deepEqual(await cleaner.clean(20, 1_000), { deleted: 0, complete: true });
  });

  it("takes them from results that nobody asked for, and leaves those where they are", async () => {
    const { kv, cleaner, failures } = world();
    const [small, capitals] = ["7d9f0a52-6c2e-4a83-9f5d-2c1d0d1b8f11", "7D9F0A52-6C2E-4A83-9F5D-2C1D0D1B8F11"];
    const life = { state: "done" as const, sentAtMs: null, finishedAtMs: 10, channel: null, attempts: 0 };
    const record = commandRecord(capitals, { command: null, life, result: storedResult(capitals, "posted") });
    const key = `c/${small}/T1`;
    await kv.commit({ checks: [], operations: [{ type: "put", key, value: writeCommand(record) }] });
    assert.deepEqual(await cleaner.clean(20, 1_000), { deleted: 1, complete: true });
    const entry = await kv.get(key);
    assert.ok(entry !== null);
    assert.deepEqual(readCommandEntry(entry), { ...record, place: `${small}/T1`, result: { ...record.result, raw: null } });
    assert.deepEqual([kv.keys("c/"), failures], [[key], []]);
  });

  it("leaves a record of a later version as it is, and goes on", async () => {
    const { kv, cleaner, put, failures } = world();
    await put("a", 10);
    await kv.commit({ checks: [], operations: [{ type: "put", key: "c/b", value: "[9,1]" }] });
    await put("c", 10);
    assert.deepEqual(await cleaner.clean(20, 1_000), { deleted: 2, complete: true });
    assert.equal((await kv.get("c/b"))?.value, "[9,1]");
    assert.deepEqual(failures, ["Error: c/b cannot be read"]);
  });

  it("goes on where it ran out of time, and leaves what changes meanwhile for the next pass", async () => {
    const { kv, clock, cleaner, put, read } = world();
    for (let index = 0; index < 1_200; index++) await put(String(index).padStart(4, "0"), 10);
    let meddled = false;
    const scan = kv.scan.bind(kv);
    kv.scan = async (range) => {
      const page = await scan(range);
      clock.ms += 1_000;
      if (!meddled) await put("0000", 15);
      meddled = true;
      return page;
    };
    assert.deepEqual(await cleaner.clean(20, 500), { deleted: 499, complete: false });
    assert.deepEqual(await cleaner.clean(20, 500), { deleted: 500, complete: false });
    assert.deepEqual(await cleaner.clean(20, 500), { deleted: 200, complete: true });
    assert.equal((await read("0000")).result?.raw, "posted 0000");
    assert.deepEqual(await cleaner.clean(20, 60_000), { deleted: 1, complete: true });
  });
});

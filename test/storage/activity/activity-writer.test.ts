import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import {
  type ActivityLimits,
  type ActivityWriterEvent,
  createActivityWriter,
  type InsertLines,
} from "../../../storage/activity/activity-writer.ts";
import { RowsRefused } from "../../../storage/feed/feed-sink.ts";
import { ManualTimers } from "./activity-world.ts";

const LIMITS: ActivityLimits = { entriesMax: 10, charsMax: 1_000, batchMax: 4, insertMs: 5_000, stopMs: 2_000 };

function open(limits: Partial<ActivityLimits> = {}) {
  const timers = new ManualTimers();
  const events: ActivityWriterEvent["type"][] = [];
  const inserted: string[] = [];
  const inserts: string[][] = [];
  const said: { answer: () => Promise<void> } = { answer: async () => undefined };
  const insert: InsertLines = async (table, lines) => {
    inserts.push([table, ...lines]);
    await said.answer();
    inserted.push(...lines);
  };
  const writer = createActivityWriter({ timers, onEvent: ({ type }) => events.push(type), limits: { ...LIMITS, ...limits } });
  const add = (...lines: string[]) => writer.add({ lines: { workflow_log: lines, call_log: [] }, dropped: 0 });
  return { writer, timers, events, inserted, inserts, said, insert, add };
}

const numbered = (count: number, prefix = "line") => Array.from({ length: count }, (_, index) => `${prefix} ${index}`);

describe("the writer of the logs", () => {
  it("inserts once a second what has come, in batches", async () => {
    const { writer, timers, inserts, inserted, insert, add } = open();
    writer.connect(insert);
    add(...numbered(3));
    writer.add({ lines: { workflow_log: [], call_log: ["call"] }, dropped: 0 });
    assert.equal(inserts.length, 0);
    await timers.pass(1_000);
    assert.deepEqual(inserts, [
      ["workflow_log", "line 0", "line 1", "line 2"],
      ["call_log", "call"],
    ]);
    await timers.pass(5_000);
    assert.equal(inserts.length, 2);
    add(...numbered(6));
    await timers.pass(1_000);
    assert.deepEqual(
      inserts.slice(2).map((one) => one.length - 1),
      [4, 2],
    );
    assert.equal(inserted.length, 10);
    assert.deepEqual(writer.stats(), { written: 10, dropped: 0, waiting: 0 });
  });

  it("holds so many entries, and so much of them, and counts what it drops", async () => {
    const { writer, insert, timers, add } = open();
    add(...numbered(25));
    assert.deepEqual(writer.stats(), { written: 0, dropped: 15, waiting: 10 });
    writer.connect(insert);
    await timers.pass(1_000);
    assert.deepEqual(writer.stats(), { written: 10, dropped: 15, waiting: 0 });
    add("x".repeat(900), "y".repeat(200), "z".repeat(90));
    assert.deepEqual(writer.stats(), { written: 10, dropped: 16, waiting: 2 });
    writer.add({ lines: { workflow_log: [], call_log: [] }, dropped: 5 });
    assert.equal(writer.stats().dropped, 21);
  });

  it("keeps what waits while ClickHouse is away, asks less and less often, and writes it once when it is back", async () => {
    const { writer, timers, events, inserts, inserted, said, insert, add } = open();
    writer.connect(insert);
    said.answer = () => Promise.reject(new Error("refused"));
    add(...numbered(3));
    await timers.pass(60_000);
    assert.ok(inserts.length >= 4 && inserts.length <= 8, `${inserts.length} attempts in a minute`);
    assert.deepEqual(events, ["away"]);
    assert.deepEqual(writer.stats(), { written: 0, dropped: 0, waiting: 3 });
    said.answer = async () => undefined;
    await timers.pass(20_000);
    assert.deepEqual(inserted, numbered(3));
    assert.deepEqual(events, ["away", "back"]);
    assert.deepEqual(writer.stats(), { written: 3, dropped: 0, waiting: 0 });
  });

  it("does not wait for a ClickHouse that does not answer, and goes on when it does", async () => {
    const { writer, timers, events, said, insert, add } = open();
    writer.connect(insert);
    said.answer = () => new Promise(() => undefined);
    add(...numbered(3));
    await timers.pass(1_000);
    add(...numbered(20, "later"));
    assert.deepEqual(writer.stats(), { written: 0, dropped: 13, waiting: 10 });
    await timers.pass(5_000);
    assert.deepEqual(events, ["away"]);
    said.answer = async () => undefined;
    await timers.pass(20_000);
    assert.deepEqual(writer.stats(), { written: 10, dropped: 13, waiting: 0 });
  });

  it("drops what ClickHouse will never take, and goes on with the next", async () => {
    const { writer, timers, said, insert, events, add } = open();
    writer.connect(insert);
    let first = true;
    said.answer = async () => {
      if (!first) return;
      first = false;
      throw new RowsRefused("a value");
    };
    add(...numbered(6));
    await timers.pass(1_000);
    assert.deepEqual(writer.stats(), { written: 2, dropped: 4, waiting: 0 });
    assert.deepEqual(events, []);
  });

  it("writes what waits when the node stops", async () => {
    const { writer, timers, inserted, insert, add } = open();
    writer.connect(insert);
    add(...numbered(6));
    await writer.stop();
    assert.deepEqual(inserted, numbered(6));
    add("too late");
    await timers.pass(5_000);
    assert.deepEqual(writer.stats(), { written: 6, dropped: 1, waiting: 0 });
  });

  it("stops within its time where ClickHouse does not answer, and counts what it leaves", async () => {
    const { writer, timers, said, insert, add } = open();
    writer.connect(insert);
    said.answer = () => new Promise(() => undefined);
    add(...numbered(6));
    let ended = false;
    const stopping = writer.stop().then(() => {
      ended = true;
    });
    await timers.pass(1_999);
    assert.equal(ended, false);
    await timers.pass(1);
    await stopping;
    assert.deepEqual(writer.stats(), { written: 0, dropped: 6, waiting: 0 });
  });

  it("keeps nothing of an insert that has ended", async (test) => {
    const warnings: string[] = [];
    const onWarning = ({ name }: Error) => warnings.push(name);
    process.on("warning", onWarning);
    test.after(() => process.off("warning", onWarning));
    const { writer, timers, inserted, insert, add } = open();
    writer.connect(insert);
    // Node warns of more than ten listeners of one signal.
    for (let number = 1; number <= 12; number += 1) {
      add(`line ${number}`);
      await timers.pass(1_000);
    }
    await setImmediate();
    assert.deepEqual([inserted.length, warnings], [12, []]);
    await writer.stop();
  });

  it("stops at once where ClickHouse was never reached", async () => {
    const { writer, add } = open();
    add("a");
    await writer.stop();
    assert.equal(writer.stats().dropped, 1);
  });
});

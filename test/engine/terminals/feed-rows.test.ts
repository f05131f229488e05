import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type LifeRow, lifeRowOf, type TransactionRow } from "../../../engine/payments/feed-row.ts";
import { rowVersion } from "../../../engine/payments/row-version.ts";
import { rowsOf } from "../../../engine/terminals/result-decision.ts";
import type { CommandLife, CommandRecord } from "../../../engine/terminals/terminal-record.ts";
import { command, ManualClock, tableRows } from "../world.ts";
import { storedResult } from "./store-world.ts";

const SMALL = "7d9f0a52-6c2e-4a83-9f5d-2c1d0d1b8f11";
const clock = new ManualClock();
const acceptedAtMs = clock.nowMs();

const LIFE: CommandLife = {
  state: "done",
  sentAtMs: acceptedAtMs + 10,
  finishedAtMs: acceptedAtMs + 20,
  channel: "websocket",
  attempts: 2,
};
const RECORD: CommandRecord = {
  revision: 3,
  uuid: "a",
  terminalId: "T1",
  command: { ...command({ clock }, "a"), amountCents: 2_000, shop: "SHOP-A", payload: "" },
  life: LIFE,
  result: { ...storedResult("a", "{}"), amountDiffers: true },
};

/** Of `RECORD`, in the two tables. */
const VERSION = rowVersion("done", 3);
const TRANSACTION: TransactionRow = {
  type: "transaction",
  version: VERSION,
  transaction: { ...storedResult("a", "{}").transaction, terminalId: "T1" },
  kind: "payment",
  sender: "partner:1",
  unsolicited: false,
  amountDiffers: true,
  shop: "SHOP-A",
};
const LIFE_ROW: LifeRow = {
  type: "life",
  version: VERSION,
  uuid: "a",
  terminalId: "T1",
  kind: "payment",
  service: "PAYCC",
  amountCents: 2_000,
  sender: "partner:1",
  state: "done",
  acceptedAtMs,
  sentAtMs: acceptedAtMs + 10,
  finishedAtMs: acceptedAtMs + 20,
  channel: "websocket",
  attempt: 2,
  shop: "SHOP-A",
};

describe("the rows of a command's record", () => {
  it("are one for its result and its end, which fills both tables", () => {
    const rows = rowsOf(RECORD);
    assert.equal(rows.length, 1);
    assert.deepEqual(tableRows(rows), [TRANSACTION, LIFE_ROW]);
    // The version that the store gives it is both rows'.
    assert.deepEqual(
      tableRows(rows.map((row) => ({ ...row, storeVersion: 7 }))),
      [TRANSACTION, LIFE_ROW].map((row) => ({ ...row, storeVersion: 7 })),
    );
  });

  it("have the same key as the result, whatever else stands within the end", () => {
    const [row] = rowsOf(RECORD);
    assert.ok(row?.type === "transaction");
    const more = { ...row, life: Object.assign({}, row.life, { type: "transaction", uuid: "b", terminalId: "T2", version: 1 }) };
    assert.deepEqual(lifeRowOf(more), LIFE_ROW);
  });

  it("say nothing of a merchant where it is nobody's", () => {
    assert.ok(RECORD.command !== null);
    const { shop: _, ...nobodys } = RECORD.command;
    const { shop: _own, ...transaction } = TRANSACTION;
    const { shop: _too, ...life } = LIFE_ROW;
    assert.deepEqual(tableRows(rowsOf({ ...RECORD, command: nobodys })), [transaction, life]);
  });

  it("are the end alone where it has no result", () => {
    const life: CommandLife = { ...LIFE, state: "unknown" };
    assert.deepEqual(rowsOf({ ...RECORD, life, result: null }), [{ ...LIFE_ROW, state: "unknown", version: rowVersion("unknown", 3) }]);
  });

  it("are the result alone where nobody asked for it", () => {
    const [row, ...others] = rowsOf({ ...RECORD, command: null });
    assert.ok(row?.type === "transaction" && row.unsolicited && row.kind === null && others.length === 0);
    assert.deepEqual(tableRows([row]), [row]);
  });

  it("are none of a command that is under way", () => {
    assert.deepEqual(rowsOf({ ...RECORD, life: null, result: null }), []);
  });

  it("are two where its uuid stands in other letters in its result, each with its own", () => {
    const uuid = SMALL.toUpperCase();
    const result = storedResult(SMALL, "{}");
    const rows = rowsOf({ ...RECORD, uuid, command: command({ clock }, uuid), result });
    assert.deepEqual(
      rows.map((row) => [row.type, row.type === "transaction" ? row.transaction.uuid : row.uuid]),
      [
        ["transaction", SMALL],
        ["life", uuid],
      ],
    );
    assert.deepEqual(tableRows(rows), rows);
  });
});

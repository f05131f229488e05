import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { LifeRow, TerminalRow } from "../../../engine/payments/feed-row.ts";
import { ranked, revisionOf, rowVersion } from "../../../engine/payments/row-version.ts";

const LIFE: LifeRow = {
  type: "life",
  version: 5,
  uuid: "u",
  terminalId: "T1",
  kind: "payment",
  service: "PAYCC",
  amountCents: 1,
  sender: "",
  state: "unknown",
  acceptedAtMs: 1,
  sentAtMs: 2,
  finishedAtMs: 3,
  channel: "poll",
  attempt: 1,
};

describe("the version of a row", () => {
  it("puts a terminal's word above whatever time made of the command, however often", () => {
    assert.ok(rowVersion("done", 1) > rowVersion("cancelled", 1_000_000));
    assert.ok(rowVersion("cancelled", 1) > rowVersion("unknown", 1_000_000));
    assert.ok(rowVersion("unknown", 1) === rowVersion("expired", 1));
    assert.ok(rowVersion("done", 2) > rowVersion("done", 1));
    assert.ok(Number.isSafeInteger(rowVersion("done", 2 ** 40 - 1)));
  });

  it("tells the revision that it was made of", () => {
    assert.equal(revisionOf(rowVersion("done", 7)), 7);
    assert.equal(revisionOf(7), 7);
  });

  it("is put where the end ranks for a row of a former release, and is left as it is for others", () => {
    assert.equal(ranked(LIFE).version, rowVersion("unknown", 5));
    const transaction = {
      uuid: "u",
      terminalId: "T1",
      createdAtMs: 1,
      method: "CARD",
      status: "KO",
      amountCents: 1,
      currency: "EUR",
    } as const;
    const result: TerminalRow = {
      type: "transaction",
      version: 2,
      transaction,
      kind: null,
      sender: "",
      unsolicited: true,
      amountDiffers: false,
    };
    assert.deepEqual(ranked(result), { ...result, version: rowVersion("done", 2) });
    const link: TerminalRow = { ...result, transaction: { ...transaction, method: "PAYBYLINK" } };
    assert.deepEqual(ranked(link), { ...link, version: rowVersion("unknown", 2) });
    const { service, amountCents, state, acceptedAtMs, sentAtMs, finishedAtMs, channel, attempt } = LIFE;
    const ended: TerminalRow = { ...result, life: { service, amountCents, state, acceptedAtMs, sentAtMs, finishedAtMs, channel, attempt } };
    assert.deepEqual(ranked(ended), { ...ended, version: rowVersion("unknown", 2) });
    assert.equal(ranked(ranked(LIFE)).version, ranked(LIFE).version);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { readResult, sameResult, toTransaction } from "../../../engine/payments/result.ts";
import type { Transaction } from "../../../engine/payments/transaction.ts";

const base = { uuid: "u1", service: "PAYBP", result: "OK", amount: 1050, voucher: { codes: ["a", "b"], total: 2 } };

function normalized(posted: object, createdAtMs = 1): Transaction {
  const read = readResult(posted);
  if (read.type !== "read") throw new Error(read.reason);
  return toTransaction(read.result, { terminalId: "T1", createdAtMs, command: { kind: "payment", method: "VOUCHER", amountCents: 1050 } });
}

describe("two results of one uuid", () => {
  for (const [title, other] of [
    ["posted later", base],
    ["with another time of the terminal's", { ...base, timestamp: "2026-11-21T03:34:34Z" }],
    [
      "with its members in another order",
      { voucher: { total: 2, codes: ["a", "b"] }, result: "OK", amount: 1050, service: "PAYBP", uuid: "u1" },
    ],
    ["in other words for the same", { uuid: "u1", status: "approved", type: "VOUCHER", amountCents: "1050", voucher: base.voucher }],
    ["with what is not recognised", { ...base, retry: 2 }],
    ["with a slip", { ...base, receipt: { lines: ["SHOP 10:00"] } }],
  ] as const) {
    it(`are the same ${title}`, () => assert.equal(sameResult(normalized(base), normalized(other, 2)), true));
  }

  for (const [title, other] of [
    ["another outcome", { ...base, result: "KO" }],
    ["another amount", { ...base, amount: 1051 }],
    ["another authorization", { ...base, authCode: "1" }],
    ["another method", { ...base, service: "PAYCC" }],
    ["another voucher", { ...base, voucher: { codes: ["b", "a"], total: 2 } }],
    ["a list in the place of an object", { ...base, voucher: { codes: { 0: "a", 1: "b" }, total: 2 } }],
  ] as const) {
    it(`are different with ${title}`, () => assert.equal(sameResult(normalized(base), normalized(other)), false));
  }

  it("are the same where the slip was printed again, unless they are receipts", () => {
    const printed = (type: string, line: string) => normalized({ uuid: "u1", type, result: "OK", receipt: { lines: [line] } });
    assert.equal(sameResult(printed("CARD", "10:00"), printed("CARD", "10:01 COPY")), true);
    assert.equal(sameResult(printed("RECEIPT", "10:00"), printed("RECEIPT", "10:01 COPY")), false);
  });

  it("are the same after having been stored, whatever the free-form members are", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (voucher) => {
        const posted = normalized({ ...base, voucher: JSON.parse(JSON.stringify(voucher)) });
        assert.equal(sameResult(JSON.parse(JSON.stringify(posted)), posted), true);
      }),
    );
  });
});

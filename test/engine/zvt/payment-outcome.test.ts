import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import type { FreeForm, Transaction } from "../../../engine/payments/transaction.ts";
import type { CommandView } from "../../../engine/terminals/terminals.ts";
import { outcomeOf } from "../../../engine/zvt/payment-outcome.ts";
import { paymentUuid } from "../../../engine/zvt/payment-uuid.ts";
import { cardTypeOf, codeOfDecline } from "../../../engine/zvt/result-codes.ts";
import { tidOf } from "../../../engine/zvt/zvt-config.ts";

const FACTS = { amountCents: 1_234, currency: "0978", receiptNo: 42, seq: 1_000_042, tid: "12345678" };
const OK: Transaction = { uuid: "u1", createdAtMs: 1_700_000_000_000, method: "CARD", status: "OK", amountCents: 1_234, currency: "EUR" };

function view(changes: Partial<CommandView>): CommandView {
  return {
    ...{ uuid: "u1", terminalId: "T1", command: null, state: "done", sentAtMs: 1, finishedAtMs: 5, channel: null, attempts: 1 },
    ...{ cancelRequested: false, transaction: null, amountDiffers: false, ...changes },
  };
}

const outcome = (changes: Partial<CommandView>) => outcomeOf(view(changes), FACTS);
const declined = (message: string, actionCode?: string) =>
  outcome({ transaction: { ...OK, status: "KO", message, ...(actionCode === undefined ? {} : { auth: { actionCode } }) } });

describe("how a command's life becomes an outcome", () => {
  it("has none while it waits or is at the terminal", () => {
    assert.equal(outcome({ state: "queued" }), null);
    assert.equal(outcome({ state: "sent" }), null);
  });

  it("is unknown where the relay does not know, and never a decline", () => {
    assert.deepEqual(outcome({ state: "unknown" }), { type: "unknown" });
    assert.deepEqual(outcome({ state: "done" }), { type: "unknown" });
  });

  it("is safe where it never left, or was cancelled", () => {
    assert.deepEqual(outcome({ state: "expired" }), { type: "notPaid", code: 0xa1, receipt: null });
    const cancelled = outcome({ state: "cancelled" });
    assert.ok(cancelled?.type === "notPaid");
    assert.deepEqual([cancelled.code, cancelled.receipt?.resultCode, cancelled.receipt?.amountCents], [0x6c, 0x6c, 1_234]);
  });

  it("goes by the result, whatever the state says: a result always wins", () => {
    assert.equal(outcome({ state: "unknown", transaction: OK })?.type, "paid");
    assert.equal(outcome({ state: "cancelled", transaction: OK })?.type, "paid");
  });

  it("says a decline's reason, or that somebody cancelled, in both codes", () => {
    const cases: [string, string | undefined, number][] = [
      ["DECLINED", "51", 51],
      ["DECLINED", "116", 0x05],
      ["DECLINED", undefined, 0x05],
      ["CANCELLED BY CUSTOMER", "180", 0x6c],
      ["Zahlung abgebrochen", "05", 0x6c],
      ["CANCELLATION NOT SUPPORTED", "05", 0x05],
    ];
    for (const [message, actionCode, code] of cases) {
      const ended = declined(message, actionCode);
      assert.ok(ended?.type === "notPaid");
      assert.deepEqual([ended.code, ended.receipt?.resultCode, ended.receipt?.message], [code, code, message], message);
    }
  });

  it("has what 04-0F needs", () => {
    const transaction: Transaction = {
      ...OK,
      amountCents: 1_300,
      message: "APPROVED",
      auth: { authCode: "A12345", stan: "000017", actionCode: "000" },
      card: { brand: "Mastercard", maskedPan: "5413 33** **** 4321", entry: "NFC" },
      receipt: { text: "SHOP\r\nTOTAL\t13,00\n" },
    };
    assert.deepEqual(outcome({ transaction }), {
      type: "paid",
      receipt: {
        ...{ resultCode: 0, amountCents: 1_300, trace: 17, atMs: OK.createdAtMs, entry: "NFC", maskedPan: "541333EEEEEE4321" },
        ...{
          tid: "12345678",
          authCode: "A12345",
          currency: "0978",
          receiptNo: 42,
          cardType: 6,
          cardName: "Mastercard",
          message: "APPROVED",
        },
        slipLines: ["SHOP", "TOTAL 13,00", ""],
      },
    });
  });

  it("leaves out what is not there, and a card number in which nothing is masked", () => {
    const receiptOf = (changes: Partial<Transaction>) => {
      const ended = outcome({ transaction: { ...OK, ...changes } });
      assert.ok(ended?.type === "paid");
      return ended.receipt;
    };
    const { trace, maskedPan, cardType, cardName, authCode, entry, slipLines } = receiptOf({});
    assert.deepEqual([trace, maskedPan, cardType, cardName, authCode, entry, slipLines], [42, null, null, null, null, null, []]);
    assert.equal(receiptOf({ card: { maskedPan: "5413339000001513" } }).maskedPan, null);
    assert.equal(receiptOf({ card: { maskedPan: "n/a" } }).maskedPan, null);
    assert.equal(receiptOf({ auth: { stan: "1234567" } }).trace, 42);
    assert.equal(receiptOf({ card: { brand: "Çard\n" } }).cardName, "?ard?");
  });

  it("has the copies of the slip of any payment, as lines that can be printed", () => {
    const slipOf = (receipt: FreeForm) => {
      const ended = outcome({ transaction: { ...OK, receipt } });
      assert.ok(ended?.type === "paid");
      return [ended.receipt.slipLines, ended.receipt.merchantSlipLines];
    };
    assert.deepEqual(slipOf({ lines: ["a", "b\tc"] }), [["a", "b c"], undefined]);
    assert.deepEqual(slipOf({ lines: ["a", 1, "b\nc"], merchantLines: ["d"] }), [["a", "b", "c"], ["d"]]);
    assert.deepEqual(slipOf({ lines: [], text: "a", merchantText: "d\r\ne" }), [["a"], ["d", "e"]]);
    assert.deepEqual(slipOf({ items: ["a"] }), [["a"], undefined]);
    assert.deepEqual(slipOf({ number: "0001", lines: [1], merchantLines: {} }), [[], undefined]);
    const [long] = slipOf({ lines: Array.from({ length: 300 }, () => "x".repeat(100)) });
    assert.deepEqual([long?.length, long?.[0]?.length], [200, 80]);
  });
});

it("sends an issuer's reason of 1 to 99, and 05 for any other", () => {
  const codes: [string | undefined, number][] = [
    ["1", 1],
    ["05", 5],
    ["099", 99],
    ["100", 5],
    ["0", 5],
    ["", 5],
    ["5 1", 5],
    [undefined, 5],
  ];
  for (const [actionCode, code] of codes) assert.equal(codeOfDecline(actionCode), code);
});

it("knows the types of cards by what terminals call them", () => {
  const types: { [brand: string]: number | null } = {
    ...{ girocard: 0x05, "EC-Karte": 0x05, "MASTERCARD DEBIT": 0x06, Amex: 0x08, "American Express": 0x08, VISA: 0x0a },
    ...{ "Diners Club": 0x0c, "V PAY": 0x0d, VPAY: 0x0d, JCB: 0x0e, Maestro: 0x2e },
    ...{ BANCOMAT: null, "": null, "economy card": null },
  };
  for (const [brand, code] of Object.entries(types)) assert.equal(cardTypeOf(brand), code, brand);
});

it("gives a terminal the same number each time, and the configured one where there is one", () => {
  assert.match(tidOf({ terminalId: "SIM00001", tid: null }), /^\d{8}$/);
  assert.equal(tidOf({ terminalId: "SIM00001", tid: null }), tidOf({ terminalId: "SIM00001", tid: null }));
  assert.notEqual(tidOf({ terminalId: "SIM00001", tid: null }), tidOf({ terminalId: "SIM00002", tid: null }));
  assert.equal(tidOf({ terminalId: "SIM00001", tid: "87654321" }), "87654321");
});

it("makes uuids of version 5 that never change, another one for each number, route and epoch", () => {
  const sha1 = (bytes: Uint8Array) => createHash("sha1").update(bytes).digest();
  const of = (routeId: string, epoch: string, seq: number) => paymentUuid(sha1, { routeId, epoch, seq });
  const uuids = [of("a", "e1", 1), of("a", "e1", 2), of("a", "e2", 1), of("b", "e1", 1)];
  assert.equal(new Set(uuids).size, 4);
  for (const uuid of uuids) assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  // As Python's uuid.uuid5 makes it: a repeated payment has the same uuid after an upgrade too.
  assert.equal(of("a", "e1", 1), "b0be344f-9884-5caf-9d6c-1731b0ec7712");
});

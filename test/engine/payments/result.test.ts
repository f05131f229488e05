import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  amountDiffers,
  currencyUnknown,
  type ReadResult,
  type ResultContext,
  readResult,
  toTransaction,
  UNREADABLE_RAW_CHARS_MAX,
} from "../../../engine/payments/result.ts";
import type { Transaction } from "../../../engine/payments/transaction.ts";

const payment = { kind: "payment", method: "CARD", amountCents: 1050 } as const;

function read(body: unknown): ReadResult {
  const outcome = readResult(body);
  assert.equal(outcome.type, "read", outcome.type === "unreadable" ? outcome.reason : "");
  if (outcome.type !== "read") throw new Error("unreachable");
  return outcome.result;
}

function normalized(body: unknown, command: ResultContext["command"] = payment): Transaction {
  return toTransaction(read(body), { terminalId: "T1", createdAtMs: 5, command });
}

function unreadable(body: unknown, reason: RegExp): void {
  const outcome = readResult(body);
  assert.equal(outcome.type, "unreadable");
  if (outcome.type === "unreadable") assert.match(outcome.reason, reason);
}

describe("the outcome of a result", () => {
  for (const [body, status] of [
    [{ result: "OK" }, "OK"],
    [{ result: "ok " }, "OK"],
    [{ status: "APPROVED" }, "OK"],
    [{ outcome: "success" }, "OK"],
    [{ transactionResult: "authorized" }, "OK"],
    [{ approved: true }, "OK"],
    [{ result: "OK", status: "APPROVED", outcome: "success" }, "OK"],
    [{ result: "OK", status: "completed" }, "OK"],
    [{ result: "OK", status: null, outcome: "" }, "OK"],
    [{ result: "OK", service: "PAYSAT", satispay: { status: "ACCEPTED" } }, "OK"],
    [{ result: "OK", service: "PAYSAT", satispay: { status: "PENDING" } }, "OK"],
    [{ result: "KO" }, "KO"],
    [{ status: "DECLINED" }, "KO"],
    [{ outcome: "not authorized" }, "KO"],
    [{ result: "CANCELLED" }, "KO"],
    [{ approved: false }, "KO"],
    [{ result: "ERROR", service: "SCAN" }, "KO"],
    [{ result: "CANCELLED", service: "SCAN" }, "KO"],
    [{ service: "SCAN", scan: { scanResult: "OK" } }, "OK"],
    [{ service: "PRINT", printResult: "KO" }, "KO"],
    [{ result: "OK", service: "CANCEL" }, "OK"],
    [{ result: "OK", service: "CANCEL", transaction: { status: "CANCELLED" } }, "OK"],
    [{ result: "KO", service: "LOGCAT" }, "KO"],
    [{ status: "OK", data: { result: "OK", status: "completed" } }, "OK"],
    [{ status: "KO", data: { result: "DECLINED" } }, "KO"],
    [{ result: "OK", transaction: { status: "CAPTURED", approved: true } }, "OK"],
    [{ result: "KO", device: { status: "OK" }, printer: { status: "OK" } }, "KO"],
    [{ result: "OK", receipt: { status: "FAILED" } }, "OK"],
    [{ result: "OK", data: [{ result: "KO" }], details: "KO" }, "OK"],
    [{ result: "ERROR", service: "SCAN", data: { result: "ERROR" } }, "KO"],
  ] as const) {
    it(`is ${status} for ${JSON.stringify(body)}`, () => assert.equal(read({ uuid: "u1", ...body }).status, status));
  }

  for (const [body, reason] of [
    [{}, /no outcome/],
    [{ result: null, status: "" }, /no outcome/],
    [{ status: "COMPLETED" }, /no outcome/],
    [{ actionCode: "000", authCode: "123456" }, /no outcome/],
    [{ success: true }, /no outcome/],
    [{ result: "PENDING" }, /^result is not/],
    [{ result: "ERROR" }, /^result is not/],
    [{ result: "TIMEOUT" }, /^result is not/],
    [{ result: "UNKNOWN" }, /^result is not/],
    [{ result: 0 }, /^result is not/],
    [{ result: true }, /^result is not/],
    [{ result: { code: "OK" } }, /^result is not/],
    [{ result: "NOT OK" }, /^result is not/],
    [{ result: "OK?" }, /^result is not/],
    [{ approved: "true" }, /^approved is not/],
    [{ result: "OK", status: "PENDING" }, /^status is not/],
    [{ result: "OK", status: "KO" }, /contradict/],
    [{ result: "KO", outcome: "APPROVED" }, /contradict/],
    [{ result: "OK", approved: false }, /contradict/],
    [{ result: "OK", satispay: { status: "CANCELED" } }, /satispay.status contradict/],
    [{ result: "KO", satispay: { outcome: "ACCEPTED" } }, /satispay.outcome contradict/],
    [{ result: "OK", service: "SCAN", scanResult: "ERROR" }, /contradict/],
    [{ data: { result: "OK" } }, /no outcome/],
    [{ status: "OK", data: { result: "KO" } }, /^status and data.result contradict each other$/],
    [{ status: "KO", data: { result: "OK" } }, /data.result contradict/],
    [{ status: "OK", data: { approved: false } }, /data.approved contradict/],
    [{ status: "KO", response: { outcome: "approved" } }, /response.outcome contradict/],
    [{ status: "OK", data: { transaction: { result: "declined" } } }, /data.transaction.result contradict/],
    [{ status: "OK", body: { data: { payment: { auth: { status: "KO" } } } } }, /body.data.payment.auth.status contradict/],
    [{ status: "OK", data: { result: { status: "KO" } } }, /data.result.status contradict/],
    [{ status: "OK", data: { satispay: { status: "CANCELED" } } }, /data.satispay.status contradict/],
    [{ status: "OK", data: { result: "PENDING" } }, /data.result contradict/],
    [{ result: "KO", transaction: { status: "TIMEOUT" } }, /transaction.status contradict/],
    [{ status: "OK", service: "SCAN", data: { scanResult: "CANCELLED" } }, /data.scanResult contradict/],
  ] as const) {
    it(`is not read from ${JSON.stringify(body)}`, () => unreadable({ uuid: "u1", ...body }, reason));
  }
});

describe("a result", () => {
  it("needs a uuid and an object", () => {
    for (const body of [null, undefined, [], "OK", 5]) unreadable(body, /JSON object/);
    for (const uuid of [undefined, null, "", 7, "a/b", "x".repeat(65)]) unreadable({ uuid, result: "OK" }, /uuid/);
  });

  it("that cannot be read keeps its uuid and a bounded, masked text", () => {
    const outcome = readResult({ uuid: "u1", pan: "4111111111111112", filler: "x".repeat(10_000) });
    assert.equal(outcome.type === "unreadable" && outcome.uuid, "u1");
    assert.equal(outcome.type === "unreadable" && outcome.raw.length, UNREADABLE_RAW_CHARS_MAX);
    assert.equal(outcome.type === "unreadable" && outcome.raw.includes("4111111111111112"), false);
  });

  it("of a card becomes a transaction", () => {
    const posted = {
      uuid: "u1",
      service: "PAYCC",
      result: "OK",
      amount: 1050,
      currency: "eur",
      authCode: "123456",
      stan: 42,
      actionCode: "000",
      pan: "4111111111111111",
      brand: "VISA",
      entry: "contactless",
      message: "APPROVED 4111 1111 1111 1111",
      merchantId: "100000000008",
      deviceModel: "A920",
      appVersion: "3.1.0",
      timestamp: "2026-11-21T03:34:34+01:00",
    };
    assert.deepEqual(normalized(posted), {
      uuid: "u1",
      createdAtMs: 5,
      method: "CARD",
      status: "OK",
      amountCents: 1050,
      currency: "EUR",
      terminalId: "T1",
      merchantId: "100000000008",
      message: "APPROVED 411111******1111",
      auth: { authCode: "123456", stan: "42", actionCode: "000" },
      card: { brand: "VISA", maskedPan: "411111******1111", entry: "NFC" },
      provider: { model: "A920", clientVersion: "3.1.0" },
    });
    assert.equal(read(posted).raw.includes("4111111111111111"), false);
  });

  it("is read from nested objects as well", () => {
    const nested = {
      uuid: "u1",
      type: "CARD",
      status: "KO",
      amountCents: "1050",
      auth: { authorizationCode: "A1", systemTraceNumber: "7", action_code: "116" },
      card: { card_brand: "MC", maskedPan: "************0004", entryMode: "CHIP" },
      provider: { name: "bank", model: "P400", clientVersion: "1" },
    };
    const transaction = normalized(nested);
    assert.deepEqual(transaction.auth, { authCode: "A1", stan: "7", actionCode: "116" });
    assert.deepEqual(transaction.card, { brand: "MC", maskedPan: "************0004", entry: "ICC" });
    assert.deepEqual(transaction.provider, { name: "bank", model: "P400", clientVersion: "1" });
  });

  it("of SATISPAY, VOUCHER and RECEIPT carries its own object and no other", () => {
    const objects = {
      satispay: { paymentId: "p", status: "ACCEPTED", store: "s" },
      voucher: { code: "V", n: 4111111111111111 },
      receipt: "slip",
      brand: "x",
    };
    const of = (type: string) => normalized({ uuid: "u1", result: "OK", type, ...objects });
    assert.deepEqual(of("SATISPAY").satispay, objects.satispay);
    assert.deepEqual(of("VOUCHER").voucher, { code: "V", n: "411111******1111" });
    assert.deepEqual(of("RECEIPT").receipt, { text: "slip" });
    for (const [type, lacks] of [
      ["SATISPAY", ["card", "voucher", "scan", "print"]],
      ["VOUCHER", ["card", "satispay"]],
      ["RECEIPT", ["card", "satispay", "voucher"]],
      ["CARD", ["satispay", "voucher", "scan", "print"]],
    ] as const) {
      for (const member of lacks) assert.equal(member in of(type), false, `${type} has ${member}`);
    }
  });

  it("leaves a receipt that is too large to its raw text, also where only both copies together are", () => {
    assert.equal("receipt" in normalized({ uuid: "u1", result: "OK", type: "RECEIPT", receipt: { text: "x".repeat(40_000) } }), false);
    const copies = { receipt: { text: "x".repeat(20_000) }, merchantReceipt: "y".repeat(20_000) };
    assert.equal("receipt" in normalized({ uuid: "u1", result: "OK", type: "CARD", ...copies }), false);
  });

  for (const [posted, receipt] of [
    [{ receipt: { lines: ["SHOP", "TOTAL"] } }, { lines: ["SHOP", "TOTAL"] }],
    [{ receipt: "SHOP\nTOTAL" }, { text: "SHOP\nTOTAL" }],
    [{ receipt: ["SHOP"] }, { items: ["SHOP"] }],
    [{ slip: ["SHOP"] }, { items: ["SHOP"] }],
    [
      { receipt: null, customerReceipt: "c", merchantReceipt: "a\nb" },
      { text: "c", merchantLines: ["a", "b"] },
    ],
    [{ merchantReceipt: { lines: ["a"] } }, { merchantLines: ["a"] }],
    [{ receipt: { number: "0001" } }, { number: "0001" }],
    [
      { receipt: { lines: ["4111111111111111"], merchantText: "4111 1111 1111 1111" } },
      { lines: ["411111******1111"], merchantText: "411111******1111" },
    ],
    [{ merchantReceipt: "CARD\n4111111111111111" }, { merchantLines: ["CARD", "411111******1111"] }],
  ] as const) {
    for (const service of ["PAYCC", "PAYTAG", "PAYSAT", "PAYBP", "SCAN", undefined]) {
      it(`of ${service} has the slip ${JSON.stringify(posted)}`, () => {
        for (const result of ["OK", "KO"]) assert.deepEqual(normalized({ uuid: "u1", result, service, ...posted }).receipt, receipt);
      });
    }
  }

  for (const [posted, scan] of [
    [
      { result: "OK", scannedValue: "A-1", barcodeFormat: "QR_CODE" },
      { scannedValue: "A-1", barcodeFormat: "QR_CODE", scanResult: "OK" },
    ],
    [
      { result: "CANCELLED", scannedValue: null },
      { scannedValue: null, barcodeFormat: null, scanResult: "CANCELLED" },
    ],
    [{ result: "ERROR" }, { scannedValue: null, barcodeFormat: null, scanResult: "ERROR" }],
    [
      { result: "OK", scannedValue: "100000000008", barcodeFormat: "UPC_A" },
      { scannedValue: "100000000008", barcodeFormat: "UPC_A", scanResult: "OK" },
    ],
    [
      { result: "OK", scannedValue: "0108012345678907104111111111111111", barcodeFormat: "CODE_128" },
      { scannedValue: "0108012345678907104111111111111111", barcodeFormat: "CODE_128", scanResult: "OK" },
    ],
    [
      { result: "OK", scannedValue: "0108012345678906104111111111111111", barcodeFormat: "CODE_128" },
      { scannedValue: "010801234567890610411111******1111", barcodeFormat: "CODE_128", scanResult: "OK" },
    ],
    [
      { result: "OK", scannedValue: "4111111111111111", barcodeFormat: "QR_CODE" },
      { scannedValue: "411111******1111", barcodeFormat: "QR_CODE", scanResult: "OK" },
    ],
  ] as const) {
    it(`of a scan ${JSON.stringify(posted)} fills scan, with amount 0`, () => {
      const transaction = normalized(
        { uuid: "u1", service: "SCAN", amount: 7, ...posted },
        { kind: "scan", method: "SCAN", amountCents: 0 },
      );
      assert.deepEqual(transaction.scan, scan);
      assert.deepEqual(
        [transaction.method, transaction.status, transaction.amountCents],
        ["SCAN", scan.scanResult === "OK" ? "OK" : "KO", 0],
      );
    });
  }

  it("of a print fills print", () => {
    const command = { kind: "print", method: "PRINT", amountCents: 0 } as const;
    assert.deepEqual(normalized({ uuid: "u1", service: "PRINT", result: "KO", errorDescription: "paper out" }, command).print, {
      printResult: "KO",
      errorDescription: "paper out",
    });
  });

  it("takes method and amount of its command where it does not tell", () => {
    assert.deepEqual(pick(normalized({ uuid: "u1", result: "OK" })), ["CARD", 1050]);
    assert.deepEqual(pick(normalized({ uuid: "u1", result: "CANCELLED" }, { kind: "scan", method: "SCAN", amountCents: 0 })), ["SCAN", 0]);
    assert.equal(
      normalized({ uuid: "u1", result: "CANCELLED" }, { kind: "scan", method: "SCAN", amountCents: 0 }).scan?.scanResult,
      "CANCELLED",
    );
    assert.deepEqual(pick(normalized({ uuid: "u1", result: "OK" }, null)), ["UNKNOWN", 0]);
    assert.deepEqual(pick(normalized({ uuid: "u1", result: "OK", service: "PAYSAT", type: "VOUCHER" })), ["CARD", 1050]);
    assert.deepEqual(pick(normalized({ uuid: "u1", result: "OK", service: "PAYSAT", type: "RECEIPT" })), ["RECEIPT", 1050]);
    assert.deepEqual(pick(normalized({ uuid: "u1", result: "OK", service: "PAYSAT", amount: 5 }, null)), ["SATISPAY", 5]);
  });

  function pick({ method, amountCents }: Transaction): unknown[] {
    return [method, amountCents];
  }

  for (const [currency, expected] of [
    [undefined, "EUR"],
    ["usd", "USD"],
    ["978", "EUR"],
    [978, "EUR"],
    [null, "EUR"],
    [" ", "EUR"],
    [985, "PLN"],
    ["203", "CZK"],
    [8, "ALL"],
    ["036", "AUD"],
    ["36", "AUD"],
    [" pln ", "PLN"],
    [532, "XCG"],
    ["ANG", "ANG"],
    ["€", "€"],
    ["xyz", "xyz"],
    [999, "999"],
    ["0978", "0978"],
    [97.8, "97.8"],
    [-978, "-978"],
    [true, "true"],
    [{ code: "USD" }, '{"code":"USD"}'],
    ["4111111111111111", "411111******1111"],
    ["x".repeat(500), "x".repeat(128)],
  ] as const) {
    it(`has currency ${expected} for ${JSON.stringify(currency)}`, () => {
      assert.equal(normalized({ uuid: "u1", result: "OK", currency }).currency, expected);
    });
  }

  it("in a currency that is none that is known is flagged", () => {
    for (const [currency, unknown] of [
      [undefined, false],
      ["czk", false],
      ["203", false],
      ["XYZ", true],
      ["XXX", true],
      ["", false],
      [191, true],
    ] as const) {
      assert.equal(currencyUnknown(normalized({ uuid: "u1", result: "OK", currency })), unknown, String(currency));
    }
  });

  for (const [amounts, differs] of [
    [{}, false],
    [{ amount: 1050 }, false],
    [{ amount: "1050" }, false],
    [{ amount: "000000001050", amountCents: 1050 }, false],
    [{ amount: 1000 }, true],
    [{ amount: 0 }, true],
    [{ amount: 10.5 }, true],
    [{ amount: "10.50" }, true],
    [{ amount: -1050 }, true],
    [{ amount: 1050, amountCents: 1000 }, true],
    [{ amount: { value: 1050 } }, true],
    [{ amount: "0000000000001050" }, false],
    [{ amount: 1_000_000_000_000 }, true],
    [{ amountCents: "1000000000000" }, true],
    [{ service: "SCAN" }, true],
  ] as const) {
    it(`with ${JSON.stringify(amounts)} ${differs ? "differs from" : "is"} the command's 1050`, () => {
      assert.equal(amountDiffers(read({ uuid: "u1", result: "OK", ...amounts }), payment), differs);
      assert.equal(amountDiffers(read({ uuid: "u1", result: "OK", ...amounts }), null), false);
    });
  }

  it("is of 12 digits at most: of more its command's is taken, and it is flagged", () => {
    const most = { kind: "payment", method: "CARD", amountCents: 999_999_999_999 } as const;
    assert.equal(amountDiffers(read({ uuid: "u1", result: "OK", amount: "999999999999" }), most), false);
    assert.equal(normalized({ uuid: "u1", result: "OK", amount: 9_999_999_999_999 }, most).amountCents, 999_999_999_999);
    assert.equal(amountDiffers(read({ uuid: "u1", result: "OK", amount: 9_999_999_999_999 }), most), true);
  });

  it("bounds its texts and survives hostile ones", () => {
    const transaction = normalized({
      uuid: "u1",
      result: "OK",
      message: "m".repeat(60_000),
      authCode: "a".repeat(9_999),
      brand: { x: 1 },
      auth: "x",
      card: [1],
    });
    assert.equal(transaction.message?.length, 512);
    assert.equal(transaction.auth?.authCode?.length, 128);
    assert.equal(transaction.card, undefined);
    const deep = JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`);
    normalized({ uuid: "u1", result: "OK", type: "VOUCHER", voucher: deep, currency: deep, amount: deep, provider: deep });
    normalized(JSON.parse('{"uuid":"u1","result":"OK","type":"VOUCHER","voucher":{"__proto__":{"x":1}},"__proto__":{"card":{"pan":"x"}}}'));
  });

  it("does not leave a cut card number behind a bound", () => {
    const transaction = normalized({ uuid: "u1", result: "OK", message: `${"m".repeat(500)}4111111111111111` });
    assert.equal(transaction.message?.includes("41111111"), false);
  });
});

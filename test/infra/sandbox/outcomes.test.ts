import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { buildPayment, readPaymentRequest } from "../../../engine/payments/payment-request.ts";
import { amountDiffers, readResult, sameResult, toTransaction } from "../../../engine/payments/result.ts";
import { TERMINAL_FAMILIES } from "../../../engine/payments/tags.ts";
import type { Transaction, TransactionMethod } from "../../../engine/payments/transaction.ts";
import type { Posted } from "./fake-relay.ts";
import { command, startWorld } from "./world.ts";

/** The result as the relay itself reads it, for a payment of 1000 plus the cents. */
function normalized(
  posted: Posted | undefined,
  amountCents: number,
  method: TransactionMethod = "CARD",
): Transaction & { differs: boolean } {
  const read = readResult(posted?.body);
  if (read.type !== "read") throw new Error(read.reason);
  const asked = { kind: "payment", method, amountCents } as const;
  const transaction = toTransaction(read.result, { terminalId: "T1", createdAtMs: 0, command: asked });
  return { ...transaction, differs: amountDiffers(read.result, asked) };
}

describe("the last two digits of the amount decide", () => {
  for (const [cents, status, actionCode, message] of [
    [0, "OK", "000", "APPROVED"],
    [50, "OK", "000", "APPROVED"],
    [5, "KO", "100", "DECLINED"],
    [17, "KO", "180", "CANCELLED BY CUSTOMER"],
    [51, "KO", "116", "INSUFFICIENT FUNDS"],
    [9, "OK", "000", "APPROVED"],
    [68, "OK", "000", "APPROVED"],
  ] as const) {
    it(`${cents}: ${status} ${message}`, async (test) => {
      const { relay } = await startWorld(test, { speed: 100_000 });
      relay.push(command({ amount: 1000 + cents }));
      const transaction = normalized((await relay.results(1))[0], 1000 + cents);
      assert.deepEqual([transaction.status, transaction.auth?.actionCode, transaction.message], [status, actionCode, message]);
      assert.equal(transaction.differs, false);
      assert.equal(transaction.auth?.authCode !== undefined, status === "OK");
      assert.match(transaction.card?.maskedPan ?? "", /^\d{6}\*{6}\d{4}$/);
    });
  }

  it("9: slow, still at work when the next command comes", async (test) => {
    const { relay } = await startWorld(test, { slowMs: 300, speed: 1 });
    const [slow, next] = [command({ amount: 1009 }), command({})];
    relay.push(slow);
    relay.push(next);
    assert.deepEqual(
      (await relay.results(2)).map(({ body }) => body["uuid"]),
      [slow.uuid, next.uuid],
    );
  });

  it("68: late, carried out at once and posted after what came later", async (test) => {
    const { relay } = await startWorld(test, { lateAfterMs: 300, speed: 1 });
    const [late, next] = [command({ amount: 1068 }), command({})];
    relay.push(late);
    relay.push(next);
    assert.deepEqual(
      (await relay.results(2)).map(({ body }) => body["uuid"]),
      [next.uuid, late.uuid],
    );
  });

  it("91: no answer", async (test) => {
    const { relay, events } = await startWorld(test);
    const next = command({});
    relay.push(command({ amount: 1091 }));
    relay.push(next);
    assert.equal((await relay.results(1))[0]?.body["uuid"], next.uuid);
    assert.equal(events.filter(({ type }) => type === "executed").length, 2);
  });

  it("94: posted twice, the same", async (test) => {
    const { relay } = await startWorld(test);
    relay.push(command({ amount: 1094 }));
    const [first, second] = await relay.results(2);
    assert.equal(sameResult(normalized(first, 1094), normalized(second, 1094)), true);
  });

  it("95: posted twice, different", async (test) => {
    const { relay } = await startWorld(test);
    relay.push(command({ amount: 1095 }));
    const [first, second] = await relay.results(2);
    assert.equal(first?.body["uuid"], second?.body["uuid"]);
    assert.equal(sameResult(normalized(first, 1095), normalized(second, 1095)), false);
  });

  it("13: another amount", async (test) => {
    const { relay } = await startWorld(test);
    relay.push(command({ amount: 1013 }));
    const transaction = normalized((await relay.results(1))[0], 1013);
    assert.deepEqual([transaction.amountCents, transaction.differs], [1012, true]);
  });

  it("30: a result that cannot be read", async (test) => {
    const { relay } = await startWorld(test);
    relay.push(command({ amount: 1030 }));
    assert.equal(readResult((await relay.results(1))[0]?.body).type, "unreadable");
  });
});

describe("each service has its result", () => {
  it("PAYSAT", async (test) => {
    const { relay } = await startWorld(test);
    relay.push(command({ service: "PAYSAT" }));
    relay.push(command({ service: "PAYSAT", amount: 1005 }));
    const [approved, declined] = await relay.results(2);
    assert.deepEqual(pick(normalized(approved, 1000, "SATISPAY")), ["SATISPAY", "OK", "ACCEPTED"]);
    assert.deepEqual(pick(normalized(declined, 1005, "SATISPAY")), ["SATISPAY", "KO", "CANCELED"]);
  });

  function pick({ method, status, satispay }: Transaction): unknown[] {
    return [method, status, satispay?.status];
  }

  it("PAYBP, with whole vouchers only", async (test) => {
    const { relay } = await startWorld(test);
    relay.push(command({ service: "PAYBP", amount: 2000 }));
    const { method, voucher } = normalized((await relay.results(1))[0], 2000, "VOUCHER");
    assert.deepEqual([method, voucher?.["count"], voucher?.["totalCents"]], ["VOUCHER", 2, 1600]);
  });

  it("RECEIPT, whatever pays it", async (test) => {
    const { relay } = await startWorld(test);
    relay.push(command({ type: "RECEIPT" }));
    const { method, receipt } = normalized((await relay.results(1))[0], 1000, "RECEIPT");
    assert.deepEqual([method, receipt?.["totalCents"]], ["RECEIPT", 1000]);
  });

  it("cardType chooses the card", async (test) => {
    const { relay } = await startWorld(test);
    relay.push(command({ cardType: 1 }));
    relay.push(command({ cardType: 2 }));
    const [debit, credit] = await relay.results(2);
    assert.equal(normalized(debit, 1000).card?.brand, "PAGOBANCOMAT");
    assert.match(normalized(credit, 1000).card?.brand ?? "", /^(VISA|MASTERCARD)$/);
  });

  for (const family of ["privative-tags", "field-47", undefined] as const) {
    it(`PAYTAG, with the tags that a terminal of family ${family ?? "unknown"} was given`, async (test) => {
      const { relay } = await startWorld(test, family === undefined ? {} : { family });
      const body = { uuid: `tags-${family}`, amount: 1000, service: "PAYTAG", tagDF8105: "4".repeat(400), tagDF8102: "4A4B" };
      const sent = buildPayment(readPaymentRequest(body, "T1"), family === undefined ? null : TERMINAL_FAMILIES[family], {
        sender: "partner:1",
        acceptedAtMs: 0,
        request: "r1",
      });
      relay.push(JSON.parse(sent.payload));
      const [posted] = await relay.results(1);
      assert.deepEqual(posted?.body["tags"], { DF8102: "4A4B", DF8105: "4".repeat(400) });
      assert.equal(posted?.body["service"], "PAYTAG");
    });
  }

  it("PAYTAG falls back to PAYCC on a family without the tag services, VERIFYTAG is refused", async (test) => {
    const { relay } = await startWorld(test, { family: "no-tags" });
    relay.push(command({ service: "PAYTAG" }));
    relay.push(command({ service: "VERIFYTAG", amount: 0 }));
    const [fallen, refused] = await relay.results(2);
    assert.deepEqual([fallen?.body["service"], fallen?.body["result"]], ["PAYCC", "OK"]);
    assert.deepEqual([refused?.body["result"], refused?.body["message"]], ["KO", "NOT SUPPORTED"]);
  });

  for (const [members, options, expected] of [
    [{}, {}, ["OK", "4006381333931", "EAN_13"]],
    [{}, { scanValue: "https://example.org", scanFormat: "QR_CODE" }, ["OK", "https://example.org", "QR_CODE"]],
    [{}, { scanOutcome: "error" }, ["ERROR", null, null]],
    [{ title: "[camera error]" }, {}, ["ERROR", null, null]],
    [{ title: "[customer cancels]" }, {}, ["CANCELLED", null, null]],
  ] as const) {
    it(`SCAN ${JSON.stringify({ ...members, ...options })} is ${expected[0]}`, async (test) => {
      const { relay } = await startWorld(test, options);
      relay.push(command({ service: "SCAN", amount: 0, ...members }));
      const { scan } = normalized((await relay.results(1))[0], 0, "SCAN");
      assert.deepEqual([scan?.scanResult, scan?.scannedValue, scan?.barcodeFormat], expected);
    });
  }

  it("PRINT, and out of paper by its text", async (test) => {
    const { relay } = await startWorld(test);
    relay.push(command({ service: "PRINT", amount: 0, text: "Hello" }));
    relay.push(command({ service: "PRINT", amount: 0, text: "Hello [out of paper]" }));
    const [printed, out] = await relay.results(2);
    assert.deepEqual(normalized(printed, 0, "PRINT").print, { printResult: "OK", errorDescription: null });
    assert.deepEqual(normalized(out, 0, "PRINT").print, { printResult: "KO", errorDescription: "paper out" });
  });

  it("LOGCAT, and KO for what it does not know", async (test) => {
    const { relay } = await startWorld(test);
    relay.push(command({ service: "LOGCAT", amount: 0 }));
    relay.push(command({ service: "REBOOT", amount: 0 }));
    const [log, unknown] = await relay.results(2);
    assert.equal(log?.body["result"], "OK");
    assert.ok(Array.isArray(log?.body["lines"]));
    assert.equal(unknown?.body["result"], "KO");
  });
});

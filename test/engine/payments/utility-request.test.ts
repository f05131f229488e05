import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { buildAdministrative, buildCancel, buildPrint, buildScan } from "../../../engine/payments/utility-request.ts";

const context = { terminalId: "T1", generatedUuid: "generated", sender: "partner:1", acceptedAtMs: 1_000, request: "r1" };

function refused(build: () => unknown, message: RegExp): void {
  assert.throws(build, (error) => error instanceof RelayError && error.code === "invalid_request" && message.test(error.message));
}

describe("a scan request", () => {
  it("needs no body and gets a uuid", () => {
    for (const body of [undefined, null, {}]) {
      const command = buildScan(body, context);
      assert.deepEqual([command.uuid, command.kind, command.method, command.amountCents], ["generated", "scan", "SCAN", 0]);
      assert.deepEqual(JSON.parse(command.payload), { uuid: "generated", service: "SCAN", amount: 0, terminalId: "T1" });
    }
  });

  it("keeps its own uuid and free-form members", () => {
    const command = buildScan({ uuid: "own", title: "Coupon", amount: 0, service: "SCAN" }, context);
    assert.deepEqual(JSON.parse(command.payload), { uuid: "own", title: "Coupon", amount: 0, service: "SCAN", terminalId: "T1" });
  });

  it("is refused with an amount to pay, or with the service of a payment", () => {
    refused(() => buildScan({ amount: 5 }, context), /^amount must be 0/);
    refused(() => buildScan({ service: "PAYCC" }, context), /^service must be SCAN/);
    refused(() => buildPrint({ text: "x", amount: 5 }, context), /^amount must be 0/);
    refused(() => buildPrint({ text: "x", service: "PAYCC" }, context), /^service must be PRINT/);
  });

  it("is refused with a bad uuid, another terminal or no object", () => {
    refused(() => buildScan({ uuid: "a b" }, context), /^uuid/);
    refused(() => buildScan({ terminalId: "T2" }, context), /^terminalId differs/);
    refused(() => buildScan([], context), /JSON object/);
  });
});

describe("a print request", () => {
  for (const body of [
    { text: "Hello" },
    { type: "text", text: "Hello" },
    { type: "qr", text: "x", label: "Pay here" },
    { type: null, text: "x", label: null },
  ]) {
    it(`is taken as ${JSON.stringify(body)}`, () => {
      const command = buildPrint(body, context);
      assert.deepEqual([command.kind, command.method], ["print", "PRINT"]);
      assert.deepEqual(JSON.parse(command.payload), { ...body, uuid: "generated", service: "PRINT", amount: 0, terminalId: "T1" });
    });
  }

  for (const body of [{ text: "x" }, { text: "x", type: "text" }, { text: "x", type: "qr" }]) {
    it(`has no label where that is empty, as ${JSON.stringify(body)}`, () => {
      assert.deepEqual(buildPrint({ ...body, label: "" }, context).payload, buildPrint(body, context).payload);
    });
  }

  for (const [body, message] of [
    [{}, /^text/],
    [{ text: "" }, /^text/],
    [{ text: 5 }, /^text/],
    [{ text: "x".repeat(4_097) }, /^text/],
    [{ text: "x", type: "html" }, /^type/],
    [{ text: "x", label: "y" }, /^label/],
    [{ text: "x", type: "qr", label: 5 }, /^label/],
    [{ text: "x", type: "qr", label: "y".repeat(257) }, /^label/],
  ] as const) {
    it(`is refused as ${JSON.stringify(body).slice(0, 40)}`, () => refused(() => buildPrint(body, context), message));
  }
});

describe("an administrator's command", () => {
  it("carries any other service word and its members", () => {
    const command = buildAdministrative({ service: "LOGCAT", lines: 100 }, context);
    assert.deepEqual([command.kind, command.service, command.method], ["administrative", "LOGCAT", "UNKNOWN"]);
    assert.deepEqual(JSON.parse(command.payload), { service: "LOGCAT", lines: 100, uuid: "generated", amount: 0, terminalId: "T1" });
  });

  it("is a scan or a print where its service says so, with their rules", () => {
    assert.equal(buildAdministrative({ service: "SCAN" }, context).kind, "scan");
    assert.equal(buildAdministrative({ service: "PRINT", text: "x" }, context).kind, "print");
    refused(() => buildAdministrative({ service: "PRINT" }, context), /^text/);
  });

  for (const service of ["PAYCC", "PAYTAG", "VERIFYTAG", "PAYBP", "PAYSAT", "CANCEL", "logcat", "", "A".repeat(33), "A-B", 5, undefined]) {
    it(`is refused with service ${service}`, () => refused(() => buildAdministrative({ service }, context), /^service/));
  }

  it("is refused with an amount", () => refused(() => buildAdministrative({ service: "LOGCAT", amount: 1 }, context), /^amount/));
});

it("a CANCEL names the command that it stops", () => {
  const command = buildCancel({ uuid: "target", terminalId: "T1" }, "new", { sender: "partner:1", acceptedAtMs: 1_000 });
  assert.deepEqual([command.kind, command.cancels, command.expiresAtMs], ["cancel", "target", 61_000]);
  assert.equal(command.payload, '{"uuid":"new","service":"CANCEL","amount":0,"terminalId":"T1","cancels":"target"}');
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { keptCall, keptWorkflow } from "../../../engine/kernel/activity-entry.ts";
import type { CallEntry, WorkflowEntry } from "../../../engine/kernel/activity-log.ts";

const STEP: WorkflowEntry = {
  ...{ atMs: 1_763_700_000_000, merchantId: "SHOP-001", objectType: "link", objectId: "2f6f1d38-0c3b-4b6d-9d1e-0b0d8d6b1a51" },
  ...{ event: "verify.answered", from: "watching", to: "success", requestId: "till-7.42", outcome: "done" },
};

const CALL: CallEntry = {
  ...{ atMs: 1_763_700_000_000, merchantId: "SHOP-001", objectId: "evt_0d8f", target: "webhook", operation: "payment_link.paid" },
  ...{ host: "shop.example:8443", httpStatus: 503, outcome: "failed", detail: "answered 503", ms: 12.4, requestId: null },
};

const CARD = "4111111111111111";

describe("what is kept of a step", () => {
  it("is all of it where it holds ids and words", () => {
    assert.deepEqual(keptWorkflow(STEP), STEP);
    assert.deepEqual(keptWorkflow({ ...STEP, from: null, requestId: null }), { ...STEP, from: null, requestId: null });
  });

  const refused: [string, Partial<WorkflowEntry>][] = [
    ["an id that is an address of a person", { objectId: "buyer@example.org" }],
    ["an id that is an address of a page", { objectId: "https://shop.example/s/secret" }],
    ["an id that holds a card number", { objectId: `order-${CARD}` }],
    ["no id", { objectId: "" }],
    ["an id without an end", { objectId: "a".repeat(101) }],
    ["no merchant", { merchantId: "" }],
    ["a merchant that is none", { merchantId: "SHOP 001" }],
    ["a sentence in the place of an event", { event: "the buyer said no" }],
    ["a sentence in the place of a state", { to: "paid by Mara" }],
    ["a sentence in the place of the state before", { from: "paid by Mara" }],
    ["no time", { atMs: Number.NaN }],
  ];
  for (const [what, change] of refused) {
    it(`is nothing for ${what}`, () => assert.equal(keptWorkflow({ ...STEP, ...change }), null));
  }

  it("has no request where its id is none", () => {
    assert.equal(keptWorkflow({ ...STEP, requestId: `x-${CARD}` })?.requestId, null);
    assert.equal(keptWorkflow({ ...STEP, requestId: "two words" })?.requestId, null);
  });
});

describe("what is kept of a call", () => {
  it("is all of it, in whole milliseconds", () => {
    assert.deepEqual(keptCall(CALL), { ...CALL, ms: 12 });
  });

  it("has no more of an address than its host and port", () => {
    for (const host of ["shop.example/s/secret", "user:password@shop.example", "https://shop.example", "a b"]) {
      assert.equal(keptCall({ ...CALL, host })?.host, "");
    }
    for (const host of ["192.0.2.7:80", "[2001:db8::1]:8443", "shop.example"]) assert.equal(keptCall({ ...CALL, host })?.host, host);
  });

  it("has a reason without card numbers, addresses and line breaks, and of a bounded length", () => {
    const detailOf = (detail: string) => keptCall({ ...CALL, detail })?.detail;
    assert.equal(detailOf(`refused ${CARD}`), "refused 411111******1111");
    assert.equal(detailOf("no such user mara@shop.example"), "not shown");
    assert.equal(detailOf("see https://shop.example/s/secret"), "not shown");
    assert.equal(detailOf("one\r\ntwo"), "one two");
    assert.equal(detailOf("x".repeat(10_000))?.length, 255);
    // Cut first, the number would be none any more, and stay.
    assert.ok(!(detailOf(`${"x ".repeat(120)}${CARD}`) ?? CARD).includes("41111111"));
  });

  it("has figures that are some", () => {
    assert.equal(keptCall({ ...CALL, httpStatus: 0 })?.httpStatus, null);
    assert.equal(keptCall({ ...CALL, ms: Number.NaN })?.ms, 0);
    assert.equal(keptCall({ ...CALL, ms: -5 })?.ms, 0);
    assert.equal(keptCall({ ...CALL, ms: 1e12 })?.ms, 86_400_000);
  });

  it("is nothing where an id or a word is none", () => {
    for (const change of [{ objectId: "a b" }, { operation: "" }, { merchantId: "SHOP/1" }, { atMs: 1.5 }]) {
      assert.equal(keptCall({ ...CALL, ...change }), null);
    }
  });
});

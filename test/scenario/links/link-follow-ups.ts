import assert from "node:assert/strict";
import { assertMatches, textMember } from "../../support/http/matches.ts";
import { eventually } from "../../support/within.ts";
import { test, testOnNodes } from "../layouts.ts";
import type { LinkWorld } from "./link-world.ts";

/** Captures, reversals and refunds of what was paid. */
export function linkFollowUps({ relay, gateway, status, becomes, becomesIn, paidLink }: LinkWorld): void {
  testOnNodes("a full reversal is executed once; repeated it is refused by itself, and with its key answered again", async () => {
    const txId = await paidLink();
    const headers = { "idempotency-key": relay.uuid() };
    const partner = relay.partner();
    const done = await partner.post(`/api/payment/cancel/${txId}`, undefined, headers);
    assertMatches(done, {
      status: 200,
      body: { status: "ok", txId, operation: "reversal", amount: "12.34", tranId: /./, resultCode: "GW_000" },
    });
    assert.deepEqual((await partner.post(`/api/payment/cancel/${txId}`, undefined, headers)).body, done.body);
    assertMatches(await partner.post(`/api/payment/cancel/${txId}`), { status: 409, body: { status: "error", error: /already/ } });
    assertMatches(await gateway().payment(txId), { reversedValue: 1234 });
    assertMatches((await status(txId)).body, { status: "SUCCESS", operations: [{ type: "reversal", status: "done", amount: "12.34" }] });
  });

  test("partial reversals add up to the whole and no further; with a key one is executed once", async () => {
    const txId = await paidLink();
    const partner = relay.partner();
    const headers = { "idempotency-key": relay.uuid() };
    for (let count = 0; count < 2; count += 1) {
      assertMatches(await partner.post(`/api/payment/cancel/${txId}`, { amount: 4 }, headers), { status: 200, body: { amount: "4.00" } });
    }
    assertMatches(await gateway().payment(txId), { reversedValue: 400 });
    assert.equal((await partner.post(`/api/payment/cancel/${txId}`, { amount: "4.00" })).status, 200);
    assertMatches(await gateway().payment(txId), { reversedValue: 800 });
    assertMatches(await partner.post(`/api/payment/cancel/${txId}`, { amount: 4.35 }), { status: 400, body: { error: /amount/ } });
    assertMatches(await partner.post(`/api/payment/cancel/${txId}`), { status: 200, body: { amount: "4.34" } });
    assertMatches(await gateway().payment(txId), { reversedValue: 1234 });
  });

  test("a refund is of the whole", async () => {
    const txId = await paidLink();
    const partner = relay.partner();
    assertMatches(await partner.post(`/api/payment/refund/${txId}`, { amount: 1 }), { status: 400, body: { error: /partial refund/ } });
    assertMatches(await partner.post(`/api/payment/refund/${txId}`), { status: 200, body: { operation: "refund", amount: "12.34" } });
    assertMatches(await partner.post(`/api/payment/refund/${txId}`), { status: 409 });
  });

  test("what was authorized is taken later, by the movement of its authorization", async () => {
    const partner = relay.partner();
    const initiated = await partner.post("/api/payment/initiate", { amount: "20.00", capture: "later" });
    assertMatches(initiated, { status: 200, body: { paymentUrl: /^http/ } });
    const txId = textMember(initiated.body, "txId");
    assertMatches(await partner.post("/api/payment/finalize/no-voucher", { txId }), { status: 409, body: { error: /not paid/ } });
    await gateway().act(txId, "pay");
    await becomes(txId, { status: "SUCCESS" });
    assertMatches(await partner.post(`/api/payment/refund/${txId}`), { status: 409, body: { error: /not captured/ } });
    const origTranId = textMember((await status(txId)).body, "tranId");
    const captured = await partner.post("/api/payment/finalize/no-voucher", { origTranId });
    assertMatches(captured, { status: 200, body: { operation: "capture", txId, amount: "20.00" } });
    assertMatches(await partner.post("/api/payment/finalize/no-voucher", { origTranId }), { status: 409 });
    assertMatches(await gateway().payment(txId), { captured: true });
    assertMatches(await partner.post(`/api/payment/refund/${txId}`), { status: 200 });
  });

  test("one whose answer was lost is not executed twice", async () => {
    const txId = await paidLink();
    const partner = relay.partner();
    const headers = { "idempotency-key": relay.uuid() };
    await gateway().faults({ outage: "drop_answer", outageOf: ["reversal"] });
    assertMatches(await partner.post(`/api/payment/cancel/${txId}`, { amount: 4 }, headers), {
      status: 500,
      body: { status: "error", message: /./ },
    });
    assertMatches((await status(txId)).body, { operations: [{ type: "reversal", status: "unknown", amount: "4.00" }] });
    await gateway().faults({ outage: "none", outageOf: ["init", "verify", "capture", "reversal", "refund"] });
    await eventually(async () =>
      assertMatches(await partner.post(`/api/payment/cancel/${txId}`, { amount: 4 }, headers), { status: 200, body: { amount: "4.00" } }),
    );
    assertMatches(await gateway().payment(txId), { reversedValue: 400 });
  });

  test("one whose answer was lost is found executed by the relay itself; its key then gets the movement", async () => {
    const txId = await paidLink();
    const partner = relay.partner();
    const headers = { "idempotency-key": relay.uuid() };
    await gateway().faults({ outage: "drop_answer", outageOf: ["refund"] });
    assertMatches(await partner.post(`/api/payment/refund/${txId}`, undefined, headers), { status: 500 });
    await gateway().faults({ outage: "none", outageOf: ["init", "verify", "capture", "reversal", "refund"] });
    await becomesIn(txId, { operations: [{ type: "refund", status: "done", amount: "12.34", message: /totals/ }] }, 8);
    assertMatches(await partner.post(`/api/payment/refund/${txId}`), { status: 409, body: { error: /refunded already/ } });
    await eventually(async () =>
      assertMatches(await partner.post(`/api/payment/refund/${txId}`, undefined, headers), { status: 200, body: { tranId: /./ } }),
    );
    assertMatches(await gateway().payment(txId), { refundedValue: 1234 });
  });

  test("names that are needed: just one of them", async () => {
    const partner = relay.partner();
    assertMatches(await partner.post("/api/payment/finalize/no-voucher", {}), { status: 400, body: { error: /one of/ } });
    assertMatches(await partner.post("/api/payment/finalize/no-voucher", { txId: "é/…" }), { status: 404 });
    assertMatches(await partner.post("/api/payment/cancel/nobody"), { status: 404, body: { status: "error", txId: "nobody" } });
  });
}

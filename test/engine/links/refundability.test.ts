import assert from "node:assert/strict";
import { test } from "node:test";
import type { FollowUp, LinkRecord } from "../../../engine/links/link.ts";
import { type Refundability, refundability, unansweredReturn } from "../../../engine/links/refundability.ts";

function link(change: Partial<LinkRecord> = {}, capture: "now" | "later" = "now"): LinkRecord {
  return {
    order: {
      ...{ txId: "l-1", terminalId: "T1", partnerId: 1, owner: "merchant:M", amount: "10.50", amountMinor: 1_050, currency: "EUR" },
      ...{ description: null, merchantReference: null, customerEmail: null, instrument: "card", capture, returnUrl: null },
      ...{ createdAtMs: 1, expiresAtMs: 2, attachment: null },
    },
    ...{ state: "success", inits: 1, paymentId: "p", paymentUrl: null, nextAtMs: null, verifiedAtMs: null, notifications: 0 },
    ...{ outcome: { resultCode: "GW_000", description: "OK", atMs: 2, payment: null }, late: false, overdue: false, followUps: [] },
    ...change,
  };
}

function followUp(type: FollowUp["type"], state: FollowUp["state"], amountMinor = 1_050, whole = true): FollowUp {
  return {
    ...{ id: `${type}-1`, type, amountMinor, whole, state, requestedAtMs: 3, finishedAtMs: null, tranId: null, resultCode: null },
    description: null,
  };
}

const possible = (by: "refund" | "reversal", amountMinor = 1_050): Refundability => ({
  type: "possible",
  by,
  amountMinor,
  currency: "EUR",
});
const impossible = (reason: Extract<Refundability, { type: "impossible" }>["reason"]): Refundability => ({ type: "impossible", reason });
const owed = (state: "owed" | "refused") => ({ reversalOwed: { sinceMs: 1, state, attempts: 1, nextAtMs: null } }) as const;

const TABLE: readonly [what: string, link: LinkRecord, expected: Refundability][] = [
  ["not paid yet", link({ state: "waiting" }), impossible("not_paid")],
  ["failed", link({ state: "failed" }), impossible("not_paid")],
  ["expired", link({ state: "expired" }), impossible("not_paid")],
  ["paid", link(), possible("refund")],
  ["paid, and a refund was refused before", link({ followUps: [followUp("refund", "refused")] }), possible("refund")],
  ["authorized", link({}, "later"), possible("reversal")],
  ["captured in part", link({ followUps: [followUp("capture", "done", 400, false)] }, "later"), possible("refund", 400)],
  ["a capture is under way", link({ followUps: [followUp("capture", "requested")] }, "later"), impossible("outcome_unknown")],
  ["a refund is under way", link({ followUps: [followUp("refund", "requested")] }), impossible("outcome_unknown")],
  ["refunded", link({ followUps: [followUp("refund", "done")] }), impossible("already_refunded")],
  ["reversed", link({ followUps: [followUp("reversal", "done")] }), impossible("already_refunded")],
  ["reversed in part", link({ followUps: [followUp("reversal", "done", 50, false)] }), impossible("partial_refund")],
  [
    "reversed in two parts",
    link({ followUps: [followUp("reversal", "done", 50, false), followUp("reversal", "done", 1_000)] }),
    impossible("already_refunded"),
  ],
  ["given back by the relay itself", link(owed("owed")), impossible("outcome_unknown")],
  ["that, where the gateway refused it", link(owed("refused")), possible("refund")],
];

for (const [what, record, expected] of TABLE) {
  test(`a payment by link that is ${what}`, () => assert.deepEqual(refundability(record), expected));
}

test("what was begun of the whole and not answered is found out by asking for it again", () => {
  assert.equal(unansweredReturn(link({ followUps: [followUp("reversal", "requested")] })), "reversal");
  assert.equal(unansweredReturn(link({ followUps: [followUp("refund", "requested")] })), "refund");
  assert.equal(unansweredReturn(link({ followUps: [followUp("reversal", "requested", 50, false)] })), null);
  assert.equal(unansweredReturn(link({ followUps: [followUp("capture", "requested")] })), null);
  assert.equal(unansweredReturn(link()), null);
});

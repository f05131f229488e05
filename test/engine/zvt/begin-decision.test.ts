import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type BeginDecision, type BeginFacts, decideBegin } from "../../../engine/zvt/begin-decision.ts";
import type { ZvtOpen } from "../../../engine/zvt/route-record.ts";
import type { ZvtEnded, ZvtReceipt } from "../../../engine/zvt/zvt-payments.ts";

const AT_MS = 1_700_000_000_000;
const REATTACH_MS = 60_000;
const FIRST = { connection: "1", shard: "shard-0", writer: "w1", address: "10.0.0.1" };
const SECOND = { ...FIRST, connection: "2" };
const ELSEWHERE = { ...SECOND, address: "10.0.0.2" };
const DECLINED: ZvtEnded = { type: "notPaid", code: 5, receipt: null };
const RECEIPT: ZvtReceipt = {
  ...{ resultCode: 0, amountCents: 1_000, trace: 1, atMs: AT_MS, entry: null, maskedPan: null, tid: "12345678", authCode: null },
  ...{ currency: "0978", receiptNo: 1, cardType: null, cardName: null, message: null, slipLines: [] },
};

const live: ZvtOpen = {
  ...{ uuid: "u1", terminalId: "T1", amountCents: 1_000, currency: "0978", acceptedAtMs: AT_MS, receiptNo: 1, seq: 1 },
  ...{ attached: FIRST, heard: false, disconnectedAtMs: null, delivered: false, endedAtMs: null, outcome: null, flagged: false },
};
const gone: ZvtOpen = { ...live, disconnectedAtMs: AT_MS };
const ended: ZvtOpen = { ...live, outcome: DECLINED, endedAtMs: AT_MS };
const endedGone: ZvtOpen = { ...ended, disconnectedAtMs: AT_MS + 1_000 };
const paidGone: ZvtOpen = { ...gone, outcome: { type: "paid", receipt: RECEIPT }, endedAtMs: AT_MS };
const unknown: ZvtOpen = { ...gone, outcome: { type: "unknown" }, endedAtMs: AT_MS };

/** A repeat on another connection of the same register, while the first one is still there and the payment is a command. */
const repeat: BeginFacts = {
  ...{ amountCents: 1_000, currency: "0978", attached: SECOND, atMs: AT_MS + 6_000 },
  ...{ isAttachedOpen: true, isKnown: true, reattachMs: REATTACH_MS },
};
const other: BeginFacts = { ...repeat, amountCents: 1_001 };

const REATTACH: BeginDecision = { type: "reattach", resend: false };
const RESEND: BeginDecision = { type: "reattach", resend: true };
const DELIVER: BeginDecision = { type: "deliver", outcome: DECLINED };
const NEW: BeginDecision = { type: "new" };
const BUSY: BeginDecision = { type: "busy" };
const GIVE_UP: BeginDecision = { type: "giveUp" };

const TABLE: [string, ZvtOpen | null, BeginFacts, BeginDecision][] = [
  ["nothing is open", null, repeat, NEW],
  ["the last one was delivered, the same amount", { ...ended, delivered: true }, repeat, NEW],

  ["it runs, repeated by the same register, of which nothing was heard", live, repeat, REATTACH],
  ["it runs, repeated after the connection was closed", gone, { ...repeat, attached: ELSEWHERE }, REATTACH],
  ["it runs, the node of its connection is gone", live, { ...repeat, attached: ELSEWHERE, isAttachedOpen: false }, REATTACH],
  ["it runs, and the register there acknowledges its progress", { ...live, heard: true }, repeat, BUSY],
  ["it runs, and another register wants the same amount", live, { ...repeat, attached: ELSEWHERE }, BUSY],
  ["it runs, another amount", gone, other, BUSY],
  ["it runs, another currency", gone, { ...repeat, currency: "0756" }, BUSY],
  ["it runs, the same again on the same connection", live, { ...repeat, attached: FIRST }, BUSY],

  ["it ended undelivered, repeated in time", endedGone, repeat, DELIVER],
  ["in time after the result, the connection still there", ended, { ...repeat, atMs: AT_MS + REATTACH_MS }, DELIVER],
  ["in time after the connection closed later", endedGone, { ...repeat, atMs: AT_MS + 1_000 + REATTACH_MS }, DELIVER],
  ["it ended undelivered, the same amount too late", endedGone, { ...repeat, atMs: AT_MS + 1_001 + REATTACH_MS }, NEW],
  ["it ended undelivered, another amount", endedGone, other, NEW],
  ["it was declined undelivered, another register's sale", endedGone, { ...other, attached: ELSEWHERE }, NEW],
  ["it was paid undelivered, another amount", paidGone, other, NEW],
  ["it was paid undelivered, another register's sale, in time", paidGone, { ...other, attached: ELSEWHERE }, BUSY],
  [
    "it was paid undelivered, another register's sale, later",
    paidGone,
    { ...other, attached: ELSEWHERE, atMs: AT_MS + 1 + REATTACH_MS },
    NEW,
  ],
  ["it ended, on the same connection", ended, { ...repeat, attached: FIRST }, DELIVER],
  ["it ended, and another register is about to be told", ended, { ...repeat, attached: ELSEWHERE }, BUSY],
  ["it ended, and another register is about to be told, another amount", ended, { ...other, attached: ELSEWHERE }, BUSY],

  ["its outcome is unknown, the same amount, however late", unknown, { ...repeat, atMs: AT_MS + 86_400_000 }, BUSY],
  ["its outcome is unknown, another amount", unknown, other, NEW],
  ["its outcome is unknown, another register's sale, in time", unknown, { ...other, attached: ELSEWHERE }, BUSY],
  [
    "its outcome is unknown, another register's sale, later",
    unknown,
    { ...other, attached: ELSEWHERE, atMs: AT_MS + 1 + REATTACH_MS },
    NEW,
  ],

  ["it never came to be a command, repeated", gone, { ...repeat, isKnown: false }, RESEND],
  ["it never came to be a command, its node is gone", live, { ...repeat, isKnown: false, isAttachedOpen: false }, RESEND],
  ["it never came to be a command, another amount", gone, { ...other, isKnown: false }, GIVE_UP],
  ["it is about to be sent, another amount", live, { ...other, isKnown: false }, BUSY],
  ["it is about to be sent, by another register", live, { ...repeat, isKnown: false, attached: ELSEWHERE }, BUSY],
];

describe("what a 06-01 is", () => {
  for (const [title, open, facts, expected] of TABLE) {
    it(`${title}: ${expected.type}`, () => assert.deepEqual(decideBegin(open, facts), expected));
  }
});

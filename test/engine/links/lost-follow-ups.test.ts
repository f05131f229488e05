import type { GatewayPaymentState, GatewayTotals } from "../../../engine/gateway/gateway.ts";
import type { LinkEffect, LinkEvent } from "../../../engine/links/events.ts";
import type { LinkRecord } from "../../../engine/links/link.ts";
import { table } from "./machine-table.ts";
import { followUp, link, NOW_MS, PAYMENT, unanswered } from "./machine-world.ts";

const VERIFY: LinkEffect = { type: "verify", params: {} };
const answered = (payment: GatewayPaymentState): LinkEvent => ({ type: "verify.answered", atMs: NOW_MS, askedAtMs: NOW_MS, payment });
const unreachable: LinkEvent = { type: "verify.failed", atMs: NOW_MS };
const paid: GatewayPaymentState = { type: "paid", paymentId: "g1", payment: PAYMENT };
const since = (totals: GatewayTotals | null): GatewayPaymentState => ({ ...paid, ...(totals === null ? {} : { totals }) });
const minutes = (count: number) => count * 60_000;
/** A paid link with these, asked for so long ago that the answers are lost. */
const waitingFor = (followUps: LinkRecord["followUps"]) => link("success", { followUps, nextAtMs: NOW_MS });
const asked1 = unanswered({ requestedAtMs: NOW_MS - minutes(1) });
const askedHalf = unanswered({ id: "f2", amountMinor: 300, whole: false, requestedAtMs: NOW_MS - minutes(1) });
const askedCapture = unanswered({ id: "c1", type: "capture", requestedAtMs: NOW_MS - minutes(1) });
const askedRefund = unanswered({ id: "r1", type: "refund", requestedAtMs: NOW_MS - minutes(1) });
const found = (entry: LinkRecord["followUps"][number], atMs = NOW_MS) => ({
  ...followUp({
    ...entry,
    state: "done",
    finishedAtMs: atMs,
    tranId: null,
    resultCode: null,
    description: "Executed, by the gateway's totals",
  }),
});
const NOT_YET = "Not executed when the gateway was last asked";
const SILENT = "The gateway does not say whether it was executed";
const refusal = { atMs: NOW_MS - 1, resultCode: "GW_30004", description: "no" };
const FLAG: LinkEffect = { type: "flagFollowUp", params: {} };
const KNOWN: LinkEffect = { type: "settleFollowUp", params: {} };

table("a follow-up whose answer was lost", [
  {
    title: "has the gateway asked when its time comes",
    from: waitingFor([asked1]),
    event: { type: "deadline.passed", atMs: NOW_MS },
    effects: [VERIFY],
  },
  ...(
    [
      ["a reversal", [asked1], { reversedMinor: 1234 }],
      ["a part beside one that is done", [followUp({ amountMinor: 600 }), askedHalf], { reversedMinor: 900 }],
      ["a capture", [askedCapture], { captured: true }],
      ["a refund", [askedRefund], { refundedMinor: 1234 }],
    ] as const
  ).map(([what, followUps, totals]) => ({
    title: `${what}: executed where the gateway's total is all of them`,
    from: waitingFor(followUps),
    event: answered(since(totals)),
    to: { followUps: followUps.map((entry) => (entry.state === "requested" ? found(entry) : entry)), nextAtMs: null, verifiedAtMs: NOW_MS },
  })),
  {
    title: "not executed: its request may be on its way, and is asked about again",
    from: waitingFor([asked1]),
    event: answered(since({ reversedMinor: 0 })),
    to: { followUps: [{ ...asked1, description: NOT_YET }], nextAtMs: NOW_MS + minutes(4), verifiedAtMs: NOW_MS },
  },
  {
    title: "not executed, and its repetition was refused: refused",
    from: waitingFor([{ ...asked1, repeated: true, refusal }]),
    event: answered(since({ reversedMinor: 0 })),
    to: {
      followUps: [{ ...asked1, state: "refused", finishedAtMs: NOW_MS, resultCode: "GW_30004", description: "no" }],
      nextAtMs: null,
      verifiedAtMs: NOW_MS,
    },
  },
  {
    title: "executed, whatever its repetition was told",
    from: waitingFor([{ ...asked1, repeated: true, refusal }]),
    event: answered(since({ reversedMinor: 1234 })),
    to: { followUps: [found(asked1)], nextAtMs: null, verifiedAtMs: NOW_MS },
  },
  {
    title: "not executed when asked before its repetition was refused: that does not count",
    from: waitingFor([{ ...asked1, repeated: true, refusal: { ...refusal, atMs: NOW_MS + 1 } }]),
    event: answered(since({ reversedMinor: 0 })),
    to: {
      followUps: [{ ...asked1, repeated: true, refusal: { ...refusal, atMs: NOW_MS + 1 }, description: NOT_YET }],
      nextAtMs: NOW_MS + minutes(4),
      verifiedAtMs: NOW_MS,
    },
  },
  {
    title: "a repetition that was refused, and a gateway that tells no totals: left to operators",
    from: waitingFor([{ ...asked1, repeated: true, refusal }]),
    event: answered(since(null)),
    to: {
      followUps: [{ ...asked1, repeated: true, refusal, description: SILENT, flagged: true }],
      nextAtMs: NOW_MS + minutes(4),
      verifiedAtMs: NOW_MS,
    },
    effects: [FLAG],
  },
  {
    title: "not executed half an hour later: operators are told, once",
    from: waitingFor([{ ...asked1, requestedAtMs: NOW_MS - minutes(30) }]),
    event: answered(since({ reversedMinor: 0 })),
    to: {
      followUps: [{ ...asked1, requestedAtMs: NOW_MS - minutes(30), description: NOT_YET, flagged: true }],
      nextAtMs: NOW_MS + minutes(90),
      verifiedAtMs: NOW_MS,
    },
    effects: [FLAG],
  },
  {
    title: "again two hours later: not told again",
    from: waitingFor([{ ...asked1, requestedAtMs: NOW_MS - minutes(120), description: NOT_YET, flagged: true }]),
    event: answered(since({ reversedMinor: 0 })),
    to: {
      nextAtMs: NOW_MS + minutes(24 * 60 - 120),
      verifiedAtMs: NOW_MS,
      followUps: [{ ...asked1, requestedAtMs: NOW_MS - minutes(120), description: NOT_YET, flagged: true }],
    },
  },
  ...(
    [
      ["a gateway that tells no totals", null],
      ["a total that is neither all nor none", { reversedMinor: 500 }],
      ["a total of something else", { refundedMinor: 1234 }],
    ] as const
  ).map(([what, totals]) => ({
    title: `${what}: nothing is guessed, operators are told at once`,
    from: waitingFor([asked1]),
    event: answered(since(totals)),
    to: { followUps: [{ ...asked1, description: SILENT, flagged: true as const }], nextAtMs: NOW_MS + minutes(4), verifiedAtMs: NOW_MS },
    effects: [FLAG],
  })),
  {
    title: "of two parts one is executed: which is not guessed",
    from: waitingFor([askedHalf, { ...askedHalf, id: "f3" }]),
    event: answered(since({ reversedMinor: 300 })),
    to: {
      followUps: [
        { ...askedHalf, description: SILENT, flagged: true },
        { ...askedHalf, id: "f3", description: SILENT, flagged: true },
      ],
      nextAtMs: NOW_MS + minutes(4),
      verifiedAtMs: NOW_MS,
    },
    effects: [FLAG],
  },
  {
    title: "known after operators were told: settled",
    from: waitingFor([{ ...asked1, flagged: true }]),
    event: answered(since({ reversedMinor: 1234 })),
    to: { followUps: [found(asked1)], nextAtMs: null, verifiedAtMs: NOW_MS },
    effects: [KNOWN],
  },
  {
    title: "answered after operators were told: settled",
    from: link("success", { followUps: [{ ...asked1, flagged: true }] }),
    event: { type: "followUp.answered", atMs: NOW_MS, id: "f1", tranId: "m2", resultCode: "GW_000", description: "ok" },
    to: { followUps: [{ ...asked1, state: "done", finishedAtMs: NOW_MS, tranId: "m2", resultCode: "GW_000", description: "ok" }] },
    effects: [KNOWN],
  },
  {
    title: "the gateway cannot be asked: again later",
    from: waitingFor([asked1]),
    event: unreachable,
    to: { nextAtMs: NOW_MS + minutes(4) },
  },
  {
    title: "after a week it is left to people",
    from: waitingFor([{ ...asked1, requestedAtMs: NOW_MS - minutes(7 * 24 * 60), flagged: true }]),
    event: unreachable,
    to: { nextAtMs: null },
  },
  {
    title: "found executed: asked for again under its id, its movement is fetched",
    from: link("success", { followUps: [found(asked1)] }),
    event: { type: "followUp.requested", atMs: NOW_MS, id: "f1", followUp: "reversal", amountMinor: null },
    effects: [{ type: "executeFollowUp", params: { followUp: found(asked1) } }],
  },
  {
    title: "found executed: the movement is added to it, and its time stays",
    from: link("success", { followUps: [found(asked1, NOW_MS - 5)] }),
    event: { type: "followUp.answered", atMs: NOW_MS, id: "f1", tranId: "m2", resultCode: "GW_000", description: "ok" },
    to: { followUps: [{ ...found(asked1, NOW_MS - 5), tranId: "m2", resultCode: "GW_000", description: "ok" }] },
  },
  {
    title: "found executed: what the gateway refuses afterwards changes nothing",
    from: link("success", { followUps: [found(asked1)] }),
    event: { type: "followUp.refused", atMs: NOW_MS, id: "f1", resultCode: "GW_30004", description: "no" },
  },
  {
    title: "a verify of one where all is known: nothing",
    from: link("success", { followUps: [followUp()] }),
    event: answered(since({ reversedMinor: 0 })),
  },
]);

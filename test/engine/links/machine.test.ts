import type { GatewayPaymentState } from "../../../engine/gateway/gateway.ts";
import type { LinkEffect, LinkEvent } from "../../../engine/links/events.ts";
import { table } from "./machine-table.ts";
import { CREATED_MS, EXPIRES_MS, link, NOW_MS, PAYMENT, success, successWith, unanswered } from "./machine-world.ts";

const VERIFY: LinkEffect = { type: "verify", params: {} };
const ENDED: LinkEffect = { type: "ended", params: {} };
const LATE: LinkEffect = { type: "flagLate", params: {} };
const AMOUNT: LinkEffect = { type: "flagAmount", params: {} };
const OVERDUE: LinkEffect = { type: "flagOverdue", params: {} };
const SETTLED: LinkEffect = { type: "settleOverdue", params: {} };

const notified = (atMs = NOW_MS): LinkEvent => ({ type: "notification.received", atMs });
const asked = (atMs = NOW_MS): LinkEvent => ({ type: "verify.requested", atMs });
const deadline = (atMs = NOW_MS): LinkEvent => ({ type: "deadline.passed", atMs });
const unreachable = (atMs = NOW_MS): LinkEvent => ({ type: "verify.failed", atMs });
const answered = (payment: GatewayPaymentState, atMs = NOW_MS, askedAtMs = atMs): LinkEvent => ({
  type: "verify.answered",
  atMs,
  askedAtMs,
  payment,
});

const pending: GatewayPaymentState = { type: "pending", paymentId: "g1", redirectUrl: "https://pay.example/g1" };
const absent: GatewayPaymentState = { type: "absent" };
const paid: Extract<GatewayPaymentState, { type: "paid" }> = { type: "paid", paymentId: "g1", payment: PAYMENT };
const failed = (resultCode: string): GatewayPaymentState => ({ type: "failed", paymentId: "g1", resultCode, description: resultCode });
const outcome = (resultCode: string, atMs = NOW_MS, description = resultCode) => ({ resultCode, description, atMs, payment: null });
const paidWith = (amountMinor: number, currency: string): GatewayPaymentState => ({
  ...paid,
  payment: { ...PAYMENT, amount: { amountMinor, currency } },
});
const inTime = "The buyer did not pay in time";

table("init", [
  {
    title: "is counted before the gateway hears of it",
    from: link("created", { inits: 0 }),
    event: { type: "init.begun", atMs: NOW_MS },
    to: { inits: 1, nextAtMs: NOW_MS + 20_000 },
  },
  {
    title: "answered: waits for a notification, five minutes at most",
    from: link("created"),
    event: { type: "init.answered", atMs: NOW_MS, paymentId: "g1", redirectUrl: "https://pay.example/g1" },
    to: { state: "waiting", paymentId: "g1", paymentUrl: "https://pay.example/g1", nextAtMs: NOW_MS + 300_000 },
  },
  {
    title: "answered after a verify has found it: only its address is new",
    from: link("watching", { paymentUrl: null }),
    event: { type: "init.answered", atMs: NOW_MS, paymentId: "g1", redirectUrl: "https://pay.example/g1" },
    to: { paymentUrl: "https://pay.example/g1" },
  },
  {
    title: "answered after it was paid: nothing",
    from: link("success"),
    event: { type: "init.answered", atMs: NOW_MS, paymentId: "g1", redirectUrl: "https://pay.example/g1" },
  },
  {
    title: "refused: failed, without ever having been payable",
    from: link("created"),
    event: { type: "init.refused", atMs: NOW_MS, resultCode: "GW_30001", description: "no", absent: false },
    to: { state: "failed", settled: true, outcome: outcome("GW_30001", NOW_MS, "no"), nextAtMs: null },
  },
  {
    title: "refused as a repetition: not believed",
    from: link("created", { inits: 2 }),
    event: { type: "init.refused", atMs: NOW_MS, resultCode: "GW_30003", description: "no", absent: false },
  },
  {
    title: "refused as a repetition, and the gateway has no such payment since: failed",
    from: link("created", { inits: 2 }),
    event: { type: "init.refused", atMs: NOW_MS, resultCode: "GW_30001", description: "no", absent: true },
    to: { state: "failed", settled: true, outcome: outcome("GW_30001", NOW_MS, "no"), nextAtMs: null },
  },
]);

table("a notification", [
  {
    title: "is not believed: verified at once, and watched from then on",
    from: link("waiting"),
    event: notified(),
    to: { state: "watching", notifications: 1, nextAtMs: NOW_MS },
    effects: [VERIFY],
  },
  {
    title: "of a link whose init has not been answered",
    from: link("created"),
    event: notified(),
    to: { notifications: 1, nextAtMs: NOW_MS },
    effects: [VERIFY],
  },
  {
    title: "just after a verify: another verify follows after the gap",
    from: link("watching", { verifiedAtMs: NOW_MS - 1_000, nextAtMs: NOW_MS + 29_000 }),
    event: notified(),
    to: { notifications: 1, nextAtMs: NOW_MS + 2_000 },
  },
  {
    title: "repeated while that verify is to come: nothing",
    from: link("watching", { verifiedAtMs: NOW_MS - 1_000, nextAtMs: NOW_MS + 2_000 }),
    event: notified(),
  },
  { title: "the fifty-first: nothing that would not come by itself", from: link("watching", { notifications: 50 }), event: notified() },
  { title: "of a paid link: nothing", from: link("success"), event: notified() },
  {
    title: "of an expired one: perhaps paid late",
    from: link("expired", { verifiedAtMs: EXPIRES_MS }),
    event: notified(EXPIRES_MS + 90_000),
    to: { notifications: 1, nextAtMs: EXPIRES_MS + 90_000 },
    effects: [VERIFY],
  },
  {
    title: "of a failed one, within the minute",
    from: link("failed", { verifiedAtMs: NOW_MS - 1_000 }),
    event: notified(),
    to: { notifications: 1, nextAtMs: NOW_MS + 59_000 },
  },
  { title: "of one that the gateway refused to create: nothing", from: link("failed", { paymentId: null }), event: notified() },
]);

table("a caller that wants to know", [
  { title: "has it verified", from: link("waiting"), event: asked(), effects: [VERIFY] },
  { title: "within three seconds of a verify: as it is known", from: link("watching", { verifiedAtMs: NOW_MS - 2_999 }), event: asked() },
  { title: "of a paid one: as it is known", from: link("success"), event: asked() },
]);

table("a deadline", [
  { title: "that has passed leads to a verify", from: link("watching"), event: deadline(), effects: [VERIFY] },
  { title: "that was moved leads to nothing", from: link("watching", { nextAtMs: NOW_MS + 1 }), event: deadline() },
  { title: "of an ended link leads to nothing", from: link("failed"), event: deadline() },
]);

table("verified as pending", [
  {
    title: "created and never answered: as if it had been",
    from: link("created"),
    event: answered(pending),
    to: { state: "waiting", paymentId: "g1", paymentUrl: "https://pay.example/g1", nextAtMs: CREATED_MS + 300_000, verifiedAtMs: NOW_MS },
  },
  {
    title: "created and notified: every thirty seconds from now on",
    from: link("created", { notifications: 1 }),
    event: answered(pending),
    to: { state: "watching", paymentId: "g1", paymentUrl: "https://pay.example/g1", nextAtMs: NOW_MS + 30_000, verifiedAtMs: NOW_MS },
  },
  {
    title: "asked for by a caller in the grace: the grace stays",
    from: link("waiting"),
    event: answered(pending),
    to: { verifiedAtMs: NOW_MS },
  },
  {
    title: "at the end of the grace: watched",
    from: link("waiting", { nextAtMs: NOW_MS }),
    event: answered(pending),
    to: { state: "watching", nextAtMs: NOW_MS + 30_000, verifiedAtMs: NOW_MS },
  },
  {
    title: "watched: again in thirty seconds",
    from: link("watching"),
    event: answered(pending),
    to: { nextAtMs: NOW_MS + 30_000, verifiedAtMs: NOW_MS },
  },
  {
    title: "shortly before its end: again at its end",
    from: link("watching"),
    event: answered(pending, EXPIRES_MS - 10_000),
    to: { nextAtMs: EXPIRES_MS, verifiedAtMs: EXPIRES_MS - 10_000 },
  },
  {
    title: "asked before its end, answered after it: asked once more",
    from: link("watching"),
    event: answered(pending, EXPIRES_MS + 10, EXPIRES_MS - 10),
    to: { nextAtMs: EXPIRES_MS + 3_010, verifiedAtMs: EXPIRES_MS + 10 },
  },
  {
    title: "asked at its end: expired, and looked at once more in a minute",
    from: link("watching"),
    event: answered(pending, EXPIRES_MS),
    to: { state: "expired", outcome: outcome("GW_20002", EXPIRES_MS, inTime), nextAtMs: EXPIRES_MS + 60_000, verifiedAtMs: EXPIRES_MS },
    effects: [ENDED],
  },
  {
    title: "overdue, and the gateway is back: expired, and settled",
    from: link("watching", { overdue: true }),
    event: answered(pending, EXPIRES_MS + 400_000),
    to: {
      state: "expired",
      outcome: outcome("GW_20002", EXPIRES_MS + 400_000, inTime),
      overdue: false,
      nextAtMs: EXPIRES_MS + 1_800_000,
      verifiedAtMs: EXPIRES_MS + 400_000,
    },
    effects: [SETTLED, ENDED],
  },
  {
    title: "expired: until the last look",
    from: link("expired"),
    event: answered(pending, EXPIRES_MS + 60_000),
    to: { nextAtMs: EXPIRES_MS + 300_000, verifiedAtMs: EXPIRES_MS + 60_000 },
  },
  {
    title: "at the last look: no more",
    from: link("expired"),
    event: answered(pending, EXPIRES_MS + 86_400_000),
    to: { nextAtMs: null, verifiedAtMs: EXPIRES_MS + 86_400_000 },
  },
]);

table("verified as absent", [
  {
    title: "created: its init may be on its way",
    from: link("created"),
    event: answered(absent),
    to: { nextAtMs: NOW_MS + 30_000, verifiedAtMs: NOW_MS },
  },
  {
    title: "created, at its end: expired, never payable, never looked at again",
    from: link("created"),
    event: answered(absent, EXPIRES_MS),
    to: { state: "expired", settled: true, outcome: outcome("GW_20002", EXPIRES_MS, inTime), nextAtMs: null, verifiedAtMs: EXPIRES_MS },
    effects: [ENDED],
  },
  {
    title: "watched: nothing follows from it",
    from: link("watching"),
    event: answered(absent),
    to: { nextAtMs: NOW_MS + 30_000, verifiedAtMs: NOW_MS },
  },
  {
    title: "watched, at its end: the gateway had it, so nobody knows; operators are told",
    from: link("watching"),
    event: answered(absent, EXPIRES_MS),
    to: { overdue: true, nextAtMs: EXPIRES_MS + 30_000, verifiedAtMs: EXPIRES_MS },
    effects: [OVERDUE],
  },
  {
    title: "expired: looked at again like one that is pending",
    from: link("expired"),
    event: answered(absent, EXPIRES_MS + 60_000),
    to: { nextAtMs: EXPIRES_MS + 300_000, verifiedAtMs: EXPIRES_MS + 60_000 },
  },
]);

table("verified as paid", [
  ...(["created", "waiting", "watching"] as const).map((state) => ({
    title: state,
    from: link(state),
    event: answered(paid),
    to: { state: "success" as const, paymentId: "g1", outcome: success(), nextAtMs: null, verifiedAtMs: NOW_MS },
    effects: [ENDED],
  })),
  ...(["failed", "expired"] as const).map((state) => ({
    title: `${state}: recorded and flagged`,
    from: link(state),
    event: answered(paid),
    to: { state: "success" as const, outcome: success(), late: true, nextAtMs: null, verifiedAtMs: NOW_MS },
    effects: [ENDED, LATE],
  })),
  {
    title: "overdue: paid in time after all, and settled",
    from: link("watching", { overdue: true }),
    event: answered(paid),
    to: { state: "success", outcome: success(), overdue: false, nextAtMs: null, verifiedAtMs: NOW_MS },
    effects: [SETTLED, ENDED],
  },
  { title: "again: nothing", from: link("success"), event: answered(paid) },
  {
    title: "with the amount that was ordered",
    from: link("watching"),
    event: answered(paidWith(1234, "EUR")),
    to: { state: "success", outcome: successWith(1234, "EUR"), nextAtMs: null, verifiedAtMs: NOW_MS },
    effects: [ENDED],
  },
  ...(
    [
      ["less", 1233, "EUR"],
      ["more", 1235, "EUR"],
      ["another currency", 1234, "USD"],
    ] as const
  ).map(([what, amountMinor, currency]) => ({
    title: `with ${what}: kept as it is, and flagged`,
    from: link("watching"),
    event: answered(paidWith(amountMinor, currency)),
    to: { state: "success" as const, outcome: successWith(amountMinor, currency), nextAtMs: null, verifiedAtMs: NOW_MS },
    effects: [ENDED, AMOUNT],
  })),
  {
    title: "with another amount, late: both are flagged",
    from: link("expired"),
    event: answered(paidWith(1_000, "EUR")),
    to: { state: "success", outcome: successWith(1_000, "EUR"), late: true, nextAtMs: null, verifiedAtMs: NOW_MS },
    effects: [ENDED, LATE, AMOUNT],
  },
]);

table("verified as failed", [
  ...["GW_10001", "GW_10002", "GW_20090", "GW_99999"].map((code) => ({
    title: code,
    from: link("watching"),
    event: answered(failed(code)),
    to: { state: "failed" as const, settled: true as const, outcome: outcome(code), nextAtMs: null, verifiedAtMs: NOW_MS },
    effects: [ENDED],
  })),
  {
    title: "GW_20002 is the end of its time",
    from: link("watching"),
    event: answered(failed("GW_20002")),
    to: { state: "expired", settled: true, outcome: outcome("GW_20002"), nextAtMs: null, verifiedAtMs: NOW_MS },
    effects: [ENDED],
  },
  {
    title: "an expired one stays expired and need not be looked at again",
    from: link("expired"),
    event: answered(failed("GW_10001")),
    to: { settled: true, nextAtMs: null, verifiedAtMs: NOW_MS },
  },
  { title: "a paid one stays paid", from: link("success"), event: answered(failed("GW_10001")) },
]);

table("the gateway cannot be asked", [
  {
    title: "watched: again in thirty seconds, never failed",
    from: link("watching"),
    event: unreachable(),
    to: { nextAtMs: NOW_MS + 30_000 },
  },
  {
    title: "at the end of the grace: watched",
    from: link("waiting", { nextAtMs: NOW_MS }),
    event: unreachable(),
    to: { state: "watching", nextAtMs: NOW_MS + 30_000 },
  },
  { title: "for a caller, in the grace: nothing", from: link("waiting"), event: unreachable() },
  {
    title: "created: again in thirty seconds",
    from: link("created", { nextAtMs: NOW_MS }),
    event: unreachable(),
    to: { nextAtMs: NOW_MS + 30_000 },
  },
  {
    title: "at its end: it stays open, and operators are told",
    from: link("watching"),
    event: unreachable(EXPIRES_MS),
    to: { overdue: true, nextAtMs: EXPIRES_MS + 30_000 },
    effects: [OVERDUE],
  },
  {
    title: "long after: ever less often, told once",
    from: link("watching", { overdue: true }),
    event: unreachable(EXPIRES_MS + 3_600_000),
    to: { nextAtMs: EXPIRES_MS + 3_960_000 },
  },
  {
    title: "after a week: given up, said to be so",
    from: link("watching", { overdue: true }),
    event: unreachable(EXPIRES_MS + 7 * 86_400_000),
    to: {
      state: "expired",
      nextAtMs: null,
      outcome: outcome("GW_20002", EXPIRES_MS + 7 * 86_400_000, "Given up: the gateway could not be asked whether it was paid"),
    },
    effects: [ENDED],
  },
  {
    title: "at a late look: again in five minutes",
    from: link("expired"),
    event: unreachable(EXPIRES_MS + 60_000),
    to: { nextAtMs: EXPIRES_MS + 360_000 },
  },
]);

const redirectUrl = "https://pay.example/g1";
/** Never confirmed: it was stored, and its node died before the gateway was asked. */
const unconfirmed = link("created", { inits: 0, overdue: true, nextAtMs: EXPIRES_MS + 30_000 });
/** Confirmed only when its time was over. */
const offeredLate = link("waiting", { overdue: true, nextAtMs: EXPIRES_MS + 330_000 });
const later = EXPIRES_MS + 30_000;

table("an overdue link keeps how far it had come", [
  {
    title: "never confirmed, and asked for again: its init begins",
    from: unconfirmed,
    event: { type: "init.begun", atMs: later },
    to: { inits: 1, nextAtMs: later + 20_000 },
  },
  {
    title: "never confirmed: an init that is answered now is waited for",
    from: unconfirmed,
    event: { type: "init.answered", atMs: later, paymentId: "g1", redirectUrl },
    to: { state: "waiting", paymentId: "g1", paymentUrl: redirectUrl, nextAtMs: later + 300_000 },
  },
  {
    title: "never confirmed, and refused now: failed",
    from: unconfirmed,
    event: { type: "init.refused", atMs: later, resultCode: "GW_30001", description: "no", absent: false },
    to: { state: "failed", settled: true, outcome: outcome("GW_30001", later, "no"), nextAtMs: null },
  },
  {
    title: "never confirmed, and the gateway cannot be asked: asked less often, not yet watched",
    from: unconfirmed,
    event: unreachable(later),
    to: { nextAtMs: later + 30_000 },
  },
  {
    title: "never confirmed, and the gateway has nothing: expired, and settled",
    from: unconfirmed,
    event: answered(absent, later),
    to: {
      state: "expired",
      settled: true,
      outcome: outcome("GW_20002", later, inTime),
      overdue: false,
      nextAtMs: null,
      verifiedAtMs: later,
    },
    effects: [SETTLED, ENDED],
  },
  {
    title: "confirmed before: what an init says is not new",
    from: link("watching", { overdue: true }),
    event: { type: "init.refused", atMs: later, resultCode: "GW_30001", description: "no", absent: true },
  },
  { title: "confirmed before: no init begins", from: link("watching", { overdue: true }), event: { type: "init.begun", atMs: later } },
  {
    title: "confirmed late: a notification ends the wait",
    from: offeredLate,
    event: notified(later),
    to: { state: "watching", notifications: 1, nextAtMs: later },
    effects: [VERIFY],
  },
  {
    title: "confirmed late: also one after which nothing is asked that would not come by itself",
    from: { ...offeredLate, notifications: 49, verifiedAtMs: later - 1_000, nextAtMs: later },
    event: notified(later),
    to: { state: "watching" },
  },
  {
    title: "confirmed late, asked for by a caller before its end: the wait stays",
    from: offeredLate,
    event: answered(pending, later, EXPIRES_MS - 1),
    to: { verifiedAtMs: later },
  },
  {
    title: "forgotten by the gateway: asked less often, told once",
    from: link("watching", { overdue: true, nextAtMs: later }),
    event: answered(absent, later),
    to: { nextAtMs: later + 30_000, verifiedAtMs: later },
  },
  {
    title: "failed by the gateway's word: settled",
    from: link("watching", { overdue: true }),
    event: answered(failed("GW_10001"), later),
    to: { state: "failed", settled: true, outcome: outcome("GW_10001", later), overdue: false, nextAtMs: null, verifiedAtMs: later },
    effects: [SETTLED, ENDED],
  },
  {
    title: "given up, and found paid after all: late, flagged and settled",
    from: link("expired", { overdue: true, nextAtMs: null }),
    event: answered(paid, later),
    to: { state: "success", outcome: success(later), late: true, overdue: false, verifiedAtMs: later },
    effects: [SETTLED, ENDED, LATE],
  },
]);

const REVERSAL: LinkEffect = { type: "flagReversal", params: {} };
const canceledBy = (atMs: number) => ({ resultCode: "GW_20090", description: "Canceled by the merchant", atMs, payment: null });
const revoke = (atMs: number, sinceMs = atMs): LinkEvent => ({ type: "revoke.requested", atMs, sinceMs });
const owed = { sinceMs: NOW_MS, state: "owed" as const, attempts: 0, nextAtMs: NOW_MS };

table("revoked", [
  ...(["created", "waiting", "watching"] as const).map((state) => ({
    title: `${state}: once a verify since then has said that it is not paid, and verified on from then on`,
    from: link(state, { verifiedAtMs: NOW_MS }),
    event: revoke(NOW_MS),
    to: { state: "failed" as const, revoked: true as const, outcome: canceledBy(NOW_MS), nextAtMs: NOW_MS + 30_000 },
    effects: [ENDED],
  })),
  {
    title: "overdue: operators need not look at it any more",
    from: link("watching", { overdue: true, verifiedAtMs: later }),
    event: revoke(later),
    to: { state: "failed", revoked: true, overdue: false, outcome: canceledBy(later), nextAtMs: EXPIRES_MS + 60_000 },
    effects: [SETTLED, ENDED],
  },
  { title: "not where the last verify is older", from: link("waiting", { verifiedAtMs: NOW_MS - 1 }), event: revoke(NOW_MS) },
  { title: "not where there was none", from: link("waiting"), event: revoke(NOW_MS) },
  ...(["success", "failed", "expired"] as const).map((state) => ({
    title: `${state}: not any more`,
    from: link(state, { verifiedAtMs: NOW_MS }),
    event: revoke(NOW_MS),
  })),
]);

const gone = link("failed", { revoked: true, outcome: canceledBy(NOW_MS - 1), nextAtMs: NOW_MS });
const goneUnheard = { ...gone, paymentId: null, paymentUrl: null };

table("a revoked link", [
  {
    title: "that is paid all the same: late, flagged, and to be given back",
    from: gone,
    event: answered(paid),
    to: { state: "success", outcome: success(), late: true, verifiedAtMs: NOW_MS, nextAtMs: NOW_MS, reversalOwed: owed },
    effects: [ENDED, LATE, REVERSAL],
  },
  {
    title: "that is paid otherwise: that is flagged, too",
    from: gone,
    event: answered(paidWith(1_000, "EUR")),
    to: {
      ...{ state: "success", outcome: successWith(1_000, "EUR"), late: true, verifiedAtMs: NOW_MS, nextAtMs: NOW_MS },
      reversalOwed: owed,
    },
    effects: [ENDED, LATE, AMOUNT, REVERSAL],
  },
  {
    title: "is verified again while it could be paid",
    from: gone,
    event: answered(pending),
    to: { verifiedAtMs: NOW_MS, nextAtMs: NOW_MS + 30_000 },
  },
  {
    title: "that the gateway never had is verified again as well: its init may arrive",
    from: goneUnheard,
    event: answered(absent, EXPIRES_MS + 1),
    to: { verifiedAtMs: EXPIRES_MS + 1, nextAtMs: EXPIRES_MS + 60_000 },
  },
  {
    title: "has no address, also when its init is answered now",
    from: goneUnheard,
    event: { type: "init.answered", atMs: NOW_MS, paymentId: "g1", redirectUrl },
    to: { paymentId: "g1" },
  },
  {
    title: "is verified soon after the last time when the gateway notifies: who paid it waits for his money",
    from: { ...gone, verifiedAtMs: NOW_MS - 3_000 },
    event: notified(),
    to: { notifications: 1, nextAtMs: NOW_MS },
    effects: [VERIFY],
  },
  { title: "has no init begun", from: goneUnheard, event: { type: "init.begun", atMs: NOW_MS } },
  {
    title: "that failed at the gateway is not looked at again",
    from: gone,
    event: answered(failed("GW_20002")),
    to: { verifiedAtMs: NOW_MS, nextAtMs: null },
  },
  { title: "is asked about again where the gateway is away", from: gone, event: unreachable(NOW_MS), to: { nextAtMs: NOW_MS + 30_000 } },
  {
    title: "is left to operators after a week without an answer",
    from: { ...gone, nextAtMs: EXPIRES_MS + 7 * 86_400_000 },
    event: unreachable(EXPIRES_MS + 7 * 86_400_000),
    to: { nextAtMs: null },
    effects: [OVERDUE],
  },
]);

const owing = link("success", { reversalOwed: owed, nextAtMs: NOW_MS });
const reversal = unanswered({ id: "x1.r", type: "reversal", amountMinor: 1_234, requestedAtMs: NOW_MS });

table("a link that is to be given back", [
  {
    title: "is reversed at its deadline, and again after a pause",
    from: owing,
    event: { type: "deadline.passed", atMs: NOW_MS },
    to: { reversalOwed: { ...owed, attempts: 1, nextAtMs: NOW_MS + 10_000 }, nextAtMs: NOW_MS + 10_000 },
    effects: [{ type: "reverse", params: {} }],
  },
  {
    title: "is tried ever less often",
    from: { ...owing, reversalOwed: { ...owed, attempts: 9 } },
    event: { type: "deadline.passed", atMs: NOW_MS + 3_600_000 },
    to: { reversalOwed: { ...owed, attempts: 10, nextAtMs: NOW_MS + 7_200_000 }, nextAtMs: NOW_MS + 7_200_000 },
    effects: [{ type: "reverse", params: {} }],
  },
  {
    title: "is given up after a week",
    from: owing,
    event: { type: "deadline.passed", atMs: NOW_MS + 7 * 86_400_000 },
    to: { reversalOwed: { ...owed, state: "givenUp", nextAtMs: null }, nextAtMs: null },
    effects: [REVERSAL],
  },
  { title: "is not tried before its time", from: owing, event: { type: "deadline.passed", atMs: NOW_MS - 1 } },
  {
    title: "owes nothing more once it is reversed",
    from: { ...owing, followUps: [reversal] },
    event: { type: "followUp.answered", atMs: NOW_MS, id: "x1.r", tranId: "m2", resultCode: "GW_000", description: "Reversed" },
    to: {
      followUps: [{ ...reversal, state: "done", finishedAtMs: NOW_MS, tranId: "m2", resultCode: "GW_000", description: "Reversed" }],
      ...{ reversalOwed: { ...owed, state: "done", nextAtMs: null }, nextAtMs: null },
    },
    effects: [REVERSAL],
  },
  {
    title: "is left to operators where the gateway refuses it",
    from: { ...owing, followUps: [reversal] },
    event: { type: "followUp.refused", atMs: NOW_MS, id: "x1.r", resultCode: "GW_30009", description: "no" },
    to: {
      followUps: [{ ...reversal, state: "refused", finishedAtMs: NOW_MS, resultCode: "GW_30009", description: "no" }],
      ...{ reversalOwed: { ...owed, state: "refused", nextAtMs: null }, nextAtMs: null },
    },
    effects: [REVERSAL],
  },
  {
    title: "is still owed where the gateway has not looked at it",
    from: { ...owing, followUps: [reversal] },
    event: { type: "followUp.refused", atMs: NOW_MS, id: "x1.r", resultCode: "GW_30401", description: "no" },
    to: { followUps: [{ ...reversal, state: "refused", finishedAtMs: NOW_MS, resultCode: "GW_30401", description: "no" }] },
  },
]);

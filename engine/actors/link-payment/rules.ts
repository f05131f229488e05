import { GATEWAY_RESULT, type GatewayPaymentState, type GatewayTotals } from "../../domain/gateway.ts";
import {
  LINK_FOLLOW_UP_CHECKS_MS,
  LINK_FOLLOW_UP_FLAG_MS,
  LINK_FOLLOW_UP_LEASE_MS,
  LINK_FOLLOW_UPS_MAX,
  LINK_GRACE_MS,
  LINK_INIT_CHECK_MS,
  LINK_LATE_CHECKS_MS,
  LINK_NOTIFICATIONS_MAX,
  LINK_UNVERIFIED_MAX_MS,
  LINK_VERIFY_GAP_ENDED_MS,
  LINK_VERIFY_GAP_MS,
  LINK_VERIFY_MS,
} from "../../domain/limits.ts";
import {
  amountDiffers,
  amountOf,
  type FollowUp,
  type FollowUpRefusal,
  isFinal,
  type LinkContext,
  type LinkOrder,
  type LinkOutcome,
  type LinkRecord,
  type LinkState,
} from "../../domain/link.ts";
import type { LinkEffect, LinkEvent } from "./events.ts";

/** What an event does: the state that it leads to, the context there, and what the runtime is to do once that is stored. */
export interface LinkStep {
  state: LinkState;
  link: LinkContext;
  effects: readonly LinkEffect[];
}

type Of<Type extends LinkEvent["type"]> = Extract<LinkEvent, { type: Type }>;

const VERIFY: LinkEffect = { type: "verify", params: {} };
const ENDED: LinkEffect = { type: "ended", params: {} };
const FLAG_LATE: LinkEffect = { type: "flagLate", params: {} };
const FLAG_AMOUNT: LinkEffect = { type: "flagAmount", params: {} };
const FLAG_FOLLOW_UP: LinkEffect = { type: "flagFollowUp", params: {} };
const SETTLE_FOLLOW_UP: LinkEffect = { type: "settleFollowUp", params: {} };
const FLAG_OVERDUE: LinkEffect = { type: "flagOverdue", params: {} };
const SETTLE_OVERDUE: LinkEffect = { type: "settleOverdue", params: {} };

/** A link that has just been thought of: stored before the gateway hears of it, so that it is found whatever happens then. */
export function newLink(order: LinkOrder): LinkRecord {
  return {
    schema: 1,
    state: "created",
    order,
    inits: 0,
    paymentId: null,
    paymentUrl: null,
    nextAtMs: order.createdAtMs + LINK_INIT_CHECK_MS,
    verifiedAtMs: null,
    notifications: 0,
    outcome: null,
    late: false,
    overdue: false,
    followUps: [],
  };
}

let lastState: LinkState | null = null;
let lastLink: LinkContext | null = null;
let lastEvent: LinkEvent | null = null;
let lastStep: LinkStep | null = null;

/** The guards and the action of one transition ask for the same step, one after the other: it is worked out once. */
export function stepOf(state: LinkState, link: LinkContext, event: LinkEvent): LinkStep {
  if (lastStep !== null && state === lastState && link === lastLink && event === lastEvent) return lastStep;
  lastStep = workOut(state, link, event);
  lastState = state;
  lastLink = link;
  lastEvent = event;
  return lastStep;
}

function workOut(state: LinkState, link: LinkContext, event: LinkEvent): LinkStep {
  switch (event.type) {
    case "init.begun":
      return { state, link: { ...link, inits: link.inits + 1, nextAtMs: event.atMs + LINK_INIT_CHECK_MS }, effects: [] };
    case "init.answered":
      return initAnswered(state, link, event);
    case "init.refused":
      return initRefused(state, link, event);
    case "notification.received":
      return notified(state, link, event);
    case "verify.requested":
      return mayVerify(state, link, event.atMs) ? { state, link, effects: [VERIFY] } : same(state, link);
    case "deadline.passed":
      return link.nextAtMs !== null && link.nextAtMs <= event.atMs ? { state, link, effects: [VERIFY] } : same(state, link);
    case "verify.answered":
      if (state === "success") return followUpsVerified(state, link, event.atMs, totalsOf(event.payment), true);
      return verified(state, { ...link, verifiedAtMs: event.atMs }, event);
    case "verify.failed":
      if (state === "success") return followUpsVerified(state, link, event.atMs, {}, false);
      return unverified(state, link, event);
    case "followUp.requested":
      return followUpRequested(state, link, event);
    case "followUp.answered":
      return followUpEnded(state, link, event, "done", event.tranId);
    case "followUp.refused":
      return followUpEnded(state, link, event, "refused", null);
  }
}

function same(state: LinkState, link: LinkContext): LinkStep {
  return { state, link, effects: [] };
}

function initAnswered(state: LinkState, link: LinkContext, { atMs, paymentId, redirectUrl }: Of<"init.answered">): LinkStep {
  if (state !== "created") {
    // A verify found it first; the address may be known only now.
    return link.paymentUrl === null ? { state, link: { ...link, paymentUrl: redirectUrl }, effects: [] } : same(state, link);
  }
  const nextAtMs = Math.max(atMs, link.order.createdAtMs) + LINK_GRACE_MS;
  return { state: "waiting", link: { ...link, paymentId, paymentUrl: redirectUrl, nextAtMs }, effects: [] };
}

function initRefused(state: LinkState, link: LinkContext, { atMs, resultCode, description }: Of<"init.refused">): LinkStep {
  // The refusal of a second init may only say that the first one arrived.
  if (link.inits > 1) return same(state, link);
  const outcome: LinkOutcome = { resultCode, description, atMs, payment: null };
  return { state: "failed", link: { ...link, outcome, nextAtMs: null }, effects: [] };
}

/** Whether a caller or a notification may have the gateway asked now. */
function mayVerify(state: LinkState, link: LinkContext, atMs: number): boolean {
  if (state === "success" || neverOffered(state, link)) return false;
  const gapMs = isFinal(state) ? LINK_VERIFY_GAP_ENDED_MS : LINK_VERIFY_GAP_MS;
  return link.verifiedAtMs === null || atMs - link.verifiedAtMs >= gapMs;
}

/** The gateway refused to create it: there is nothing that could be paid. */
function neverOffered(state: LinkState, link: LinkContext): boolean {
  return state === "failed" && link.paymentId === null;
}

function notified(state: LinkState, link: LinkContext, { atMs }: Of<"notification.received">): LinkStep {
  if (link.notifications >= LINK_NOTIFICATIONS_MAX || neverOffered(state, link)) return same(state, link);
  const next = state === "waiting" ? "watching" : state;
  if (mayVerify(state, link, atMs)) {
    // Due at once, also for whoever is home after a crash.
    return { state: next, link: { ...link, notifications: link.notifications + 1, nextAtMs: atMs }, effects: [VERIFY] };
  }
  // What it tells of may be younger than the last verify: another one follows, after the gap.
  const gapMs = isFinal(state) ? LINK_VERIFY_GAP_ENDED_MS : LINK_VERIFY_GAP_MS;
  const againAtMs = (link.verifiedAtMs ?? atMs) + gapMs;
  if (link.nextAtMs !== null && link.nextAtMs <= againAtMs) return { state: next, link, effects: [] };
  return { state: next, link: { ...link, notifications: link.notifications + 1, nextAtMs: againAtMs }, effects: [] };
}

function verified(state: LinkState, link: LinkContext, event: Of<"verify.answered">): LinkStep {
  const { payment, atMs, askedAtMs } = event;
  if (payment.type === "paid") return paid(state, link, payment, atMs);
  if (isFinal(state)) return stillEnded(state, link, payment, atMs);
  switch (payment.type) {
    case "failed":
      return failed(link, payment, atMs);
    case "pending":
    case "absent":
      return open(state, link, payment, atMs, askedAtMs);
  }
}

function paid(state: LinkState, link: LinkContext, found: Extract<GatewayPaymentState, { type: "paid" }>, atMs: number): LinkStep {
  const { payment, paymentId } = found;
  const late = isFinal(state);
  const outcome: LinkOutcome = { resultCode: payment.resultCode, description: payment.description, atMs, payment };
  const differs = amountDiffers({ order: link.order, outcome });
  const effects = [...(link.overdue ? [SETTLE_OVERDUE] : []), ENDED, ...(late ? [FLAG_LATE] : []), ...(differs ? [FLAG_AMOUNT] : [])];
  return { state: "success", link: { ...link, paymentId, outcome, late, overdue: false, nextAtMs: null }, effects };
}

function failed(link: LinkContext, found: Extract<GatewayPaymentState, { type: "failed" }>, atMs: number): LinkStep {
  const { paymentId, resultCode, description } = found;
  const outcome: LinkOutcome = { resultCode, description, atMs, payment: null };
  const state = resultCode === GATEWAY_RESULT.expired ? "expired" : "failed";
  const effects = [...(link.overdue ? [SETTLE_OVERDUE] : []), ENDED];
  return { state, link: { ...link, paymentId, outcome, overdue: false, nextAtMs: null }, effects };
}

/** Not paid yet. After the end of its time that is its end, though not quite: the buyer may be paying at this moment. */
function open(
  state: LinkState,
  link: LinkContext,
  found: Extract<GatewayPaymentState, { type: "pending" | "absent" }>,
  atMs: number,
  askedAtMs: number,
): LinkStep {
  const { order } = link;
  const known = found.type === "pending" ? { ...link, paymentId: found.paymentId, paymentUrl: link.paymentUrl ?? found.redirectUrl } : link;
  // Only a verify that was asked for after the end knows that it was not paid until then.
  if (askedAtMs >= order.expiresAtMs) return expire(known, atMs, "The buyer did not pay in time");
  const graceEndsMs = order.createdAtMs + LINK_GRACE_MS;
  // Found by a verify because init was never answered: from here on as if it had been.
  if (state === "created" && found.type === "pending" && atMs < graceEndsMs && link.notifications === 0) {
    return { state: "waiting", link: { ...known, nextAtMs: graceEndsMs }, effects: [] };
  }
  const nextAtMs = Math.min(atMs + LINK_VERIFY_MS, Math.max(order.expiresAtMs, atMs + LINK_VERIFY_GAP_MS));
  // A caller's question during the grace changes nothing of what was to come.
  if (state === "waiting" && link.nextAtMs !== null && link.nextAtMs > atMs) return same(state, known);
  return { state: state === "created" && found.type === "absent" ? "created" : "watching", link: { ...known, nextAtMs }, effects: [] };
}

function expire(link: LinkContext, atMs: number, description: string): LinkStep {
  const outcome: LinkOutcome = { resultCode: GATEWAY_RESULT.expired, description, atMs, payment: null };
  const effects = [...(link.overdue ? [SETTLE_OVERDUE] : []), ENDED];
  return { state: "expired", link: { ...link, outcome, overdue: false, nextAtMs: lateCheckMs(link, atMs) }, effects };
}

/** When an expired link is looked at again, or null: what the gateway never had cannot be paid late. */
function lateCheckMs({ order, paymentId }: LinkContext, atMs: number): number | null {
  if (paymentId === null) return null;
  const after = LINK_LATE_CHECKS_MS.find((afterMs) => order.expiresAtMs + afterMs > atMs);
  return after === undefined ? null : order.expiresAtMs + after;
}

/** What has ended stays so unless it was paid; a gateway that calls it failed need not be asked again. */
function stillEnded(state: LinkState, link: LinkContext, payment: GatewayPaymentState, atMs: number): LinkStep {
  const nextAtMs = state === "expired" && payment.type === "pending" ? lateCheckMs(link, atMs) : null;
  return { state, link: { ...link, nextAtMs }, effects: [] };
}

/**
 * The gateway cannot be asked. Nothing follows from that: a link whose time is over stays open until somebody knows, asked ever less
 * often, and operators are told; only after days it is given up, and said to be so.
 */
function unverified(state: LinkState, link: LinkContext, { atMs }: Of<"verify.failed">): LinkStep {
  const { expiresAtMs } = link.order;
  if (isFinal(state)) {
    const nextAtMs = link.nextAtMs === null || atMs >= expiresAtMs + LINK_UNVERIFIED_MAX_MS ? null : atMs + LINK_LATE_CHECKS_MS[1];
    return { state, link: { ...link, nextAtMs }, effects: [] };
  }
  // Asked by a caller before its time: what was to come still comes.
  if (link.nextAtMs !== null && link.nextAtMs > atMs) return same(state, link);
  const next = state === "waiting" ? "watching" : state;
  if (atMs < expiresAtMs) {
    return {
      state: next,
      link: { ...link, nextAtMs: Math.min(atMs + LINK_VERIFY_MS, Math.max(expiresAtMs, atMs + LINK_VERIFY_GAP_MS)) },
      effects: [],
    };
  }
  if (atMs >= expiresAtMs + LINK_UNVERIFIED_MAX_MS) {
    const outcome: LinkOutcome = {
      resultCode: GATEWAY_RESULT.expired,
      description: "Given up: the gateway could not be asked whether it was paid",
      atMs,
      payment: null,
    };
    return { state: "expired", link: { ...link, outcome, nextAtMs: null }, effects: [ENDED] };
  }
  const pauseMs = Math.max(LINK_VERIFY_MS, Math.floor((atMs - expiresAtMs) / 10));
  const waiting = { ...link, overdue: true, nextAtMs: atMs + pauseMs };
  return { state: next, link: waiting, effects: link.overdue ? [] : [FLAG_OVERDUE] };
}

function refuse(state: LinkState, link: LinkContext, reason: FollowUpRefusal): LinkStep {
  return { state, link, effects: [{ type: "refuseFollowUp", params: { reason } }] };
}

function followUpRequested(state: LinkState, link: LinkContext, event: Of<"followUp.requested">): LinkStep {
  if (state !== "success") return refuse(state, link, "not_paid");
  const known = link.followUps.find(({ id }) => id === event.id);
  if (known !== undefined) {
    // One that a verify found executed has no movement yet: the gateway tells it when it is asked under the same id again.
    const isWhole = known.state === "refused" || (known.state === "done" && known.tranId !== null);
    const type = isWhole ? "repeatFollowUp" : "executeFollowUp";
    return { state, link, effects: [{ type, params: { followUp: known } }] };
  }
  const judged = judgeFollowUp(link, event);
  if (typeof judged === "string") return refuse(state, link, judged);
  if (judged.id !== event.id) return { state, link, effects: [{ type: "executeFollowUp", params: { followUp: judged } }] };
  if (link.followUps.length >= LINK_FOLLOW_UPS_MAX) return refuse(state, link, "too_many");
  const followUps = [...link.followUps, judged];
  return {
    state,
    // Stored before the gateway is asked: whoever is home finds out what became of it, if nobody is told.
    link: { ...link, followUps, nextAtMs: nextCheckMs(followUps, event.atMs) },
    effects: [{ type: "executeFollowUp", params: { followUp: judged } }],
  };
}

/** Sums up what of a kind is done or may be. */
function counted(link: LinkContext, type: FollowUp["type"]): { minor: number; entries: readonly FollowUp[] } {
  const entries = link.followUps.filter((entry) => entry.type === type && entry.state !== "refused");
  return { minor: entries.reduce((sum, { amountMinor }) => sum + amountMinor, 0), entries };
}

/** The entry to execute (an earlier one, where its answer never came and the same is wanted), or why there is none. */
function judgeFollowUp(link: LinkContext, event: Of<"followUp.requested">): FollowUp | FollowUpRefusal {
  const { order } = link;
  const { amountMinor } = amountOf(link);
  const captures = counted(link, "capture");
  const reversals = counted(link, "reversal");
  const refunds = counted(link, "refund");
  const capturedMinor = order.capture === "now" ? amountMinor : captures.minor;
  switch (event.followUp) {
    case "capture":
      if (order.capture === "now") return "already_captured";
      if (reversals.entries.length > 0) return "already_reversed";
      return unanswered(captures.entries, event) ?? (captures.entries.length > 0 ? "already_captured" : entryOf(event, amountMinor));
    case "reversal":
      if (refunds.entries.length > 0) return "already_refunded";
      return (
        unanswered(reversals.entries, event) ??
        (reversals.minor >= amountMinor ? "already_reversed" : entryOf(event, amountMinor - reversals.minor))
      );
    case "refund":
      if (capturedMinor === 0) return "not_captured";
      if (reversals.entries.length > 0) return "already_reversed";
      if (event.amountMinor !== null && event.amountMinor < capturedMinor) return "partial_refund";
      return unanswered(refunds.entries, event) ?? (refunds.entries.length > 0 ? "already_refunded" : entryOf(event, capturedMinor));
  }
}

/**
 * An earlier one of everything that was left whose answer never came: whoever wants the same goes on with it, under its id, which the gateway
 * executes once. While somebody may still be at it, it is theirs.
 */
function unanswered(entries: readonly FollowUp[], event: Of<"followUp.requested">): FollowUp | FollowUpRefusal | null {
  const entry = entries.find(({ state, whole }) => state === "requested" && whole);
  if (entry === undefined) return null;
  if (event.atMs - entry.requestedAtMs < LINK_FOLLOW_UP_LEASE_MS) return "under_way";
  return event.amountMinor === null || event.amountMinor === entry.amountMinor ? entry : "under_way";
}

function entryOf(event: Of<"followUp.requested">, leftMinor: number): FollowUp | FollowUpRefusal {
  const amountMinor = event.amountMinor ?? leftMinor;
  if (amountMinor > leftMinor) return "too_much";
  return {
    id: event.id,
    type: event.followUp,
    amountMinor,
    whole: amountMinor === leftMinor,
    state: "requested",
    requestedAtMs: event.atMs,
    finishedAtMs: null,
    tranId: null,
    resultCode: null,
    description: null,
  };
}

function followUpEnded(
  state: LinkState,
  link: LinkContext,
  event: Of<"followUp.answered"> | Of<"followUp.refused">,
  ended: "done" | "refused",
  tranId: string | null,
): LinkStep {
  const { id, atMs, resultCode, description } = event;
  const concerns = (entry: FollowUp) =>
    entry.id === id && (entry.state === "requested" || (entry.state === "done" && entry.tranId === null && ended === "done"));
  if (!link.followUps.some(concerns)) return same(state, link);
  const followUps = link.followUps.map((entry) =>
    concerns(entry)
      ? endedEntry(entry, { state: ended, finishedAtMs: entry.finishedAtMs ?? atMs, tranId, resultCode, description })
      : entry,
  );
  return {
    state,
    link: { ...link, followUps, nextAtMs: nextCheckMs(followUps, atMs) },
    effects: settledEffects(link.followUps, followUps),
  };
}

function endedEntry(
  { flagged: _, ...entry }: FollowUp,
  end: Pick<FollowUp, "state" | "finishedAtMs" | "tranId" | "resultCode" | "description">,
): FollowUp {
  return { ...entry, ...end };
}

function settledEffects(before: readonly FollowUp[], after: readonly FollowUp[]): LinkEffect[] {
  const isFlagged = ({ flagged }: FollowUp) => flagged === true;
  return before.some(isFlagged) && !after.some(isFlagged) ? [SETTLE_FOLLOW_UP] : [];
}

/** When the gateway is next asked about those whose answers were lost; null where there are none, or it was asked often enough. */
function nextCheckMs(followUps: readonly FollowUp[], atMs: number): number | null {
  const checks = followUps
    .filter(({ state }) => state === "requested")
    .flatMap(({ requestedAtMs }) => LINK_FOLLOW_UP_CHECKS_MS.map((afterMs) => requestedAtMs + afterMs))
    .filter((checkMs) => checkMs > atMs);
  return checks.length === 0 ? null : Math.min(...checks);
}

/** A gateway that calls a paid payment something else has not said what became of it since. */
function totalsOf(payment: GatewayPaymentState): GatewayTotals {
  return payment.type === "paid" ? (payment.totals ?? {}) : {};
}

/**
 * What the gateway says of a paid link whose captures, reversals or refunds were never answered. Only a total that is just what all of a kind make up says that
 * they were executed. Anything less says nothing for good: a request may be on its way, and its caller may repeat it under its id.
 */
function followUpsVerified(state: LinkState, link: LinkContext, atMs: number, totals: GatewayTotals, answered: boolean): LinkStep {
  if (!link.followUps.some((entry) => entry.state === "requested")) return same(state, link);
  const executed: Readonly<Record<FollowUp["type"], boolean | null>> = {
    capture: totals.captured ?? null,
    reversal: isAllOf(link, "reversal", totals.reversedMinor),
    refund: isAllOf(link, "refund", totals.refundedMinor),
  };
  const followUps = link.followUps.map((entry): FollowUp => {
    if (entry.state !== "requested") return entry;
    const found = executed[entry.type];
    if (found === true) {
      return endedEntry(entry, {
        state: "done",
        finishedAtMs: atMs,
        tranId: null,
        resultCode: null,
        description: "Executed, by the gateway's totals",
      });
    }
    // A gateway that answers without a word about it will not have one later either.
    const flag = (answered && found === null) || atMs >= entry.requestedAtMs + LINK_FOLLOW_UP_FLAG_MS;
    const description = !answered
      ? entry.description
      : found === null
        ? "The gateway does not say whether it was executed"
        : "Not executed when the gateway was last asked";
    return { ...entry, description, ...(flag ? { flagged: true } : {}) };
  });
  const isNew = followUps.some(({ flagged }, index) => flagged === true && link.followUps[index]?.flagged !== true);
  const effects = isNew ? [FLAG_FOLLOW_UP] : settledEffects(link.followUps, followUps);
  const verifiedAtMs = answered ? atMs : link.verifiedAtMs;
  return { state, link: { ...link, followUps, verifiedAtMs, nextAtMs: nextCheckMs(followUps, atMs) }, effects };
}

/** Whether a total is that of all of a kind; false where it is less, null where it cannot be told or is something else. */
function isAllOf(link: LinkContext, type: FollowUp["type"], totalMinor: number | undefined): boolean | null {
  if (totalMinor === undefined) return null;
  const { minor, entries } = counted(link, type);
  if (totalMinor === minor) return true;
  const doneMinor = entries.reduce((sum, { state, amountMinor }) => (state === "done" ? sum + amountMinor : sum), 0);
  return totalMinor === doneMinor ? false : null;
}

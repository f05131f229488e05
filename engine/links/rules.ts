import { GATEWAY_RESULT, type GatewayPaymentState } from "../gateway/gateway.ts";
import {
  LINK_GRACE_MS,
  LINK_INIT_CHECK_MS,
  LINK_LATE_CHECKS_MS,
  LINK_NOTIFICATIONS_MAX,
  LINK_UNVERIFIED_MAX_MS,
  LINK_VERIFY_GAP_ENDED_MS,
  LINK_VERIFY_GAP_MS,
  LINK_VERIFY_MS,
} from "../kernel/limits.ts";
import type { LinkEffect, LinkEvent, LinkStep, Of } from "./events.ts";
import { followUpEnded, followUpRequested, followUpsVerified } from "./follow-ups.ts";
import { amountDiffers, isFinal, type LinkContext, type LinkOrder, type LinkOutcome, type LinkRecord, type LinkState } from "./link.ts";

const VERIFY: LinkEffect = { type: "verify", params: {} };
const ENDED: LinkEffect = { type: "ended", params: {} };
const FLAG_LATE: LinkEffect = { type: "flagLate", params: {} };
const FLAG_AMOUNT: LinkEffect = { type: "flagAmount", params: {} };
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
      if (state === "success") return followUpsVerified(state, link, event);
      return verified(state, { ...link, verifiedAtMs: event.atMs }, event);
    case "verify.failed":
      if (state === "success") return followUpsVerified(state, link, event);
      return unverified(state, link, event.atMs);
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

function initRefused(state: LinkState, link: LinkContext, { atMs, resultCode, description, absent }: Of<"init.refused">): LinkStep {
  if (state !== "created") return same(state, link);
  // The refusal of a second init may only say that the first one arrived.
  if (link.inits > 1 && !absent) return same(state, link);
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
    case "absent":
      // The gateway had it, and buyers may be paying it: another account was asked, or it lost its memory.
      if (link.paymentId !== null) return unverified(state, link, atMs);
      return open(state, link, payment, atMs, askedAtMs);
    case "pending":
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

/** What has ended stays so unless it was paid; a gateway that calls it failed need not be asked again. One that does not know it may know it again. */
function stillEnded(state: LinkState, link: LinkContext, payment: GatewayPaymentState, atMs: number): LinkStep {
  const nextAtMs = state === "expired" && payment.type !== "failed" ? lateCheckMs(link, atMs) : null;
  return { state, link: { ...link, nextAtMs }, effects: [] };
}

/**
 * The gateway cannot be asked. Nothing follows from that: a link whose time is over stays open until somebody knows, asked ever less
 * often, and operators are told; only after days it is given up, and said to be so.
 */
function unverified(state: LinkState, link: LinkContext, atMs: number): LinkStep {
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

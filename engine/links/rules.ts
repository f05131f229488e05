import { GATEWAY_RESULT, GATEWAY_UNREAD, type GatewayPaymentState } from "../gateway/gateway.ts";
import {
  LINK_FOLLOW_UP_CHECKS_MS,
  LINK_GRACE_MS,
  LINK_INIT_CHECK_MS,
  LINK_LATE_CHECKS_MS,
  LINK_NOTIFICATIONS_MAX,
  LINK_REVERSAL_MAX_MS,
  LINK_REVERSAL_PAUSE_MAX_MS,
  LINK_REVERSAL_PAUSE_MIN_MS,
  LINK_UNVERIFIED_MAX_MS,
  LINK_VERIFY_GAP_ENDED_MS,
  LINK_VERIFY_GAP_MS,
  LINK_VERIFY_MS,
} from "../kernel/limits.ts";
import {
  amountOf,
  type FollowUp,
  isFinal,
  type LinkContext,
  type LinkOrder,
  type LinkOutcome,
  type LinkRecord,
  reversalIdOf,
} from "./link.ts";

/** A link that has just been thought of: stored before the gateway hears of it, so that it is found whatever happens then. */
export function newLink(order: LinkOrder): LinkRecord {
  return {
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

/** Whether a caller or a notification may have the gateway asked now. */
export function mayVerify(link: LinkRecord, atMs: number): boolean {
  if (link.state === "success" || neverOffered(link)) return false;
  return link.verifiedAtMs === null || atMs - link.verifiedAtMs >= gapMs(link);
}

/** Whether a notification is listened to. */
export function isHeard(link: LinkRecord): boolean {
  return link.notifications < LINK_NOTIFICATIONS_MAX && !neverOffered(link);
}

/** The gateway refused to create it: there is nothing that could be paid. */
function neverOffered({ state, paymentId, revoked }: LinkRecord): boolean {
  return state === "failed" && paymentId === null && revoked !== true;
}

/** Whoever pays a revoked link waits for his money. */
function gapMs({ state, revoked }: LinkRecord): number {
  return isFinal(state) && revoked !== true ? LINK_VERIFY_GAP_ENDED_MS : LINK_VERIFY_GAP_MS;
}

/** When the gateway may be asked again: what a notification tells of may be younger than the last verify. */
export function afterGapMs(link: LinkRecord, atMs: number): number {
  return (link.verifiedAtMs ?? atMs) + gapMs(link);
}

/** Until when a notification is waited for. */
export function graceEndsMs({ order }: LinkContext): number {
  return order.createdAtMs + LINK_GRACE_MS;
}

/** When an open link is verified next, at its end at the latest. */
export function nextVerifyMs({ order }: LinkContext, atMs: number): number {
  return Math.min(atMs + LINK_VERIFY_MS, Math.max(order.expiresAtMs, atMs + LINK_VERIFY_GAP_MS));
}

/** The same of one whose time is over while the gateway cannot be asked: ever less often. */
export function nextOverdueVerifyMs({ order }: LinkContext, atMs: number): number {
  return atMs + Math.max(LINK_VERIFY_MS, Math.floor((atMs - order.expiresAtMs) / 10));
}

/** When an expired link is looked at again, or null: what the gateway never had cannot be paid late. */
export function lateCheckMs({ order, paymentId }: LinkContext, atMs: number): number | null {
  if (paymentId === null) return null;
  const after = LINK_LATE_CHECKS_MS.find((afterMs) => order.expiresAtMs + afterMs > atMs);
  return after === undefined ? null : order.expiresAtMs + after;
}

/** The same where the gateway could not be asked at such a look. */
export function lateCheckAgainMs(link: LinkContext, atMs: number): number | null {
  return link.nextAtMs === null || unverifiedTooLong(link, atMs) ? null : atMs + LINK_LATE_CHECKS_MS[1];
}

export function unverifiedTooLong({ order }: LinkContext, atMs: number): boolean {
  return atMs >= order.expiresAtMs + LINK_UNVERIFIED_MAX_MS;
}

/** How a paid or a failed payment ended, in the gateway's words. */
export function outcomeOf(found: Extract<GatewayPaymentState, { type: "paid" | "failed" }>, atMs: number): LinkOutcome {
  const { resultCode, description } = found.type === "paid" ? found.payment : found;
  return { resultCode, description, atMs, payment: found.type === "paid" ? found.payment : null };
}

export function expiredOutcome(atMs: number, description: string): LinkOutcome {
  return { resultCode: GATEWAY_RESULT.expired, description, atMs, payment: null };
}

/** A link whose order was canceled here, in words of ours; by its code the buyer did not pay. */
export function revokedOutcome(atMs: number): LinkOutcome {
  return { resultCode: GATEWAY_RESULT.cancelledByBuyer, description: "Canceled by the merchant", atMs, payment: null };
}

/** When a revoked link is verified next: until its time is over as any other, then as an expired one, also where the gateway was not heard to have it. */
export function revokedCheckMs(link: LinkContext, atMs: number): number | null {
  if (atMs < link.order.expiresAtMs) return nextVerifyMs(link, atMs);
  const after = LINK_LATE_CHECKS_MS.find((afterMs) => link.order.expiresAtMs + afterMs > atMs);
  return after === undefined ? null : link.order.expiresAtMs + after;
}

/** The same where the gateway could not be asked. */
export function revokedCheckAgainMs(link: LinkContext, atMs: number): number | null {
  if (atMs < link.order.expiresAtMs) return nextVerifyMs(link, atMs);
  return link.nextAtMs === null || unverifiedTooLong(link, atMs) ? null : nextOverdueVerifyMs(link, atMs);
}

/** When a paid link is looked at next: about those whose answers were lost, and for what the relay has to reverse by itself. */
export function nextPaidMs({ followUps, reversalOwed }: Pick<LinkContext, "followUps" | "reversalOwed">, atMs: number): number | null {
  const checks = followUps
    .filter(({ state }) => state === "requested")
    .flatMap(({ requestedAtMs }) => LINK_FOLLOW_UP_CHECKS_MS.map((afterMs) => requestedAtMs + afterMs))
    .filter((checkMs) => checkMs > atMs);
  const owedAtMs = reversalOwed?.nextAtMs ?? null;
  const all = owedAtMs === null ? checks : [...checks, owedAtMs];
  return all.length === 0 ? null : Math.min(...all);
}

/** A paid link that is to be reversed from now on; the very same where it is already. */
export function owingReversal<Link extends LinkContext>(link: Link, atMs: number): Link {
  if (link.reversalOwed !== undefined) return link;
  const owing = { ...link, reversalOwed: { sinceMs: atMs, state: "owed" as const, attempts: 0, nextAtMs: atMs } };
  return { ...owing, nextAtMs: nextPaidMs(owing, atMs) };
}

/** One more attempt is begun: when the next one is due unless this one is answered. */
export function countedReversal<Link extends LinkContext>(link: Link, atMs: number): Link {
  const { reversalOwed: owed } = link;
  if (owed === undefined) return link;
  const pauseMs = Math.min(LINK_REVERSAL_PAUSE_MAX_MS, Math.max(LINK_REVERSAL_PAUSE_MIN_MS, atMs - owed.sinceMs));
  const counted = { ...link, reversalOwed: { ...owed, attempts: owed.attempts + 1, nextAtMs: atMs + pauseMs } };
  return { ...counted, nextAtMs: nextPaidMs(counted, atMs) };
}

export function isReversalDue({ reversalOwed: owed }: LinkContext, atMs: number): boolean {
  return owed?.state === "owed" && owed.nextAtMs !== null && owed.nextAtMs <= atMs;
}

export function isReversalTooLate({ reversalOwed: owed }: LinkContext, atMs: number): boolean {
  return owed !== undefined && atMs >= owed.sinceMs + LINK_REVERSAL_MAX_MS;
}

export function endedReversal<Link extends LinkContext>(link: Link, state: "done" | "refused" | "givenUp", atMs: number): Link {
  const { reversalOwed: owed } = link;
  if (owed === undefined) return link;
  const ended = { ...link, reversalOwed: { ...owed, state, nextAtMs: null } };
  return { ...ended, nextAtMs: nextPaidMs(ended, atMs) };
}

/** What the follow-ups say of a reversal that is owed; null while they do not say it. */
export function reversalFound(link: LinkContext): "done" | "refused" | null {
  if (link.reversalOwed?.state !== "owed") return null;
  const done = (wanted: FollowUp["type"]) =>
    link.followUps.reduce((sum, { type, state, amountMinor }) => (type === wanted && state === "done" ? sum + amountMinor : sum), 0);
  if (done("reversal") >= amountOf(link).amountMinor || done("refund") > 0) return "done";
  // One that the gateway has not looked at is tried again.
  const isRefused = (entry: FollowUp) => entry.id === reversalIdOf(link.order.txId) && entry.state === "refused" && !isUnread(entry);
  return link.followUps.some(isRefused) ? "refused" : null;
}

/** Refused by somebody who did not look at what was asked, so that asked again it may be executed. */
export function isUnread({ state, resultCode }: FollowUp): boolean {
  return state === "refused" && Object.values<string | null>(GATEWAY_UNREAD).includes(resultCode);
}
